"""Section 4.2: the answer to a POST, judged by the animal that was sent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from petcheck.exchange import Animal, Exchange
from petcheck.json_values import integer
from petcheck.judging.absence import nothing_stored
from petcheck.judging.apply import failed_by
from petcheck.judging.creations import posts_in
from petcheck.judging.decision import Decision, Held, Record, Rule, Undecided
from petcheck.judging.judgement import BODY, HOLDS, NOT_CONCERNED, Grounds, Judgement, Problem, body
from petcheck.judging.matchers import answer_text, difference_of_text, one_of, quoted
from petcheck.judging.request_bodies import Asked, Due, asked_of
from petcheck.judging.statuses import answered, is_open
from petcheck.spec.figures import STATUSES
from petcheck.spec.operations import Operation

_failed = partial(failed_by, "4.2")


# ---- CREATE-1


def _is_created(exchange: Exchange, grounds: Grounds) -> Judgement:
    """A 400 proves nothing if no category is known: the category may be its reason."""
    judgement = answered("CREATE-1", exchange, grounds)
    return NOT_CONCERNED if judgement is HOLDS and exchange.status == 400 else judgement


def _each_status_is_accepted(record: Record, grounds: Grounds) -> Decision:
    """Each status, and no status, was sent with an animal that was created; other doubts about it do not matter."""
    sent: dict[object, list[Exchange]] = {status: [] for status in (*STATUSES, None)}
    for exchange in posts_in(record):
        asked = asked_of(exchange.request, grounds.categories)
        if asked.due is not Due.REFUSED and asked.pet is not None:
            sent[asked.pet.get("status")].append(exchange)
    accepted = tuple(e for exchanges in sent.values() for e in exchanges if e.status == 201)
    missing = [status for status, exchanges in sent.items() if all(e.status != 201 for e in exchanges)]
    if not missing:
        return Held(accepted)
    with_status = [quoted(str(status)) for status in missing if status]
    without = ["without a status"] if None in missing else []
    names = " or ".join([f"with status {one_of(with_status)}", *without] if with_status else without)
    answers = dict.fromkeys(answer_text(e) for status in missing for e in sent[status])
    if not answers:
        return Undecided(f"No animal was sent {names}.", examined=accepted)
    said = f"{Operation.CREATE_PET} {names} returned {', '.join(answers)}"
    if not grounds.categories:
        reason = f"{said}, perhaps because the category does not exist."
        return Undecided(reason, "--category-id", examined=accepted)
    reason = f"{said}, which does not show whether a plain animal is accepted; see CREATE-14 and AUTH-7."
    return Undecided(reason, examined=accepted)


# ---- CREATE-2 to CREATE-4


def _repeated(exchange: Exchange, grounds: Grounds) -> tuple[Animal, Animal] | None:
    """The animal sent and the animal returned, if a NewPet got 201 with an object."""
    got = exchange.object if exchange.status == 201 else None
    if got is None or not posts_in([exchange]):
        return None
    asked = asked_of(exchange.request, grounds.categories)
    return None if asked.due is Due.REFUSED or asked.pet is None else (asked.pet, got)


def _name_is_repeated(exchange: Exchange, grounds: Grounds) -> Judgement:
    both = _repeated(exchange, grounds)
    sent, got = (pet.get("name") for pet in both) if both else (None, None)
    if not isinstance(sent, str) or not isinstance(got, str):
        return NOT_CONCERNED  # PET-2
    difference = difference_of_text(sent, got)
    return Problem(f"`name` is {difference}", body("name")) if difference else HOLDS


def _category_is_repeated(exchange: Exchange, grounds: Grounds) -> Judgement:
    both = _repeated(exchange, grounds)
    sent, got = (integer(pet.get("categoryId")) for pet in both) if both else (None, None)
    if sent is None or got is None:
        return NOT_CONCERNED  # PET-3
    return Problem(f"`categoryId` is {got} instead of {sent}", body("categoryId")) if sent != got else HOLDS


def _status_is_repeated(exchange: Exchange, grounds: Grounds) -> Judgement:
    both = _repeated(exchange, grounds)
    if both is None or "status" not in both[0]:
        return NOT_CONCERNED
    sent, got = both
    if "name" not in got or "categoryId" not in got or ("status" in got and got["status"] not in STATUSES):
        return NOT_CONCERNED  # PET-2 to PET-4
    if got.get("status") == sent["status"]:
        return HOLDS
    said = quoted(got["status"]) if "status" in got else "missing"
    return Problem(
        f"`status` is {said} instead of {quoted(sent['status'])}", body("status") if "status" in got else BODY
    )


def _each_status_is_repeated(record: Record, grounds: Grounds) -> Decision:
    held = tuple(e for e in posts_in(record) if _status_is_repeated(e, grounds) is HOLDS)
    repeated = {(asked_of(e.request, grounds.categories).pet or {}).get("status") for e in held}
    missing = [status for status in STATUSES if status not in repeated]
    if not missing:
        return Held(held)
    names = one_of([quoted(status) for status in missing])
    return Undecided(f"No 201 could be compared for status {names}; see CREATE-1.", examined=held)


# ---- CREATE-5 to CREATE-10


def _each_defect_is_refused(requirement: str, record: Record, grounds: Grounds) -> Decision:
    """Every body with this kind of defect got an answer that decides; otherwise the reason names it."""
    held, unclear = [], {}
    for exchange, asked in _asked(record, grounds):
        if asked.requirement != requirement:
            continue
        if answered(requirement, exchange, grounds) is HOLDS:
            held.append((exchange, asked.what))
        else:
            unclear[asked.what] = exchange
    seen = {what for _, what in held}
    missing = [
        f"{Operation.CREATE_PET} with {what} returned {answer_text(e)}"
        for what, e in unclear.items()
        if what not in seen
    ]
    examined = tuple(exchange for exchange, _ in held)
    if missing:
        see = "; see AUTH-7" if any(e.status == 401 for e in unclear.values()) else ""
        return Undecided(f"{'; '.join(missing)}, which says nothing about the body{see}.", examined=examined)
    valid = {e.status for e, asked in _asked(record, grounds) if asked.requirement == "CREATE-1"}
    if held and valid and not any(e.status == 201 for e in posts_in(record)):
        return Undecided(_ALL_REFUSED, examined=examined)
    return Held(examined) if held else Undecided(_NO_DEFECT)


def _asked(record: Record, grounds: Grounds) -> Iterator[tuple[Exchange, Asked]]:
    return ((e, asked_of(e.request, grounds.categories)) for e in posts_in(record))


# ---- CREATE-14


def _is_created_or_refused(exchange: Exchange, grounds: Grounds) -> Judgement:
    """One exchange does not show whether the doubt is the reason for an unexpected answer."""
    return HOLDS if answered("CREATE-14", exchange, grounds) is HOLDS else NOT_CONCERNED


def _doubtful_is_created_or_refused(record: Record, grounds: Grounds) -> Decision:
    """An answer that a plain animal also gets is not due to the doubt."""
    plain = {e.status for e, asked in _asked(record, grounds) if asked.requirement == "CREATE-1"}
    wrong, held, unclear = [], [], []
    for exchange in _sent_in_doubt(record, grounds):
        judgement = answered("CREATE-14", exchange, grounds)
        if isinstance(judgement, Problem) and exchange.status not in plain:
            wrong.append((exchange, judgement))
        elif judgement is HOLDS:
            held.append(exchange)
        else:
            unclear.append(exchange)
    if wrong:
        return _failed(wrong)
    # a 429 says nothing where the same request was looked at later
    settled = {exchange.request for exchange in held}
    unclear = [exchange for exchange in unclear if exchange.status != 429 or exchange.request not in settled]
    if unclear:
        said = f"{Operation.CREATE_PET} returned {answer_text(unclear[0])}"
        if unclear[0].status in plain:
            # a 5xx may come now and then, and then a plain animal is created all the same
            said += f" for a plain animal too; see {'ERROR-5' if unclear[0].heard.status >= 500 else 'CREATE-1'}"
        elif unclear[0].status == 401:
            said += "; see AUTH-7"
        return Undecided(f"{said}.", examined=tuple(held))
    return Held(tuple(held)) if held else Undecided(_NO_DOUBT)


def _sent_in_doubt(record: Record, grounds: Grounds) -> Iterator[Exchange]:
    """The POSTs that a service may refuse, judged by what was known when they were sent."""
    for exchange in posts_in(record):
        asked = asked_of(exchange.request, grounds.categories_at(exchange.sent))
        if asked.requirement == "CREATE-14" and not is_open(exchange):
            yield exchange


# ---- CREATE-11


def _refused_is_not_stored(record: Record, grounds: Grounds) -> Decision:
    refused = [e for e in posts_in(record) if e.status == 400]
    if not refused:
        return Undecided("No POST with a valid key got 400, so this could not be checked.")
    return nothing_stored(record, refused, grounds, "A refused body must not be stored (section 4.2)")


_NO_ANIMAL = "No valid NewPet with a Content-Length got 201; see CREATE-1."
_NO_DEFECT = "No request with this defect got an answer."
_ALL_REFUSED = "Every POST was refused, valid ones too, so a refusal shows nothing; see CREATE-1."
_NO_DOUBT = "No value that the service may refuse was sent."

RULES = (
    Rule("CREATE-1", _is_created, _each_status_is_accepted),
    Rule("CREATE-2", _name_is_repeated, nothing=_NO_ANIMAL),
    Rule("CREATE-3", _category_is_repeated, nothing=_NO_ANIMAL),
    Rule("CREATE-4", _status_is_repeated, _each_status_is_repeated),
    *(
        Rule(name, partial(answered, name), partial(_each_defect_is_refused, name))
        for name in (f"CREATE-{number}" for number in range(5, 11))
    ),
    Rule("CREATE-14", _is_created_or_refused, _doubtful_is_created_or_refused),
    Rule("CREATE-11", over=_refused_is_not_stored),
)
