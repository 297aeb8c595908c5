"""What a target does where the document is silent: one function for each open point that a run can observe.

Each looks at the whole record and never judges. Sections as in the catalogue.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import chain

from petcheck.call import Form
from petcheck.exchange import Animal, Exchange, NoAnswer, Silence, http_date
from petcheck.json_values import integer, kind
from petcheck.judging.creations import creations_in, posts_in
from petcheck.judging.decision import Record
from petcheck.judging.json_extensions import lenient_reading
from petcheck.judging.judgement import Grounds
from petcheck.judging.matchers import answer_text, quoted
from petcheck.judging.overlap import is_in_excess
from petcheck.judging.pages import order_of, page_in_words, pages_in
from petcheck.judging.request_bodies import Due, asked_of, half_of_a_pair
from petcheck.judging.rules.bodies import pets_in
from petcheck.judging.rules.errors import error_in
from petcheck.spec.figures import CONTENT_TYPE, LIMIT_MAX, OPEN_IDS, OPEN_LISTS, PET_FIELDS, REMOVAL_DAY
from petcheck.spec.operations import Operation

_CHALLENGE = "WWW-Authenticate"
_TOO_MANY = (429, 503)
_CODES = 5  # values of `code` that are shown for each status


@dataclass(frozen=True, slots=True)
class ObservedAnswer:
    """One answer at an open point: its `status`, None without an answer, and the number of `animals` if it is a page.

    `asked` distinguishes several requests at one point. `detail` is the kind of the body, or why there was no answer.
    """

    status: int | None
    animals: int | None = None
    asked: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Observed:
    """What a target does at an open point: in words, the indices of the exchanges that show it, and whole answers.

    `seen` is false if nothing shows it; `value` then says why.
    """

    value: str
    exchanges: tuple[int, ...] = ()
    seen: bool = True
    answers: tuple[ObservedAnswer, ...] = ()


def observed(point: str, record: Record, grounds: Grounds) -> Observed:
    """What a record shows of an open point, by its id in the catalogue."""
    return _POINTS[point](record, grounds)


def points() -> Iterable[str]:
    """The ids of the open points that have a function."""
    return _POINTS.keys()


def _unseen(why: str) -> Observed:
    return Observed(f"not observed: {why}", seen=False)


def _answers(exchanges: Iterable[tuple[str, Exchange]], detail: Callable[[Exchange], str] = lambda _: "") -> Observed:
    """Some answers in words and as data; each comes with what distinguishes its request, empty for a single one.

    An answer that petcheck did not wait for shows nothing about the target.
    """
    rows = [(asked, exchange, detail(exchange)) for asked, exchange in exchanges if not _is_interrupted(exchange)]
    if not rows:
        return _unseen("no such request was sent with a valid key")
    return Observed(
        "; ".join(f"{asked}: " * bool(asked) + page_in_words(e) + f", {more}" * bool(more) for asked, e, more in rows),
        tuple(exchange.index for _, exchange, _ in rows),
        answers=tuple(_answer(asked, exchange, more) for asked, exchange, more in rows),
    )


def _is_interrupted(exchange: Exchange) -> bool:
    return isinstance(exchange.answer, NoAnswer) and exchange.answer.kind is Silence.INTERRUPTED


def _answer(asked: str, exchange: Exchange, detail: str) -> ObservedAnswer:
    page, answer = exchange.page, exchange.answer
    silence = f"{answer.kind.value}: {answer.detail}" if isinstance(answer, NoAnswer) else ""
    return ObservedAnswer(exchange.status, page.size if page else None, asked, detail or silence)


def _with_key(record: Record, operation: Operation) -> Iterator[Exchange]:
    return (e for e in record if e.request.operation is operation and e.request.has_valid_key)


# ---- 2: resources


def _extra_fields(record: Record, grounds: Grounds) -> Observed:
    pets = chain.from_iterable(pets_in(exchange, grounds) for exchange in record)
    extra = {name for pet in pets if isinstance(pet, dict) for name in pet} - set(PET_FIELDS)
    return Observed(", ".join(sorted(extra)) or "none")


# ---- 4: endpoints


def _at_the_same_time(record: Record, _: Grounds) -> Observed:
    together = [exchange for exchange in record if exchange.burst is not None and not _is_interrupted(exchange)]
    if not together:
        return _unseen("the run sent one request after the other")
    refused = next((one for one in together if is_in_excess(one) or one.status in _TOO_MANY), None)
    if refused is None:
        return Observed("none was refused as one too many")
    most = max(Counter(exchange.burst for exchange in together).values())
    why = f"of {most}, one got {answer_text(refused)}; the rules that hold for them are inconclusive there"
    return replace(_unseen(why), exchanges=(refused.index,))


# ---- 4.1: list all animals


def _odd_list(query: tuple[tuple[str, str], ...], record: Record, _: Grounds) -> Observed:
    asked = [e for e in _with_key(record, Operation.LIST_PETS) if e.request.query == query]
    return _answers(("", exchange) for exchange in asked[:1])


def _order(record: Record, _: Grounds) -> Observed:
    longest = [page for page in pages_in(record) if page.limit == str(LIMIT_MAX) and not page.filtered]
    if not longest:
        return _unseen("no list was returned")
    order = order_of(longest[0])
    if order is None:
        return Observed("not observed: fewer than three animals", (longest[0].exchange.index,), seen=False)
    return Observed(order, (longest[0].exchange.index,))


def _paging_metadata(record: Record, _: Grounds) -> Observed:
    page = next((page.exchange for page in pages_in(record)), None)
    if page is None:
        return _unseen("no list was returned")
    names = {n for n, _ in page.heard.headers if n.lower() == "link" or "page" in n.lower() or "total" in n.lower()}
    return Observed(", ".join(sorted(names)) or "none", (page.index,))


# ---- 4.2: add an animal


def _new_pets(record: Record) -> Iterator[tuple[Exchange, Animal]]:
    """Every POST of a NewPet that may be accepted, with its body."""
    for exchange in posts_in(record):
        asked = asked_of(exchange.request, frozenset())
        if asked.due in (Due.CREATED, Due.CREATED_OR_REFUSED) and asked.pet is not None and "name" in asked.pet:
            yield exchange, asked.pet


def _of_posts(find: Callable[[Record], Observed], record: Record, grounds: Grounds) -> Observed:
    """What POSTs show, where the run may send some."""
    return find(record) if grounds.writes else _unseen("needs --allow-writes")


def _name_beyond_ascii(record: Record) -> Observed:
    posted = [(str(pet["name"]), e) for e, pet in _new_pets(record) if not str(pet["name"]).isascii()]
    # another name may be refused because of a character that nobody sees
    posted.sort(key=lambda row: not row[0].isprintable())
    halves = [("half of a surrogate pair", e) for e in posts_in(record) if half_of_a_pair(e.request)]
    return _answers([*(("", e) for _, e in posted[:1]), *halves[:1]], _name_of_half)


def _name_of_half(post: Exchange) -> str:
    """The name in the answer to one with half of a surrogate pair; empty for another name."""
    name = (post.object or {}).get("name")
    return f"`name` is {quoted(name)}" if half_of_a_pair(post.request) and name is not None else ""


def _category_never_seen(record: Record) -> Observed:
    made = {made.id for made in creations_in(record)}
    before = {
        integer(animal.get("categoryId"))
        for page in pages_in(record)
        for animal in page.animals
        if integer(animal.get("id")) not in made
    }
    posted = [
        ("", e)
        for e, pet in _new_pets(record)
        if str(pet["name"]).isascii() and integer(pet.get("categoryId")) not in before
    ]
    return _answers(posted[:1])


def _status_default(record: Record) -> Observed:
    posted = [e for e, pet in _new_pets(record) if "status" not in pet]
    sent = {e.index for e in posted}
    made = next((one for one in creations_in(record) if one.exchange.index in sent), None)
    if made is None:
        return _answers([("", e) for e in posted[-1:]])
    default = quoted(made.animal["status"]) if "status" in made.animal else "no status"
    return Observed(default, (made.exchange.index,))


def _json_extensions(record: Record) -> Observed:
    found: dict[str, Exchange] = {}
    for exchange in posts_in(record):
        asked = exchange.request
        if asked.body and asked.parsed.wrong and not asked.parsed.unread:
            reading = lenient_reading(asked.body)
            if reading is not None and reading.extension:
                found.setdefault(reading.extension, exchange)
    return _answers(found.items())


def _body_in_chunks(record: Record) -> Observed:
    posted = [("", e) for e in record if e.request.form is Form.CHUNKED]
    return _answers(posted)


# ---- 4.3 and 4.4: get an animal, other operations


def _id_not_int64(record: Record, _: Grounds) -> Observed:
    asked = {
        e.request.url.rpartition("/")[2]: e
        for e in reversed(list(_with_key(record, Operation.GET_PET)))
        if e.request.call.pet_id in OPEN_IDS.values()
    }
    return _answers(sorted(asked.items(), key=lambda row: row[1].index))


def _deprecation_headers(record: Record, _: Grounds) -> Observed:
    read = (e for e in _with_key(record, Operation.GET_PET) if e.status == 200)
    for exchange in read:
        headers = {name: value for name in ("Deprecation", "Sunset") if (value := exchange.heard.header(name))}
        found = [f"{name}: {value}" for name, value in headers.items()]
        sunset = headers.get("Sunset", "")
        ends = http_date(sunset)
        # the last moment of the day before is the same
        if sunset and (ends is None or not timedelta(0) <= REMOVAL_DAY - ends.date() <= timedelta(days=1)):
            removal = f"{REMOVAL_DAY.day} " + REMOVAL_DAY.strftime("%B %Y")
            found.append(f"the document removes it on {removal}")
        return Observed("; ".join(found) or "none", (exchange.index,))
    return _unseen("no animal was read")


def _orders_payload(record: Record, _: Grounds) -> Observed:
    answered = [("", e) for e in _with_key(record, Operation.STORE_ORDERS) if e.status is not None]
    return _answers(answered[:1], lambda exchange: kind(exchange.json) if exchange.heard.body else "no body")


# ---- 5, 7 and 8: authentication, errors, limits


def _www_authenticate(record: Record, _: Grounds) -> Observed:
    refused = [e for e in record if e.status == 401]
    values = {e.heard.header(_CHALLENGE) or "none" for e in refused}
    if not refused:
        return _unseen("no 401 was returned")
    return Observed("; ".join(sorted(values)), (refused[0].index,))


def _error_codes(record: Record, grounds: Grounds) -> Observed:
    codes: dict[str, set[str]] = {}
    for value, response in filter(None, (error_in(exchange, grounds) for exchange in record)):
        if isinstance(value, dict) and isinstance(value.get("code"), str):
            codes.setdefault(str(response.status), set()).add(quoted(value["code"]))
    if not codes:
        return _unseen("no 400, 401 or 404 with a `code` was returned")
    shown = (f"{status}: {', '.join(sorted(values)[:_CODES])}" for status, values in sorted(codes.items()))
    return Observed("; ".join(shown))


def _rate_limit_body(record: Record, _: Grounds) -> Observed:
    refused = next((exchange for exchange in record if exchange.status == 429), None)
    if refused is None:
        return _unseen("no 429 was returned")
    media = refused.heard.header(CONTENT_TYPE) or "no media type"
    what = kind(refused.json) if refused.json is not None else f"{len(refused.heard.body)} bytes"
    return Observed(f"{media}, {what}", (refused.index,))


_POINTS: Mapping[str, Callable[[Record, Grounds], Observed]] = {
    "pet-extra-fields": _extra_fields,
    "requests-at-the-same-time": _at_the_same_time,
    **{point: partial(_odd_list, tuple(query.items())) for point, query in OPEN_LISTS.items()},
    "list-order": _order,
    "paging-metadata": _paging_metadata,
    "name-beyond-ascii": partial(_of_posts, _name_beyond_ascii),
    "category-never-seen": partial(_of_posts, _category_never_seen),
    "status-default": partial(_of_posts, _status_default),
    "json-extensions": partial(_of_posts, _json_extensions),
    "body-in-chunks": partial(_of_posts, _body_in_chunks),
    "pet-id-not-int64": _id_not_int64,
    "deprecation-headers": _deprecation_headers,
    "orders-payload": _orders_payload,
    "www-authenticate": _www_authenticate,
    "error-codes": _error_codes,
    "rate-limit-body": _rate_limit_body,
}
