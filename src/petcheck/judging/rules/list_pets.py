"""Section 4.1: list all animals.

A request may have both a limit and a filter. If it is refused, each is sent alone. If two pages disagree,
they are compared again, in the order A, B, A, once their animals and what differs have been known for 10 s.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import inf

from petcheck.exchange import Call, Exchange, Response
from petcheck.judging.apply import failed_by, simplicity
from petcheck.judging.json_values import integer
from petcheck.judging.judgement import (
    BODY,
    HOLDS,
    NOT_CONCERNED,
    STATUS,
    WHOLE,
    Ask,
    Decision,
    Failed,
    Grounds,
    Held,
    Judgement,
    Problem,
    Proof,
    Record,
    Rule,
    Undecided,
    body,
)
from petcheck.judging.matchers import Animal, answer_text, described, one_of, problem_of_pet_status, quoted, value_of
from petcheck.judging.pages import (
    LAG_S,
    Page,
    animals_in,
    created_in,
    known_since,
    page_in,
    pages_in,
    status_known_since,
    whole_stores,
)
from petcheck.judging.statuses import query_is_valid, query_of, status_judgement
from petcheck.spec.figures import LIMIT_DEFAULT, LIMIT_MAX, STATUSES
from petcheck.spec.operations import Operation
from petcheck.words import plural

_LIMITS = (1, LIMIT_DEFAULT, LIMIT_MAX)
_TOO_LONG = 9  # digits: no limit that a run asks for has more
_failed_by = partial(failed_by, "4.1")


def _call(limit: int | None, status: str | None = None) -> Call:
    query = [("limit", str(limit))] if limit is not None else []
    query += [("status", status)] if status is not None else []
    return Call(Operation.LIST_PETS, query=tuple(query))


def _lists(record: Record) -> Iterator[Exchange]:
    """The requests to `GET /pets` with the valid key."""
    return (e for e in record if e.request.operation is Operation.LIST_PETS and e.request.has_valid_key)


def _asked(record: Record, *query: tuple[str, str]) -> list[Exchange]:
    """The requests with exactly these parameters."""
    return [exchange for exchange in _lists(record) if query_of(exchange) == list(query)]


# ---- LIST-2 and LIST-6: what is accepted


def _is_200(requirement: str, exchange: Exchange, grounds: Grounds) -> Judgement:
    found, judgement = status_judgement(exchange, grounds)
    # a refused parameter proves something only together with other requests
    alone = requirement == "LIST-1" or judgement is HOLDS
    return judgement if found == requirement and alone else NOT_CONCERNED


def _each_is_accepted(
    requirement: str, parameter: str, values: Sequence[str], record: Record, grounds: Grounds
) -> Decision:
    """Each value gets a 200, alone or with the other parameter; undecided if GET /pets without parameters does not."""
    valid = [e for e in _lists(record) if query_is_valid(e)]
    tried = [e for e in valid if parameter in dict(query_of(e))]
    examined = tuple(e for e in tried if e.status == 200)
    refused = [(e, status_judgement(e, grounds)) for e in tried if len(query_of(e)) == 1]
    wrong = [(e, said) for e, (found, said) in refused if found == requirement and isinstance(said, Problem)]
    accepted = {dict(query_of(e))[parameter] for e in examined}
    missing = [value for value in values if value not in accepted]
    plain = _asked(record)
    if (wrong or missing) and plain and not any(e.status == 200 for e in plain):
        answer = answer_text(plain[-1])
        said = f"{Operation.LIST_PETS} does not return 200 without parameters either ({answer}); see LIST-1."
        return Undecided(said, None, examined)
    if wrong:
        return replace(_failed_by(wrong), examined=(*examined, *(e for e, _ in wrong)))
    # LIST-2 judges the limit of a pair alone
    together = _refused_together(valid) if parameter == "status" and not missing else None
    if together is not None:
        return _failed_together(together, examined)
    untried = [value for value in missing if not _asked(record, (parameter, value))]
    otherwise = Undecided(f"No answer shows whether `{parameter}` {one_of(missing)} is accepted.", None, examined)
    if untried:
        # one at a time: the first answer may decide the others
        return Ask((Call(Operation.LIST_PETS, query=((parameter, untried[0]),)),), otherwise)
    return otherwise if missing else Held(examined)


def _refused_together(valid: Sequence[Exchange]) -> Exchange | None:
    """The simplest request with both parameters that was refused although each is accepted in other requests."""
    accepted = {pair for e in valid if e.status == 200 for pair in query_of(e)}
    pairs = (e for e in valid if len(query_of(e)) > 1 and e.status not in (200, 401, 429))
    return min((e for e in pairs if accepted.issuperset(query_of(e))), key=simplicity, default=None)


def _failed_together(pair: Exchange, examined: tuple[Exchange, ...]) -> Failed:
    silent = pair.status is None
    said = f"{described(pair)} (each parameter alone is accepted): expected 200 (section 4.1), got {answer_text(pair)}."
    return Failed(said, (Proof(pair, WHOLE if silent else STATUS),), (*examined, pair), silent, "200")


# ---- LIST-3 to LIST-5: how long a page is


# a page that is not full says nothing about its longest length


def _no_longer_than_its_limit(exchange: Exchange, grounds: Grounds) -> Judgement:
    page = page_in(exchange)
    if page is None or page.limit is None or page.asked is None or page.size < page.asked:
        return NOT_CONCERNED
    return _surplus(page.size, page.asked, f"`limit` allows at most {page.asked}")


def _no_longer_than_the_default(exchange: Exchange, grounds: Grounds) -> Judgement:
    page = page_in(exchange)
    if page is None or page.limit is not None or page.size < LIMIT_DEFAULT:
        return NOT_CONCERNED
    return _surplus(page.size, LIMIT_DEFAULT, f"without `limit` at most {LIMIT_DEFAULT} are allowed")


def _no_longer_than_the_maximum(exchange: Exchange) -> Judgement:
    page = page_in(exchange)
    if page is not None:
        allowed = f"at most {LIMIT_MAX} are allowed, whatever `limit` is"
        return NOT_CONCERNED if page.size < LIMIT_MAX else _surplus(page.size, LIMIT_MAX, allowed)
    if not _asks_beyond(exchange) or exchange.status in (200, 401, 429):
        return NOT_CONCERNED
    if isinstance(exchange.answer, Response):
        return HOLDS  # to refuse more than 100 conforms too
    said = f"expected a page of at most {LIMIT_MAX} animals, or a refusal (section 4.1), got {answer_text(exchange)}"
    return Problem(f"{said}, twice")


def _surplus(size: int, most: int, allowed: str) -> Judgement:
    """A page that is too long is a problem; the part that shows it is its first animal beyond `most`."""
    return Problem(f"the page holds {plural(size, 'animal')}; {allowed}", body(most)) if size > most else HOLDS


def _asks_beyond(exchange: Exchange) -> bool:
    """Whether it is a request for a page of more than 100."""
    if exchange.request.operation is not Operation.LIST_PETS or not exchange.request.has_valid_key:
        return False
    match query_of(exchange):
        case [("limit", limit)]:
            return limit.isascii() and limit.isdecimal() and len(limit) <= _TOO_LONG and int(limit) > LIMIT_MAX
    return False


def _known(record: Record) -> dict[int, Animal]:
    """Every animal that a page or a 201 has shown, by id."""
    created = {number: value_of(e.answer) for number, e in created_in(record).items() if isinstance(e.answer, Response)}
    return {number: value for number, value in created.items() if isinstance(value, dict)} | animals_in(record)


def _behind(record: Record) -> Callable[[Page], int]:
    """For a page, how many known animals it could have shown: those that existed then and that its filter selects."""
    made = created_in(record)
    since: dict[str | None, list[float]] = {}
    for number, animal in _known(record).items():
        status = animal.get("status")
        for one in (None, status) if isinstance(status, str) else (None,):
            since.setdefault(one, []).append(made[number].finished if number in made else -inf)
    for times in since.values():
        times.sort()
    return lambda page: bisect_right(since.get(page.status, ()), page.exchange.sent)


def _each_limit_bounds(record: Record, grounds: Grounds) -> Decision:
    """For each limit of 1, 20 and 100, there is a page that could have shown more animals than it may hold."""
    pages = [page for page in pages_in(record) if page.by_status or not page.filtered]
    behind = _behind(record)
    decisive_pages = [p for p in pages if p.limit is not None and p.asked in _LIMITS and behind(p) > p.asked]
    examined = tuple(page.exchange for page in decisive_pages)
    missing = [limit for limit in _LIMITS if limit not in {page.asked for page in decisive_pages}]
    if not missing:
        return Held(examined)
    known = len(_known(record))
    short = [str(limit) for limit in missing if limit >= known]
    unanswered = [limit for limit in missing if limit < known]
    settled_by = _settled_by(grounds) if missing == [1] else None
    reasons = []
    if short:
        add = "" if settled_by else _more(known)
        reasons.append(f"{_only(known)}; judging `limit` {one_of(short)} needs more.{add}")
    if unanswered:
        reasons.append(f"No page shows whether `limit` {one_of([*map(str, unanswered)])} is obeyed; see LIST-2.")
    otherwise = Undecided(" ".join(reasons), settled_by, examined)
    return Ask(tuple(_call(limit) for limit in unanswered), otherwise) if unanswered else otherwise


def _more(known: int) -> str:
    """What the user can do about too few animals; if none is known, the list may be broken."""
    return " Add animals to the store." if known else " If the store is empty, add animals."


def _only(number: int, whose: str = "") -> str:
    """The start of a sentence about too few animals."""
    if not number:
        return f"No animal{whose} is known"
    return f"Only {number} animal{'s' * (number > 1)}{whose} {'are' if number > 1 else 'is'} known"


def _default_is_20(record: Record, grounds: Grounds) -> Decision:
    """A page without `limit` has as many animals as one with `limit=20`, without a filter and with one."""
    numbers = Counter(str(animal.get("status")) for animal in _known(record).values())
    filters = sorted(STATUSES, key=lambda status: -numbers[status])
    filtered = {status: _default_of(status, record) for status in filters if numbers[status] > LIMIT_DEFAULT}
    enough = any(isinstance(part, Held) for part in filtered.values())
    # one filter that holds is enough; another one that is seen to differ is judged all the same
    parts = [
        part
        for status, part in filtered.items()
        if not enough or isinstance(part, Held) or _both_are_seen(status, record)
    ]
    return _all_of([_default_of(None, record), *(parts or [_default_of(filters[0], record)])])


def _both_are_seen(status: str, record: Record) -> bool:
    """Whether pages with and without `limit=20` were returned for a status."""
    return all(_pages(record, _call(limit, status)) for limit in (None, LIMIT_DEFAULT))


def _all_of(parts: Sequence[Decision], settled_by: str | None = None) -> Decision:
    """The decision over several parts of a requirement: the first `Failed`, then the first `Ask`, then all of them."""
    for wanted in (Failed, Ask):
        decisive = next((part for part in parts if isinstance(part, wanted)), None)
        if decisive is not None:
            return decisive
    examined = tuple(dict.fromkeys(e for part in parts if isinstance(part, Held | Undecided) for e in part.examined))
    reasons = dict.fromkeys(part.reason for part in parts if isinstance(part, Undecided))
    return Undecided(" ".join(reasons), settled_by, examined) if reasons else Held(examined)


def _default_of(status: str | None, record: Record) -> Decision:
    default, explicit = _call(None, status), _call(LIMIT_DEFAULT, status)
    pages, behind = _pages(record, default), _behind(record)
    decisive_pages = [page for page in pages if behind(page) > LIMIT_DEFAULT]
    examined = tuple(page.exchange for page in decisive_pages)
    if any(page.size == LIMIT_DEFAULT for page in decisive_pages):
        return Held(examined)
    known = sum(status is None or animal.get("status") == status for animal in _known(record).values())
    if known <= LIMIT_DEFAULT:
        return _short_of(status, known, pages, behind, record)
    asked = f"{Operation.LIST_PETS} with `status` and without `limit`" if status else str(Operation.LIST_PETS)
    no_page = Undecided(f"{asked} returned no page to compare; see {'LIST-6' if status else 'LIST-1'}.")
    if not decisive_pages:
        refused = len(_asked(record, *default.query)) > len(pages)
        return no_page if refused else Ask((default,), no_page)
    twenties = _pages(record, explicit)
    if not twenties:
        return Ask((explicit,), no_page)
    if decisive_pages[-1].size == twenties[-1].size:
        return Held((*examined, twenties[-1].exchange))
    return _compared(default, explicit, decisive_pages[-1], twenties[-1], record)


def _short_of(
    status: str | None, known: int, pages: Sequence[Page], behind: Callable[[Page], int], record: Record
) -> Decision:
    """At most 20 animals are known: a page without `limit` that leaves some out has fewer than one with `limit=20`."""
    animals, explicit = len(_known(record)), _call(LIMIT_DEFAULT, status)
    few = _only(animals) if animals <= LIMIT_DEFAULT else _only(known, f" with status {quoted(status)}")
    needed = f"judging the default page size needs more than {LIMIT_DEFAULT}.{_more(animals)}"
    undecided = Undecided(f"{few}; {needed}", None, tuple(page.exchange for page in pages))
    twenties = _pages(record, explicit)
    if not pages or pages[-1].size >= behind(pages[-1]):
        return undecided
    if not twenties:
        return Ask((explicit,), undecided)
    if pages[-1].size >= twenties[-1].size:
        return undecided
    return _compared(_call(None, status), explicit, pages[-1], twenties[-1], record)


def _pages(record: Record, call: Call) -> list[Page]:
    return list(pages_in(_asked(record, *call.query)))


def _compared(default: Call, explicit: Call, page: Page, other: Page, record: Record) -> Decision:
    """Requests the pages again in the order A, B, A, once their animals and their sizes have been known for 10 s."""
    calls, ids = (default, explicit, default), {*page.ids, *other.ids}
    again = _confirmation(calls, ids, record)
    pairs = [*product(_pages(record, default), _pages(record, explicit))]
    seen = {(a.size, b.size): max(a.exchange.finished, b.exchange.finished) for a, b in reversed(pairs)}
    said = f"{described(page.exchange)} and {described(other.exchange)} return {page.size} and {other.size} animals"
    changing = Undecided(f"{said}, but the pages change between requests. Run again.", None, (page.exchange,))
    if again is None:
        return Ask(calls, changing, max(known_since(record, ids), seen[page.size, other.size]) + LAG_S)
    sizes = [one.size for one in again]
    lasted = seen[sizes[0], sizes[1]] + LAG_S <= again[0].exchange.sent
    if sizes[0] != sizes[2] or sizes[0] == sizes[1] or not lasted:
        return changing
    return Failed(
        f"{described(again[0].exchange)} returned {sizes[0]} animals, {described(again[1].exchange)} returned "
        f"{sizes[1]}; the default `limit` is {LIMIT_DEFAULT} (section 4.1).",
        tuple(Proof(one.exchange, BODY) for one in again),
    )


def _confirmation(calls: tuple[Call, Call, Call], ids: set[int], record: Record) -> tuple[Page, Page, Page] | None:
    """The latest answers to these calls in a row; None if they came before the animals had been known for 10 s.

    Animals that these pages show first do not count; otherwise a growing store would be asked forever.
    """
    lists = list(_lists(record))
    for three in reversed([lists[n : n + 3] for n in range(len(lists))]):
        pages = list(pages_in(three))
        if len(pages) == len(calls) and [tuple(query_of(e)) for e in three] == [call.query for call in calls]:
            earlier = [exchange for exchange in record if exchange.finished <= three[0].sent]
            settled = three[0].sent >= known_since(earlier, ids) + LAG_S
            return (pages[0], pages[1], pages[2]) if settled else None
    return None


def _never_over_100(record: Record, grounds: Grounds) -> Decision:
    """A request for more than 100 was refused, or got at most 100 although there are more."""
    examined = tuple(e for e in record if _no_longer_than_the_maximum(e) is not NOT_CONCERNED)
    beyond = [e for e in _lists(record) if _asks_beyond(e) and e.status not in (401, 429)]
    if not beyond:
        # recorded traffic has no run that could send one
        advice = " To send one, run LIST-5 alone." if grounds.run else ""
        return Undecided(f"No request asked for more than {LIMIT_MAX} animals.{advice}", None, examined)
    behind = _behind(record)
    decisive_pages = [page.exchange for page in pages_in(beyond) if behind(page) > LIMIT_MAX]
    if decisive_pages or any(exchange.status != 200 for exchange in beyond):
        return Held(tuple(dict.fromkeys((*examined, *decisive_pages))))
    said = f"At most {LIMIT_MAX} animals were known, so no page could be too long.{_more(LIMIT_MAX)}"
    return Undecided(said, None, examined)


# ---- LIST-7 and LIST-8: what a filter shows


def _of_the_status(exchange: Exchange, grounds: Grounds) -> Judgement:
    page = page_in(exchange)
    if page is None or page.status not in STATUSES:
        return NOT_CONCERNED
    for place, animal in page.placed:
        # PET-4 judges a value that is not a PetStatus
        if problem_of_pet_status(animal) is None and animal.get("status") != page.status:
            has = f"status {quoted(animal['status'])}" if "status" in animal else "no status"
            said = f"animal {quoted(animal.get('id'))} has {has}; expected only {quoted(page.status)}"
            return Problem(said, body(place, "status") if "status" in animal else body(place))
    return HOLDS if page.animals else NOT_CONCERNED


def _each_filter_shows_its_own(record: Record, grounds: Grounds) -> Decision:
    """For each status, a filtered page shows an animal."""
    decisive_pages = [page for page in pages_in(record) if page.status in STATUSES and page.animals]
    examined = tuple(page.exchange for page in decisive_pages)
    missing = [status for status in STATUSES if status not in {page.status for page in decisive_pages}]
    if not missing:
        return Held(examined)
    there = {str(animal.get("status")) for animal in _known(record).values()}
    absent = [status for status in missing if status not in there]
    advice = f".{_add(absent, grounds) if there else _if_empty(grounds)}" if absent else "; see LIST-6."
    said = f"No page filtered by status {one_of([*map(quoted, missing)])} showed an animal{advice}"
    otherwise = Undecided(said, _settled_by(grounds) if absent else None, examined)
    calls = [_call(LIMIT_MAX, status) for status in missing if status in there]
    calls = [call for call in calls if not _asked_since(call, _last_created(record), record)]
    return Ask(tuple(calls), otherwise) if calls else otherwise


def _nothing_left_out(record: Record, grounds: Grounds) -> Decision:
    """For each status, the filtered pages show every animal that a page of the whole store shows with it."""
    pages = list(pages_in(record))
    whole = whole_stores(pages)
    known = animals_in(page.exchange for page in whole)
    due = {status: {n for n, animal in known.items() if animal.get("status") == status} for status in STATUSES}
    lacking = [status for status in STATUSES if not due[status]]
    nobody_can_tell = Undecided(
        "The store may not fit on one page, so a filtered page may rightly leave animals out. "
        "Test a store of fewer than 20 animals."
    )
    if lacking and _grew(record):
        # a longer page can prove that an earlier one was whole, and can show animals of each status
        return Ask((_WIDE,), nobody_can_tell)
    if not whole:
        return nobody_can_tell
    parts = [_shows_all(status, due[status], record) for status in STATUSES if due[status]]
    # a store that held few animals at first may have outgrown its pages
    there = {str(animal.get("status")) for animal in _known(record).values()}
    absent = [status for status in lacking if status not in there]
    if absent:
        parts.append(Undecided(_no_animal(absent, grounds)))
    if len(absent) < len(lacking):
        parts.append(nobody_can_tell)
    return _all_of(parts, _settled_by(grounds) if absent else None)


def _grew(record: Record) -> bool:
    """Whether the run created animals after the latest unfiltered page with room for them."""
    wide = _pages(record, _WIDE)
    return bool(wide) and wide[-1].has_room and wide[-1].exchange.sent < _last_created(record)


def _last_created(record: Record) -> float:
    return max((post.finished for post in created_in(record).values()), default=-inf)


def _shows_all(status: str, due: set[int], record: Record) -> Decision:
    """Whether each filtered page that is not full shows all of `due`, the ids with that status in the whole store."""
    pages = [page for page in pages_in(record) if page.by_status == status and page.has_room]
    call = _call(LIMIT_MAX, status)
    changing = Undecided("The list changes between requests, so a filtered page cannot be compared with it. Run again.")
    if not any(page.exchange.sent >= known_since(record, due) for page in pages):
        no_room = Undecided(f"No page filtered by status {quoted(status)} had room for all its animals; see LIST-6.")
        return no_room if _asked_since(call, known_since(record, due), record) else Ask((call,), no_room)
    examined = tuple(page.exchange for page in pages)
    lacked = {n: page.exchange.finished for page in reversed(pages) for n in _missing(page, due, record)}
    if not lacked:
        return Held(examined)
    calls, ids = (_WIDE, call, _WIDE), due | created_in(record).keys()
    three = _confirmation(calls, ids, record)
    if three is None:
        return Ask(calls, changing, max(known_since(record, ids), *lacked.values()) + LAG_S)
    before, between, after = three
    both = _of_status(before, status) & _of_status(after, status)
    if not both:
        return changing
    left_out = both - set(between.ids)
    if not left_out:
        return Held((*examined, before.exchange, between.exchange, after.exchange))
    since = before.exchange.sent - LAG_S
    left_out = {n for n in left_out if n in lacked and max(lacked[n], status_known_since(record, n, status)) <= since}
    # the same cap may cut a page that is as long as the unfiltered one
    if not left_out or between.size >= min(before.size, after.size):
        return changing
    first = min(left_out)
    place = next(place for place, animal in before.placed if integer(animal.get("id")) == first)
    return Failed(
        f"{described(between.exchange)} left out animal {first}, which {described(before.exchange)} lists with "
        f"status {quoted(status)} (section 4.1).",
        (Proof(before.exchange, body(place)), Proof(between.exchange, BODY), Proof(after.exchange, BODY)),
    )


def _missing(page: Page, due: set[int], record: Record) -> set[int]:
    """The animals of `due` that were known when a page was requested and are not on it."""
    return {n for n in due - set(page.ids) if known_since(record, {n}) <= page.exchange.sent}


def _asked_since(call: Call, moment: float, record: Record) -> bool:
    return any(exchange.sent >= moment for exchange in _asked(record, *call.query))


def _of_status(page: Page, status: str) -> set[int]:
    found = (integer(animal.get("id")) for animal in page.animals if animal.get("status") == status)
    return {number for number in found if number is not None}


def _no_animal(statuses: Sequence[str], grounds: Grounds) -> str:
    return f"No animal with status {one_of([*map(quoted, statuses)])} is listed.{_add(statuses, grounds)}"


def _add(statuses: Sequence[str], grounds: Grounds) -> str:
    """What the user can do; a run without permission to write names the option instead."""
    if _settled_by(grounds):
        return ""
    return " Add one of each to the store." if len(statuses) > 1 else " Add one to the store."


def _if_empty(grounds: Grounds) -> str:
    return "" if _settled_by(grounds) else _more(0)


def _settled_by(grounds: Grounds) -> str | None:
    return None if grounds.writes else "--allow-writes"


_WIDE = _call(LIMIT_MAX)
_NO_PLAIN_ANSWER = f"No {Operation.LIST_PETS} without parameters got a conclusive answer; see AUTH-7."
_NO_PAGE = "No page was full."
_NO_FILTER = "No filtered page was returned."

RULES = (
    Rule("LIST-1", _NO_PLAIN_ANSWER, partial(_is_200, "LIST-1")),
    Rule(
        "LIST-2",
        "No page with a `limit` was returned.",
        partial(_is_200, "LIST-2"),
        partial(_each_is_accepted, "LIST-2", "limit", [str(limit) for limit in _LIMITS]),
    ),
    Rule("LIST-3", _NO_PAGE, _no_longer_than_its_limit, _each_limit_bounds),
    Rule("LIST-4", _NO_PAGE, _no_longer_than_the_default, _default_is_20),
    Rule("LIST-5", _NO_PAGE, lambda exchange, _: _no_longer_than_the_maximum(exchange), _never_over_100),
    Rule(
        "LIST-6",
        _NO_FILTER,
        partial(_is_200, "LIST-6"),
        partial(_each_is_accepted, "LIST-6", "status", STATUSES),
    ),
    Rule("LIST-7", "No filtered page showed an animal.", _of_the_status, _each_filter_shows_its_own),
    Rule("LIST-8", _NO_FILTER, over=_nothing_left_out),
)
