"""Section 4.1: how long a page is.

If a page without `limit` is shorter than one with the default, they are compared again in a row."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from petcheck.call import Call, page_call
from petcheck.exchange import Exchange, Page, Response
from petcheck.judging.agree import pages_in_a_row
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Record, Rule, Undecided, all_of
from petcheck.judging.judgement import BODY, HOLDS, NOT_CONCERNED, Grounds, Judgement, Problem, body
from petcheck.judging.matchers import described, one_of, quoted, silence_text
from petcheck.judging.pages import (
    LAG_S,
    SMALLEST_CAP,
    asked_with,
    behind_in,
    known_in,
    known_since,
    lists_in,
    more,
    pages_in,
    pages_of,
    seen_in,
)
from petcheck.spec.figures import LIMIT_DEFAULT, LIMIT_MAX, LIMITS_NAMED, STATUSES
from petcheck.spec.operations import Operation
from petcheck.words import plural

_TOO_LONG = 9  # digits: no limit that a run asks for has more

# ---- one page; one that is not full says nothing about its longest length


def _no_longer_than_asked(by_limit: bool, exchange: Exchange, grounds: Grounds) -> Judgement:
    """Of pages that a `limit` bounds, or of those that the default does."""
    page = exchange.page
    if page is None or (page.limit is not None) is not by_limit or page.asked is None or page.size < page.asked:
        return NOT_CONCERNED
    allowed = (
        f"`limit` allows at most {page.asked}" if by_limit else f"without `limit` at most {page.asked} are allowed"
    )
    return _surplus(page.size, page.asked, allowed)


def _no_longer_than_the_maximum(exchange: Exchange) -> Judgement:
    page = exchange.page
    if page is not None:
        allowed = f"at most {LIMIT_MAX} are allowed, whatever `limit` is"
        return NOT_CONCERNED if page.size < LIMIT_MAX else _surplus(page.size, LIMIT_MAX, allowed)
    if not _asks_beyond(exchange) or exchange.status in (200, 401, 429):
        return NOT_CONCERNED
    if isinstance(exchange.answer, Response):
        return HOLDS  # to refuse more than 100 conforms too
    said = f"expected a page of at most {LIMIT_MAX} animals, or a refusal (section 4.1)"
    return Problem(f"{said}, got {silence_text(exchange)}")


def _surplus(size: int, most: int, allowed: str) -> Judgement:
    """A page that is too long is a problem; the part that shows it is its first animal beyond `most`."""
    return Problem(f"the page holds {plural(size, 'animal')}; {allowed}", body(most)) if size > most else HOLDS


def _asks_beyond(exchange: Exchange) -> bool:
    """Whether it is a request for a page of more than 100."""
    if exchange.request.operation is not Operation.LIST_PETS or not exchange.request.has_valid_key:
        return False
    match exchange.request.query:
        case [("limit", limit)]:
            return limit.isascii() and limit.isdecimal() and len(limit) <= _TOO_LONG and int(limit) > LIMIT_MAX
    return False


# ---- LIST-3


def _each_limit_bounds(record: Record, grounds: Grounds) -> Decision:
    """For each limit of 1, 20 and 100, there is a page that could have shown more animals than it may hold."""
    pages = [page for page in pages_in(record) if page.by_status or not page.filtered]
    behind = behind_in(record)
    decisive_pages = [p for p in pages if p.limit is not None and p.asked in LIMITS_NAMED and behind(p) > p.asked]
    examined = tuple(page.exchange for page in decisive_pages)
    missing = [limit for limit in LIMITS_NAMED if limit not in {page.asked for page in decisive_pages}]
    if not missing:
        return Held(examined)
    known = len(known_in(record))
    short = [str(limit) for limit in missing if limit >= known]
    unanswered = [limit for limit in missing if limit < known]
    option = grounds.to_write if missing == [1] else None
    reasons = []
    most = max((page.size for page in pages), default=known)
    if short and most < known and _are_capped(pages, record):  # more animals would not make its pages longer
        said = f"The longest page has {plural(most, 'animal')}, fewer than the run has seen"
        why = "the service may cap its pages or show changes late, or other clients may have removed some"
        reasons.append(f"{said}: {why}. So no page can show whether it obeys `limit` {one_of(short)}.")
    elif short:
        reasons.append(
            f"{_only(known)}; judging `limit` {one_of(short)} takes more animals than the limit.{more(record)}"
        )
    if unanswered:
        wanted = one_of([*map(str, unanswered)])
        reasons.append(
            f"No page with `limit` {wanted} was requested while more animals than that were known. Run again."
        )
    otherwise = Undecided(" ".join(reasons), option, examined)
    return Ask(tuple(page_call(limit) for limit in unanswered), otherwise) if unanswered else otherwise


def _are_capped(pages: Iterable[Page], record: Record) -> bool:
    """Whether an unfiltered page has room, and fewer animals than were known before; one seen later may be newer."""
    known = sorted(sights[0].exchange.finished for sights in seen_in(record).values())
    return any(
        SMALLEST_CAP <= page.size < bisect_right(known, page.exchange.sent)
        for page in pages
        if page.has_room and not page.filtered
    )


# ---- LIST-4


def _default_is_20(record: Record, grounds: Grounds) -> Decision:
    """A page without `limit` has as many animals as one with `limit=20`, without a filter and with one."""
    numbers = Counter(str(animal.get("status")) for animal in known_in(record).values())
    filters = sorted(STATUSES, key=lambda status: -numbers[status])
    filtered = {status: _default_of(status, record) for status in filters if numbers[status] > LIMIT_DEFAULT}
    enough = any(isinstance(part, Held) for part in filtered.values())
    # one filter that holds is enough; another one that is seen to differ is judged all the same
    parts = [
        part
        for status, part in filtered.items()
        if not enough or isinstance(part, Held) or _both_are_seen(status, record)
    ]
    return all_of([_default_of(None, record), *(parts or [_default_of(filters[0], record)])])


def _both_are_seen(status: str, record: Record) -> bool:
    """Whether pages with and without `limit=20` were returned for a status of which more animals were known."""
    behind = behind_in(record)
    enough = any(behind(page) > LIMIT_DEFAULT for page in pages_of(record, page_call(None, status)))
    return enough and bool(pages_of(record, page_call(LIMIT_DEFAULT, status)))


def _default_of(status: str | None, record: Record) -> Decision:
    default, explicit = page_call(None, status), page_call(LIMIT_DEFAULT, status)
    pages, behind = pages_of(record, default), behind_in(record)
    decisive_pages = [page for page in pages if behind(page) > LIMIT_DEFAULT]
    examined = tuple(page.exchange for page in decisive_pages)
    if any(page.size == LIMIT_DEFAULT for page in decisive_pages):
        return Held(examined)
    known = sum(status is None or animal.get("status") == status for animal in known_in(record).values())
    if known <= LIMIT_DEFAULT:
        return _short_of(status, known, pages, behind, record)
    of_status = f" with status {quoted(status)}" if status else ""
    if not decisive_pages:
        if any(e.status != 200 for e in asked_with(record, *default.query)):
            return _no_page(default, "LIST-6" if status else "LIST-1")
        late = f"was not requested while more than {LIMIT_DEFAULT} animals{of_status} were known. Run again."
        return Ask((default,), Undecided(f"GET {default.path} {late}"))
    twenties = pages_of(record, explicit)
    if not twenties:
        never = Undecided(f"GET {explicit.path} was not requested. Run again.")
        return Ask((explicit,), _no_page(explicit, "LIST-2") if asked_with(record, *explicit.query) else never)
    if decisive_pages[-1].size == twenties[-1].size:
        return Held((*examined, twenties[-1].exchange))
    return _compared(default, explicit, decisive_pages[-1], twenties[-1], record)


def _no_page(call: Call, requirement: str) -> Undecided:
    return Undecided(f"GET {call.path} returned no page to compare; see {requirement}.")


def _short_of(
    status: str | None, known: int, pages: Sequence[Page], behind: Callable[[Page], int], record: Record
) -> Decision:
    """At most 20 animals are known: a page without `limit` that leaves some out has fewer than one with `limit=20`."""
    animals, explicit = len(known_in(record)), page_call(LIMIT_DEFAULT, status)
    few = _only(animals) if animals <= LIMIT_DEFAULT else _only(known, f" with status {quoted(status)}")
    needed = f"judging the default page size needs more than {LIMIT_DEFAULT}.{more(record)}"
    undecided = Undecided(f"{few}; {needed}", None, tuple(page.exchange for page in pages))
    twenties = pages_of(record, explicit)
    if not pages or pages[-1].size >= behind(pages[-1]):
        return undecided
    if not twenties:
        return Ask((explicit,), undecided)
    if pages[-1].size >= twenties[-1].size:
        return undecided
    compared = _compared(page_call(None, status), explicit, pages[-1], twenties[-1], record)
    if isinstance(compared, Ask):
        return replace(compared, otherwise=undecided)
    return compared if isinstance(compared, Failed) else undecided


def _compared(default: Call, explicit: Call, page: Page, other: Page, record: Record) -> Decision:
    """Requests the pages again in the order A, B, A, once their animals and their sizes have been known for 10 s."""
    ids = {*page.ids, *other.ids}
    again = pages_in_a_row(record, default, explicit, ids)
    first, second = _first_of_each_size(record, default), _first_of_each_size(record, explicit)
    said = f"{described(page.exchange)} and {described(other.exchange)} return {page.size} and {other.size} animals"
    said += ", but the pages change between requests. Run again."
    changing = Undecided(said, examined=(page.exchange,), doubtful=True)
    if again is None:
        due = max(known_since(record, ids), first[page.size], second[other.size]) + LAG_S
        return Ask((default, explicit, default), changing, due)
    sizes = [one.size for one in again]
    lasted = max(first[sizes[0]], second[sizes[1]]) + LAG_S <= again[0].exchange.sent
    if sizes[0] != sizes[2] or sizes[0] == sizes[1] or not lasted:
        return changing
    return Failed(
        f"{described(again[0].exchange)} returned {sizes[0]} animals, {described(again[1].exchange)} returned "
        f"{sizes[1]}; the default `limit` is {LIMIT_DEFAULT} (section 4.1).",
        tuple(Proof(one.exchange, BODY) for one in again),
    )


def _first_of_each_size(record: Record, call: Call) -> Mapping[int, float]:
    """When the first page of each size was returned, in monotonic seconds."""
    return {page.size: page.exchange.finished for page in reversed(pages_of(record, call))}


# ---- LIST-5


def _never_over_100(record: Record, grounds: Grounds) -> Decision:
    """A request for more than 100 was refused, or got at most 100 although there are more."""
    examined = tuple(e for e in record if _no_longer_than_the_maximum(e) is not NOT_CONCERNED)
    beyond = [e for e in lists_in(record) if _asks_beyond(e) and e.status not in (401, 429)]
    if not beyond:
        # recorded traffic has no run that could send one
        advice = " To send one, run LIST-5 alone." if grounds.run else ""
        return Undecided(f"No request asked for more than {LIMIT_MAX} animals.{advice}", None, examined)
    behind = behind_in(record)
    decisive_pages = [page.exchange for page in pages_in(beyond) if behind(page) > LIMIT_MAX]
    if decisive_pages or any(exchange.status != 200 for exchange in beyond):
        return Held(tuple(dict.fromkeys((*examined, *decisive_pages))))
    known = len(known_in(record))
    few = f"{_only(known)}; a page that is too long needs more than {LIMIT_MAX}.{more(record)}"
    late = f"No request asked for more than {LIMIT_MAX} animals while as many were known. Run again."
    return Undecided(few if known <= LIMIT_MAX else late, None, examined)


# ---- what is missing, in words


def _only(number: int, whose: str = "") -> str:
    """The start of a sentence about too few animals."""
    if not number:
        return f"No animal{whose} is known"
    return f"Only {number} animal{'s' * (number > 1)}{whose} {'are' if number > 1 else 'is'} known"


RULES = (
    Rule("LIST-3", partial(_no_longer_than_asked, True), _each_limit_bounds),
    Rule("LIST-4", partial(_no_longer_than_asked, False), _default_is_20),
    Rule("LIST-5", lambda exchange, _: _no_longer_than_the_maximum(exchange), _never_over_100),
)
