"""How often a requirement is broken: always, now and then, or only by requests that are sent at the same time.

A property of responses (their status, operation, key or the kind of body that was sent) is named only if all and only
those with it are wrong. If the same request is answered wrongly and later rightly, no property of it is the cause: it
fails now and then. Pure.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

from petcheck.exchange import Exchange
from petcheck.judging.creations import Creation, creations_in
from petcheck.judging.decision import Failed, Record
from petcheck.judging.judgement import BODY, STATUS
from petcheck.judging.matchers import answer_text, one_of
from petcheck.judging.request_bodies import kind_of_body
from petcheck.spec.figures import GATEWAY_TROUBLE
from petcheck.spec.operations import Operation
from petcheck.words import plural

When: TypeAlias = Literal["always", "now and then", "at the same time"]

CHANCE: Mapping[When, str] = {
    "always": "",
    "now and then": ", now and then",
    "at the same time": ", only at the same time as others",
}
"""What follows a failure, in words."""

BY_CHANCE = "It may pass by chance: only several runs that pass show that it is fixed."
"""What a pass is worth beside a failure that does not always come."""

_OFTEN = 2  # failures of bursts that show more than chance
_BY_LUCK = 0.25  # the chance above which none of the requests alone failing may be luck
_ENOUGH = 3  # equal requests, or responses with a property, that show that it always fails


@dataclass(frozen=True, slots=True)
class Frequency:
    """How often a requirement is broken: by `wrong` of `of` examined responses, which are all `of_what`.

    `again_wrong` of `again` requests that repeated those failed too. If it fails `when` requests are sent at the same
    time, the figures are those of the burst and of its repetition, and `alone` of its requests were sent one after the
    other, without a failure.
    """

    wrong: int
    of: int
    of_what: str
    again_wrong: int = 0
    again: int = 0
    alone: int = 0
    when: When = "always"

    @property
    def by_chance(self) -> bool:
        """Whether a run may pass although nothing was repaired."""
        return self.when != "always"

    @property
    def responses(self) -> str:
        """Which responses are wrong, as a phrase; a property only if all and only those with it are wrong."""
        if self.by_chance:
            return f"{self.wrong} of {self.of} {'examined ' * (self.when == 'now and then')}{self.of_what}"
        return self.of_what if self.wrong == self.of else f"some {self.of_what}"

    @property
    def sentence(self) -> str:
        """How often it fails, as a sentence; empty if it always does, as far as the run saw."""
        again = f"{self.again_wrong or 'none'} of {self.again}"
        if self.when == "now and then":
            return f"Now and then: in {self.responses}{f', and in {again} that were asked again' * bool(self.again)}."
        if self.when == "always":
            held = "it did not fail" if self.again == 1 else f"{again} failed"
            said = f"Asked again later, {held} this way; other animals in the store may be why."
            return said if self.again_wrong < self.again else ""
        repeated = f", {again} when they were sent together again" * bool(self.again)
        said = f"{self.wrong} of {self.of} requests at the same time failed this way"
        return f"{said}{repeated}, and none of {self.alone} one after the other."


def frequency_of(failed: Failed, record: Record, *, of_animals: bool = False) -> Frequency | None:
    """How often a failure was seen in a record; None if single exchanges do not show it.

    `of_animals` says that what is wrong is an animal, so that a page without it proves nothing.
    """
    if not failed.wrong:
        return None
    held, by_status = _held(failed), _by_status(failed)
    properties = _separating(failed.wrong, held, by_status) or _common(failed.wrong, held)
    asked = _asking(record, by_status)
    # a repetition of something else says nothing
    sent = {e.index: asked(e) for e in failed.wrong}
    again = {e.index for e in (*failed.wrong, *held) if e.again in sent and asked(e) == sent[e.again]}
    members = {e.index for e in (*failed.wrong, *held) if _is_of(e, properties)} - again
    right = _right_another_time(failed, held, record, of_animals)
    beside = "" if right is None else _on_connections(failed.wrong, held, members) or _same_body(failed.wrong, right)
    fails_again = again & sent.keys()
    animals = any(_depends_on_animals(e, failed.proofs[0].part) for e in failed.wrong)
    usual = Frequency(
        len(members & sent.keys()),
        len(members),
        _in_words(properties, errors=by_status and all(e.heard.status >= 400 for e in (*failed.wrong, *held))) + beside,
        len(fails_again),
        len(again),
        when="always" if right is None and (animals or fails_again == again) else "now and then",
    )
    return _at_the_same_time(failed.wrong, record) or usual


def to_ask_again(failed: Failed, record: Record) -> tuple[Exchange, ...]:
    """The exchange whose request shows, sent again, whether it always fails: as often as that needs.

    The last GET is best, but not of an animal that was created later. Silence was tried twice, and what a POST creates
    stays.
    """
    held, by_status = _held(failed), _by_status(failed)
    if len(failed.wrong) >= _ENOUGH and _separating(failed.wrong, held, by_status) is not None:
        return ()
    asked = {e.again for e in (*failed.wrong, *held)}
    alone = [e for e in failed.wrong if e.burst is None or e.index not in asked]
    made = {one.id: one for one in creations_in(record)}
    answered = [e for e in alone if e.status not in (None, 429) and _is_there(e, made) is (e.request.pet_id in made)]
    found = [e for e in answered if e.request.operation.safe or 400 <= e.heard.status < 500]
    found.sort(key=lambda exchange: exchange.request.operation.safe)
    same = {e.index for e in (*failed.wrong, *held) if found and _url(e) == _url(found[-1])}
    return tuple(found[-1:]) * (_ENOUGH - len(same))


def ids_under_overlap(frequency: Frequency, failed: Failed, record: Record) -> str:
    """That requests sent at the same time got the same ids, in words; empty if they did not."""
    if frequency.when != "at the same time":
        return ""
    first, _, alone = _bursts(failed.wrong, record)
    got, later = ([one.id for one in creations_in(some)] for some in (first, alone))
    if len(set(got)) == len(got) or len(set(later)) < len(later) or not later:
        return ""
    return (
        f"{len(got)} POSTs at the same time returned only {plural(len(set(got)), 'id')}; "
        f"the same {len(later)} one after the other returned {len(set(later))}."
    )


def told_by_body(failed: Failed) -> str:
    """That all and only some kinds of bodies fail, in words; empty if that is not seen."""
    held, by_status = _held(failed), _by_status(failed)
    properties = _separating(failed.wrong, held, by_status) or {}
    if "body" not in properties or len(failed.wrong) < _OFTEN:
        return ""
    said = f"{len(failed.wrong)} of {len(failed.wrong)} {_in_words(properties)}"
    return f" It fails in {said}, and in none of {plural(len(held), 'other')} that it is judged by."


# ---- now and then


def _held(failed: Failed) -> list[Exchange]:
    wrong = {e.index for e in failed.wrong}
    return [e for e in failed.examined if e.index not in wrong]


def _by_status(failed: Failed) -> bool:
    """Whether the status may be a cause: it is not if it is what is wrong."""
    return failed.proofs[0].part != STATUS and all(e.status is not None for e in failed.wrong)


def _url(exchange: Exchange) -> object:
    request = exchange.request
    return request.operation, request.url, request.body, request.credential, request.form


def _asking(record: Record, by_status: bool) -> Callable[[Exchange], object]:
    """All that can be seen of a request and may be the cause of a failure, for each exchange."""
    made = {one.id: one for one in creations_in(record)}
    return lambda exchange: (_url(exchange), exchange.status if by_status else None, _is_there(exchange, made))


def _is_there(read: Exchange, made: Mapping[int, Creation]) -> bool:
    """Whether the animal of a GET had been created before; if not, it asked for an unknown id."""
    number = read.request.pet_id
    return number is not None and number in made and made[number].is_before(read)


def _right_another_time(failed: Failed, held: Sequence[Exchange], record: Record, of_animals: bool) -> Exchange | None:
    """The right answer to a request that was answered wrongly before, alone and not in a burst; None without one."""
    wrong, by_status = {e.index for e in failed.wrong}, _by_status(failed)
    right_alone = (e for e in held if e.burst is None)
    alone = sorted((*failed.wrong, *right_alone), key=lambda exchange: exchange.index)
    asked = _asking(record, by_status)
    last = {asked(e): e for e in alone if e.index not in wrong}
    stored = [e.index for e in record if not e.request.operation.safe and 200 <= e.heard.status < 300]
    before: dict[object, Exchange] = {}
    for one in alone:
        sent = asked(one)
        later = last.get(sent)
        if one.index not in wrong:
            before[sent] = one
        elif later is not before.get(sent):  # it was right later
            right = [e for e in (later, before.get(sent)) if e is not None]
            animals = _depends_on_animals(one, failed.proofs[0].part)
            if not animals or any(_same_animals(one, other, stored, of_animals) for other in right):
                return later
    return None


def _same_body(wrong: Sequence[Exchange], right: Exchange) -> str:
    """That a body is not the cause, in words; empty if a request without one fails too."""
    if any(e.request.body is None for e in (*wrong, right)):
        return ""
    alike = any(e.status == right.status for e in wrong)
    return f" (the same body {'was answered rightly' if alike else f'got {answer_text(right)}'} another time)"


def _on_connections(wrong: Sequence[Exchange], held: Sequence[Exchange], members: Set[int]) -> str:
    """How often it fails on kept and on new connections, in words; empty unless all failures are on one kind.

    Each request of a burst has a new one, so there the overlap may be the cause.
    """
    if any(e.burst is not None for e in wrong):
        return ""
    bad = {e.index for e in wrong}
    told = []
    for is_new, name in ((False, "kept connections"), (True, "new ones")):
        of = [e.index for e in (*wrong, *held) if e.index in members and e.on_new_connection is is_new]
        told.append((len(bad.intersection(of)), len(of), name))
    if not all(of >= _OFTEN for _, of, _ in told) or all(number for number, _, _ in told):
        return ""
    kept, new = (f"{number or 'none'} of {of} on {name}" for number, of, name in told)
    return f" ({kept}, {new})"


_OF_NO_STORE = (201, 202, 400, 401, 403, 405, 413, 415, 422)  # no animals are why a page has these


def _depends_on_animals(wrong: Exchange, part: str) -> bool:
    """Whether the animals of a page may be why it is wrong."""
    if wrong.status is None:  # what a page would show explains no silence
        return False
    is_page = wrong.request.operation is Operation.LIST_PETS and wrong.request.has_valid_key
    of_size = part.startswith(BODY) and part.count("/") == 1 and wrong.page is not None and wrong.page.status is None
    if wrong.json and (part == BODY or of_size):  # too many animals, or another type
        return False
    return is_page and wrong.status not in _OF_NO_STORE and not part.startswith("header:")


def _same_animals(wrong: Exchange, right: Exchange, stored: Sequence[int], of_animals: bool) -> bool:
    """Whether two responses to one request for a page show the same animals, as far as the run can tell."""
    if of_animals and wrong.page and right.page:
        return set(wrong.page.ids) <= set(right.page.ids)
    return bisect(stored, wrong.index) == bisect(stored, right.index)


# ---- the responses that are wrong

_ASPECTS: Mapping[str, Callable[[Exchange], object]] = {
    "status": lambda exchange: exchange.status,
    "operation": lambda exchange: exchange.request.operation,
    "key": lambda exchange: exchange.request.has_valid_key,
    "body": lambda exchange: kind_of_body(exchange.request),
}
_SOME = [some for number in range(len(_ASPECTS) + 1) for some in combinations(_ASPECTS, number)]  # the fewest first
_SOME_BUT_STATUS = [some for some in _SOME if "status" not in some]
_Properties: TypeAlias = Mapping[str, frozenset[object]]


def _is_of(exchange: Exchange, properties: _Properties) -> bool:
    return all(_ASPECTS[name](exchange) in values for name, values in properties.items())


def _separating(wrong: Sequence[Exchange], held: Sequence[Exchange], by_status: bool) -> _Properties | None:
    """The fewest properties that all wrong responses have and no others; None if some others always do."""
    for some in _SOME if by_status else _SOME_BUT_STATUS:
        properties = {name: frozenset(map(_ASPECTS[name], wrong)) for name in some}
        if "" in properties.get("body", ()):  # a request without a body has no kind
            continue
        if not any(_is_of(e, properties) for e in held):
            return properties
    return None


def _common(wrong: Sequence[Exchange], held: Sequence[Exchange]) -> _Properties:
    """The operation and the kind of key that all of them share, without what all others share too."""
    found = {name: frozenset(map(_ASPECTS[name], wrong)) for name in ("operation", "key")}
    return {
        name: values
        for name, values in found.items()
        if len(values) == 1 and any(_ASPECTS[name](e) not in values for e in held)
    }


def _in_words(properties: _Properties, *, errors: bool = False) -> str:
    """The responses in words; if only errors were examined, it says so, unless it names their statuses."""
    statuses = one_of(sorted(map(str, properties.get("status", ()))), "and")
    bodies = one_of(sorted(map(str, properties.get("body", ()))))
    operations = one_of(sorted(map(str, properties.get("operation", {Operation.CREATE_PET} if bodies else ()))), "and")
    said = statuses or ("error" if errors else "")
    words = " ".join(filter(None, (said, "responses", operations and f"to {operations}")))
    for valid in properties.get("key", ()):
        key = "the valid key" if valid or operations else "requests without the valid key"
        words += f" {'to' if not operations else 'with' if valid else 'without'} {key}"
    return f"{words}{' and' * bool(properties.get('key'))} with {bodies}" if bodies else words


# ---- at the same time


def among_others(failed: Failed, record: Record) -> str:
    """That only requests of bursts show a failure, as a sentence; empty if one that was sent alone fails as well."""
    bursts = {proof.exchange.burst for proof in failed.proofs}
    # it is not blamed on those beside it unless the same request alone did better
    calls = {proof.exchange.request.call for proof in failed.proofs}
    alone = (one for one in failed.examined if one.burst is None and one.request.call in calls)
    fails_alone = None in bursts or any(one.burst is None for one in failed.wrong)
    if fails_alone or (failed.examined and not any(alone)):
        return ""
    size = max(Counter(exchange.burst for exchange in record if exchange.burst in bursts).values())
    return f" {'This was one' if len(failed.proofs) == 1 else 'These were some'} of {size} requests at the same time."


def _bursts(wrong: Sequence[Exchange], record: Record) -> tuple[list[Exchange], list[Exchange], list[Exchange]]:
    """The bursts in which something was wrong, the same sent at the same time again, and one after the other."""
    origins = {e.index if e.again is None else e.again for e in wrong}
    numbers = {e.burst for e in record if e.index in origins}
    first = {e.index: e for e in record if e.burst is not None and e.burst in numbers and e.again is None}
    later = [e for e in record if e.again in first and e.status not in (None, 429, *GATEWAY_TROUBLE)]
    repeated = {first[e.again].burst for e in later if e.again is not None}
    return (
        [e for e in first.values() if e.burst in repeated],
        [e for e in later if e.burst is not None],
        [e for e in later if e.burst is None],
    )


def _at_the_same_time(wrong: Sequence[Exchange], record: Record) -> Frequency | None:
    """How often a failure was seen that only requests of bursts show, if they were sent alone after that."""
    if any(e.burst is None for e in wrong) or len(wrong) < _OFTEN:
        return None
    first, together, alone = _bursts(wrong, record)
    indices = {e.index for e in wrong}
    if not indices & {e.again for e in alone}:
        return None
    bad = [sum(e.index in indices for e in some) for some in (first, together)]
    # as rare a failure as this one might not have come in as few requests alone either
    if (1 - sum(bad) / len([*first, *together])) ** len(alone) > _BY_LUCK:
        return None
    return Frequency(
        bad[0],
        len(first),
        "responses to requests at the same time",
        bad[1],
        len(together),
        len(alone),
        "at the same time",
    )
