"""Section 4.1: whether a page without a filter lacks animals that filtered pages show, as where a filter has a default.

Only a page that is known to hold the whole store can lack any, so the run may create one more animal to know it."""

from __future__ import annotations

from collections.abc import Mapping

from petcheck.call import Call, page_call
from petcheck.exchange import Page
from petcheck.judging.agree import pages_in_a_row
from petcheck.judging.creations import creations_in
from petcheck.judging.decision import Ask, Failed, Proof, Record, Undecided
from petcheck.judging.judgement import BODY, Grounds, body
from petcheck.judging.matchers import described, quoted
from petcheck.judging.pages import LAG_S, ids_of_status, known_since, pages_in, place_of, seen_in, whole_stores
from petcheck.spec.figures import LIMIT_MAX
from petcheck.words import plural


def hidden_without_filter(record: Record, grounds: Grounds) -> Failed | Ask | Undecided | None:
    """What is known of animals that only filtered pages show; None if there are none, or no page should show them.

    An animal counts that a filtered page showed before an unfiltered one which held the whole store, or meanwhile. Both
    are compared again in a row, `LAG_S` after each was first shown and first missing.
    """
    shown = {number for page in pages_in(record) if not page.filtered for number in page.ids}
    seen = seen_in(record)
    for status, only in _only_filtered(record, shown).items():
        for page in whole_stores(record):
            early = {number for number in only if seen[number][0].exchange.sent <= page.exchange.finished}
            if early:
                return _compared(status, early, page, record, grounds)
    return None


def _only_filtered(record: Record, shown: set[int]) -> Mapping[str, set[int]]:
    """The ids that filtered pages show and no unfiltered one has shown, by their status."""
    found: dict[str, set[int]] = {}
    for page in pages_in(record):
        if page.by_status is not None:
            found.setdefault(page.by_status, set()).update(ids_of_status(page, page.by_status) - shown)
    return {status: only for status, only in found.items() if only}


def _compared(
    status: str, hidden: set[int], lacking: Page, record: Record, grounds: Grounds
) -> Failed | Ask | Undecided:
    """The decision about animals that a page of the whole store lacks, once compared in a row with a filtered page."""
    call = page_call(LIMIT_MAX, status)
    number = min(hidden)
    changing = Undecided(
        f"{described(lacking.exchange)} does not show animal {number}, which a page filtered by status "
        f"{quoted(status)} shows, but the list may change between requests, or show changes late, as a cache does. "
        "Run again.",
        doubtful=True,
    )
    due = max(known_since(record, hidden), lacking.exchange.finished) + LAG_S
    three = pages_in_a_row(record, _WIDE, call, hidden)
    if three is None or three[0].exchange.sent < due:
        return Ask((_WIDE, call, _WIDE), changing, due)
    before, between, after = three
    left = hidden & set(between.ids) - {*before.ids, *after.ids}
    if not left:
        return changing
    proved = next((page for page in (before, after) if page in whole_stores(record)), None)
    if proved is None:
        post = one_more(after, record) if grounds.writes and after.has_room else None
        return changing if post is None else Ask((post, _WIDE), changing)
    first = min(left)
    return Failed(
        f"{described(proved.exchange)} left out animal {first}, which {described(between.exchange)} lists; the page "
        f"holds {plural(proved.size, 'animal')} of at most {proved.asked}{_all_alike(proved)} (section 4.1).",
        (
            Proof(before.exchange, BODY),
            Proof(between.exchange, body(place_of(between, first))),
            Proof(after.exchange, BODY),
        ),
    )


def one_more(page: Page, record: Record) -> Call | None:
    """The POST of an animal that the page shows once more: a longer page then proves that this one is whole."""
    posts = (one.exchange.request.call for one in reversed(creations_in(record)) if one.id in page.ids)
    return next(posts, None)


def _all_alike(page: Page) -> str:
    statuses = {quoted(animal.get("status")) for animal in page.animals}
    return f", all with status {statuses.pop()}" if len(statuses) == 1 and page.size > 1 else ""


_WIDE = page_call(LIMIT_MAX)
