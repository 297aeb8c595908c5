"""Searches for animals that refused POSTs have stored: a refused body must not be stored (sections 4.2 and 5).

An animal is identified by its name. Only a page that would have shown the animal proves that a POST stored none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf

from petcheck.call import page_call
from petcheck.exchange import Animal, Exchange, Page
from petcheck.grouping import grouped
from petcheck.json_values import Json, integer
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Record, Undecided
from petcheck.judging.judgement import STATUS, Grounds, body
from petcheck.judging.matchers import answer_text, described, quoted
from petcheck.judging.once import Once
from petcheck.judging.pages import LAG_S, containing, created_in, pages_in, that_would_show
from petcheck.spec.figures import LIMIT_MAX, STATUSES
from petcheck.spec.operations import Operation

_MEMBER = r"""["']{}["']\s*:\s*("(?:[^"\\]|\\.)*"|'[^']*'|[0-9]+)"""
_DIGITS_OF_A_RUN = 8


@dataclass(frozen=True, slots=True)
class Stored:
    """An animal with the name of a refused POST: the POST, the page that shows the animal, and its position there."""

    post: Exchange
    page: Page
    place: int
    animal: Animal


@dataclass(frozen=True, slots=True)
class Search:
    """What pages show about refused POSTs; each POST with a name is in one of these groups.

    `found` are animals that they stored. `doubtful` animals may be older than the run. `cleared` are POSTs with a page
    that would show their animal and does not. `stale` POSTs have one too, but it was requested too soon to count.
    `unseen` POSTs have none. POSTs without a name, or with a name that another POST may have stored, are ignored; those
    that repeat an earlier one need no further page.
    """

    found: tuple[Stored, ...] = ()
    doubtful: tuple[Stored, ...] = ()
    cleared: tuple[tuple[Exchange, Page], ...] = ()
    stale: tuple[Exchange, ...] = ()
    unseen: tuple[Exchange, ...] = ()


def stored(record: Record, posts: Collection[Exchange], grounds: Grounds) -> Search:
    """Search the pages after each of the refused `posts` for the animal that it may have stored."""
    pages, made = pages_in(record), created_in(record)
    sent = (e for e in record if e.request.operation is Operation.CREATE_PET)
    not_refused = {name_sent(e) for e in sent if not 400 <= e.heard.status < 500}
    found: list[Stored] = []
    doubtful: list[Stored] = []
    cleared: list[tuple[Exchange, Page]] = []
    stale: list[Exchange] = []
    unseen: list[Exchange] = []
    by_name = named_in(record)
    newest = {page.exchange.index: _newest(page, made) for page in pages}
    pages_by_status = {status: that_would_show(record, status) for status in {status_sent(post) for post in posts}}
    for post in posts:
        name = name_sent(post)
        if name is None or name in not_refused:
            continue
        named = by_name.get(name, ())
        own = _is_of_this_run(name, grounds)
        sights = (
            Stored(post, page, place, a)
            for page, place, a in named
            if page.exchange.sent >= post.finished and (own or _may_be_of(post, a))
        )
        older = {_id(a) for page, _, a in named if page.exchange.finished <= post.sent}
        new = next((s for s in sights if _id(s.animal) not in older and _id(s.animal) not in made), None)
        revealing = pages_by_status[status_sent(post)]
        after = revealing[bisect_left(revealing, post.finished, key=lambda page: page.exchange.sent) :]
        current = next((page for page in reversed(after) if _is_current(page, post, newest)), None)
        if new is not None:
            wholes = (page for page in pages if _names_run(name, grounds) and _was_whole(page, record))
            watched = any(page.exchange.finished <= post.sent for page in chain(revealing, wholes))
            (found if watched or own else doubtful).append(new)
        elif current is not None:
            cleared.append((post, current))
        elif post.again is None:
            (stale if after else unseen).append(post)
    return Search(tuple(found), tuple(doubtful), tuple(cleared), tuple(stale), tuple(unseen))


def nothing_stored(record: Record, posts: Collection[Exchange], grounds: Grounds, why: str) -> Decision:
    """Whether the refused `posts`, at least one, have stored nothing; `why` says what the document requires."""
    search = stored(record, posts, grounds)
    if search.found:
        return _failed(search, why)
    examined = tuple(dict.fromkeys(exchange for post, page in search.cleared for exchange in (post, page.exchange)))
    if search.doubtful:
        return _of_an_earlier_run(search.doubtful[0], examined, grounds)
    if not (search.stale or search.unseen):
        return Held(examined) if examined else Undecided("No refused POST sent a name that a page could show.")
    otherwise = Undecided(_left_open(search, len(posts)), None, examined)
    return _question(search, record, otherwise) or otherwise


def _left_open(search: Search, refused: int) -> str:
    if search.unseen:
        return (
            f"No page shows whether {_some(len(search.unseen), refused)} stored an animal, since the store may not fit "
            "on one page. Test a store of fewer than 20 animals."
        )
    return (
        f"The pages after {_some(len(search.stale), refused)} came within {LAG_S:g} s and may not show yet what was "
        "stored. Run again."
    )


def _some(number: int, refused: int) -> str:
    return f"{number} of {refused} refused POSTs" if refused > 1 else "the refused POST"


def _failed(search: Search, why: str) -> Failed:
    first = search.found[0]
    said = (
        f"{described(first.post)} returned {answer_text(first.post)} but stored an animal: "
        f"{described(first.page.exchange)} lists animal {quoted(first.animal.get('id'))}, "
        f"named {quoted(first.animal.get('name'))}. {why}."
    )
    posts = [Proof(one.post, STATUS) for one in search.found]
    on = [(one.page.exchange, one.place) for one in reversed(search.found)]
    pages = {page.index: Proof(page, body(place, "name")) for page, place in on}
    return Failed(said, (*posts, *pages.values()))


def _of_an_earlier_run(sight: Stored, examined: tuple[Exchange, ...], grounds: Grounds) -> Undecided:
    cause = (
        ": an earlier run with the same --seed may have created it. Run again without --seed." if grounds.run else "."
    )
    return Undecided(
        f"Animal {quoted(sight.animal.get('id'))} has the name of a refused POST, "
        f"{quoted(sight.animal.get('name'))}, but may be older than that POST{cause}",
        None,
        examined,
    )


def name_sent(post: Exchange) -> str | None:
    """The name of the animal that a POST would create; None if its body has none.

    The body may be an object, or text in which a careless parser may find one. A number becomes its digits.
    """
    return _sent(post, "name")


def status_sent(post: Exchange) -> str | None:
    """The status that this animal would certainly have; None unless it is one of the three."""
    status = _sent(post, "status")
    return status if status in STATUSES else None


def _sent(post: Exchange, member: str) -> str | None:
    sent = post.request.body
    if sent is None:
        return None
    value = post.request.parsed.value
    if isinstance(value, dict):
        return _text(next((value[name] for name in value if name.lower() == member), None))
    text = sent.decode(errors="replace").replace('\\"', '"')
    found = re.search(_MEMBER.format(member), text, re.IGNORECASE)
    return found[1].strip("\"'") if found else None


def _text(value: Json) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value)


def _id(animal: Animal) -> int | None:
    return integer(animal.get("id"))


def _is_of_this_run(name: str, grounds: Grounds) -> bool:
    """Whether only this run can have given that name: it contains the run's id, or is a long number."""
    long_number = name.isdecimal() and len(name) >= _DIGITS_OF_A_RUN
    return not grounds.repeats and (_names_run(name, grounds) or long_number)


def _names_run(name: str, grounds: Grounds) -> bool:
    return bool(grounds.run) and grounds.run in name


def _was_whole(page: Page, record: Record) -> bool:
    """Whether a page was the whole store, unless caps vary.

    What an earlier run stored with the name of a refused POST, and a cut left out, broke the rule then.
    """
    return page.has_room and not page.filtered and any(containing(record, page))


def _may_be_of(post: Exchange, animal: Animal) -> bool:
    """Whether a POST can have stored an animal of its name: an animal of another category is another client's."""
    value = post.request.parsed.value
    sent = integer(value.get("categoryId")) if isinstance(value, dict) else None
    return sent is None or integer(animal.get("categoryId")) == sent


def _named_in(record: Iterable[Exchange]) -> Mapping[str, Sequence[tuple[Page, int, Animal]]]:
    """The animals of the pages with their places, by name."""
    placed = ((page, place, animal) for page in pages_in(record) for place, animal in page.placed)
    return grouped((name, row) for row in placed if (name := _text(row[2].get("name"))) is not None)


named_in = Once(_named_in)


def _newest(page: Page, made: Mapping[int, Exchange]) -> float:
    """The monotonic time in seconds at which the newest animal of the run on a page was sent; -infinity if none."""
    return max((made[number].sent for number in page.ids if number in made), default=-inf)


def _is_current(page: Page, post: Exchange, newest: Mapping[int, float]) -> bool:
    """Whether a page is certainly newer than a POST: it came `LAG_S` later, or shows an animal created later."""
    return page.exchange.sent >= post.finished + LAG_S or newest[page.exchange.index] >= post.finished


def _question(search: Search, record: Record, otherwise: Undecided) -> Ask | None:
    """The pages that decide what a search leaves open; None if nothing is open or no page helps."""
    # the pages most likely to show them: one for each status sent, or without one
    calls = {page_call(LIMIT_MAX, status_sent(post)): None for post in search.stale or search.unseen}
    refused = max(post.finished for post in search.stale or search.unseen)
    if search.stale:
        return Ask(tuple(calls), otherwise, refused + LAG_S)
    looked = {page_call(page.limit, page.status) for page in pages_in(record) if page.exchange.sent >= refused}
    unseen = tuple(call for call in calls if call not in looked)
    return Ask(unseen, otherwise) if unseen else None
