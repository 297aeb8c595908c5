"""Section 4.1: what a filter by status shows.

If a filtered page lacks an animal that a page of the whole store shows, they are compared again in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf

from petcheck.call import Call, Form, page_call
from petcheck.exchange import Exchange, Page
from petcheck.grouping import grouped
from petcheck.judging.agree import pages_in_a_row
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Record, Rule, Undecided, all_of
from petcheck.judging.judgement import BODY, HOLDS, NOT_CONCERNED, Grounds, Judgement, Problem, body
from petcheck.judging.matchers import described, one_of, problem_of_pet_status, quoted
from petcheck.judging.once import Once
from petcheck.judging.pages import (
    LAG_S,
    animals_in,
    asked_with,
    created_in,
    ids_of_status,
    known_in,
    known_since,
    last_created,
    more,
    pages_in,
    place_of,
    seen_in,
    status_known_since,
    whole_stores,
    widest_with_room,
)
from petcheck.judging.rules.list_pets import each_is_accepted, is_200
from petcheck.judging.unfiltered import hidden_without_filter
from petcheck.spec.figures import LIMIT_MAX, LIMIT_MIN, STATUSES

# ---- LIST-7


def _of_the_status(exchange: Exchange, grounds: Grounds) -> Judgement:
    page = exchange.page
    if page is None or page.status not in STATUSES:
        return NOT_CONCERNED
    for place, animal in grounds.telling(page.placed):
        # PET-4 judges a value that is not a PetStatus
        if problem_of_pet_status(animal) is None and animal.get("status") != page.status:
            has = f"status {quoted(animal['status'])}" if "status" in animal else "no status"
            said = f"animal {quoted(animal.get('id'))} has {has}; expected only {quoted(page.status)}"
            return Problem(said, body(place, "status") if "status" in animal else body(place))
    return HOLDS if page.animals else NOT_CONCERNED


def _each_filter_shows_its_own(record: Record, grounds: Grounds) -> Decision:
    """For each status, a filtered page shows an animal, and has room for more than one: the first may be right."""
    shown = [page for page in pages_in(record) if page.status in STATUSES and page.animals]
    examined = tuple(page.exchange for page in shown)
    wide = {page.status for page in shown if page.asked != LIMIT_MIN}
    missing = [status for status in STATUSES if status not in wide]
    if not missing:
        return Held(examined)
    narrow = [status for status in missing if status in {page.status for page in shown}]
    unseen = [status for status in missing if status not in narrow]
    there = {str(animal.get("status")) for animal in known_in(record).values()}
    absent = [status for status in unseen if status not in there]
    reasons = []
    if narrow:
        reasons.append(f"Each page filtered by status {one_of([*map(quoted, narrow)])} was asked for with `limit` 1.")
    if unseen:
        step = _add(absent, grounds) if there or grounds.to_write else more(record)
        advice = f".{step}" if absent else "; see LIST-6."
        reasons.append(f"No page filtered by status {one_of([*map(quoted, unseen)])} showed an animal{advice}")
    otherwise = Undecided(" ".join(reasons), grounds.to_write if absent else None, examined)
    calls = [page_call(LIMIT_MAX, status) for status in missing if status not in absent]
    calls = [call for call in calls if not _asked_since(call, last_created(record), record)]
    return Ask(tuple(calls), otherwise) if calls else otherwise


# ---- LIST-8


def _nothing_left_out(record: Record, grounds: Grounds) -> Decision:
    """For each status, the filtered pages show exactly the animals that a page of the whole store shows with it."""
    if (hidden := hidden_without_filter(record, grounds)) is not None:
        return hidden
    whole = whole_stores(record)
    known = animals_in(page.exchange for page in whole)
    due = {status: {n for n, animal in known.items() if animal.get("status") == status} for status in STATUSES}
    lacking = [status for status in STATUSES if not due[status]]
    unfit = "The store may not fit on one page"
    if whole:
        unfit = f"While a page showed the whole store, no animal had status {one_of([*map(quoted, lacking)])}"
    nobody_can_tell = Undecided(
        f"{unfit}, so a filtered page may rightly leave animals out. Test a store of fewer than 20 animals."
    )
    if lacking and _grew(record):
        # a longer page can prove that an earlier one was whole, and can show animals of each status
        return Ask((_WIDE,), nobody_can_tell)
    if not whole:
        return nobody_can_tell
    parts = [_shows_all(status, due[status], record) for status in STATUSES if due[status]]
    # a store that held few animals at first may have outgrown its pages
    there = {str(animal.get("status")) for animal in known_in(record).values()}
    absent = [status for status in lacking if status not in there]
    if absent:
        names = one_of([*map(quoted, absent)])
        parts.append(Undecided(f"No animal with status {names} is listed.{_add(absent, grounds)}"))
    if len(absent) < len(lacking):
        parts.append(nobody_can_tell)
    return all_of(parts, grounds.to_write if absent else None)


def _grew(record: Record) -> bool:
    """Whether the run created animals after the latest unfiltered page with room for them."""
    wide = widest_with_room(record)
    return wide is not None and wide.exchange.sent < last_created(record)


def _shows_all(status: str, due: set[int], record: Record) -> Decision:
    """Whether each filtered page that is not full shows all of `due`, the ids with that status in the whole store."""
    pages = [page for page in pages_in(record) if page.by_status == status and page.has_room]
    latest = max((page.exchange.sent for page in pages), default=-inf)
    seen = {number for number in due if known_since(record, {number}) <= latest}
    last_of, animals = {page.limit: page for page in pages}, len(known_in(record))

    def proves(page: Page) -> bool:
        """A server may cut to a limit that is shorter than the store before it filters."""
        return page.asked is not None and page.asked >= animals

    shown = {number for page in pages if proves(page) for number in page.ids}
    gaps = ((page, _missing(page, seen, record) - (set() if proves(page) else shown)) for page in pages)
    lacking = [(page, missing) for page, missing in gaps if missing]
    by_limit = {_WIDEST: [], **grouped((page.limit if proves(page) else _WIDEST, (page, m)) for page, m in lacking)}
    decision = all_of(
        [
            _as_the_whole_store(status, seen, pages, rows, _as_lacking(page_call(limit, status), rows), record)
            for limit, rows in by_limit.items()
            if limit == _WIDEST or rows[-1][0] is last_of[limit]  # a page that shows them now needs no other look
        ]
    )
    # what is left out once stays left out, whatever is known by now
    if seen == due or isinstance(decision, Failed):
        return decision
    no_room = Undecided(f"No page filtered by status {quoted(status)} had room for all its animals; see LIST-6.")
    call = page_call(LIMIT_MAX, status)
    return no_room if _asked_since(call, known_since(record, due), record) else Ask((call,), no_room)


def _as_the_whole_store(
    status: str,
    due: set[int],
    pages: Sequence[Page],
    lacking: Sequence[tuple[Page, set[int]]],
    call: Call,
    record: Record,
) -> Decision:
    """Whether filtered pages lack none of `due`, once compared in a row with pages of the whole store.

    `lacking` are those with the limit of the `call` that lacked some.
    """
    examined = tuple(page.exchange for page in pages)
    if not lacking:
        return Held(examined)
    lacked = {n: page.exchange.finished for page, missing in reversed(lacking) for n in missing}
    wrongly = _wrongly(status, lacking, record)
    page, missing = lacking[0]
    changing = Undecided(
        f"{described(page.exchange)} left out animal {min(missing)}, but the list may change between requests, or show "
        "changes late, as a cache does. Run again.",
        doubtful=True,
    )
    ids = due | created_in(record).keys()
    three = pages_in_a_row(record, _WIDE, call, ids) or _newer_in_a_row(status, call, wrongly, record)
    again = Ask((_WIDE, call, _WIDE), changing, max(known_since(record, ids), *lacked.values()) + LAG_S)
    if three is None or (call.form is not None and three[1].exchange.request.form is not call.form):
        return again
    before, between, after = three
    both = ids_of_status(before, status) & ids_of_status(after, status)
    if not both:
        return changing
    if both <= set(between.ids):
        if any(page.exchange.sent > after.exchange.sent for page, _ in lacking):
            return again
        return Held((*examined, before.exchange, between.exchange, after.exchange))
    # the same cap may cut a page that is as long as the unfiltered one
    if between.size >= min(before.size, after.size):
        return changing
    left_out = _left_out(status, three, wrongly)
    if not left_out:
        recent = [wrongly[n] for n in both - set(between.ids) if n in wrongly and lacked[n] < wrongly[n]]
        return replace(again, not_before=max(recent) + LAG_S) if recent else changing
    return _failed(status, three, min(left_out))


def _wrongly(status: str, lacking: Sequence[tuple[Page, set[int]]], record: Record) -> Mapping[int, float]:
    """When the first page that wrongly lacked an animal came, by id, in monotonic seconds.

    One that was requested before the animal had that status lacked it rightly. Where other clients change statuses, one
    of theirs may have had another in between, which a filter may show late.
    """
    uncertain = _uncertain(record)
    return {
        n: page.exchange.finished
        for page, missing in reversed(lacking)
        for n in missing
        if n not in uncertain and status_known_since(record, n, status) <= page.exchange.sent
    }


def _find_uncertain(record: Record) -> set[int]:
    """The animals that answers show with different statuses and, if there are any, all that the run did not create."""
    every = {n: {sight.animal.get("status") for sight in sights} for n, sights in seen_in(record).items()}
    changing = {n for n, statuses in every.items() if len(statuses & set(STATUSES)) > 1}
    return changing and changing | (known_in(record).keys() - created_in(record).keys())


_uncertain = Once(_find_uncertain)


def _newer_in_a_row(
    status: str, call: Call, wrongly: Mapping[int, float], record: Record
) -> tuple[Page, Page, Page] | None:
    """The latest pages in a row that prove an animal left out, although newer animals are not known for long.

    These explain nothing if the first page is known to hold the whole store.
    """
    three = pages_in_a_row(record, _WIDE, call, ())
    if three is None or three[0] not in whole_stores(record) or not _left_out(status, three, wrongly):
        return None
    return three


def _failed(status: str, three: tuple[Page, Page, Page], number: int) -> Failed:
    before, between, after = three
    return Failed(
        f"{described(between.exchange)} left out animal {number}, which {described(before.exchange)} lists with "
        f"status {quoted(status)} (section 4.1).",
        (
            Proof(before.exchange, body(place_of(before, number))),
            Proof(between.exchange, BODY),
            Proof(after.exchange, BODY),
        ),
    )


def _left_out(status: str, three: tuple[Page, Page, Page], wrongly: Mapping[int, float]) -> set[int]:
    """The animals that the second of three pages leaves out, although the others list them with that status.

    Another page left them out `wrongly` at least `LAG_S` before.
    """
    before, between, after = three
    both = ids_of_status(before, status) & ids_of_status(after, status)
    missing = both - set(between.ids)
    return {n for n, last in wrongly.items() if n in missing and last + LAG_S <= before.exchange.sent}


def _as_lacking(call: Call, lacking: Sequence[tuple[Page, set[int]]]) -> Call:
    """The call in the form of the pages that lack animals, if only those with the parameters turned round do."""
    requests = [page.exchange.request for page, _ in lacking]
    as_asked = next((request.same for request in requests if request.call.query == call.query), call)
    return as_asked if all(request.form is Form.TURNED for request in requests) else call


def _missing(page: Page, due: set[int], record: Record) -> set[int]:
    """The animals of `due` that were known when a page was requested and are not on it."""
    return {n for n in due - set(page.ids) if known_since(record, {n}) <= page.exchange.sent}


def _asked_since(call: Call, moment: float, record: Record) -> bool:
    return any(exchange.sent >= moment for exchange in asked_with(record, *call.query))


# ---- what is missing, in words


def _add(statuses: Sequence[str], grounds: Grounds) -> str:
    """What the user can do; a run without permission to write names the option instead."""
    if grounds.to_write:
        return ""
    return " Add one of each to the store." if len(statuses) > 1 else " Add one to the store."


_WIDE, _WIDEST = page_call(LIMIT_MAX), str(LIMIT_MAX)

RULES = (
    Rule("LIST-6", partial(is_200, "LIST-6"), partial(each_is_accepted, "LIST-6", "status", STATUSES)),
    Rule("LIST-7", _of_the_status, _each_filter_shows_its_own),
    Rule("LIST-8", over=_nothing_left_out),
)
