"""Section 4.2: created animals on the pages of `GET /pets` after that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from petcheck.call import Call, page_call, read_call
from petcheck.exchange import Exchange, Page
from petcheck.judging.agree import agree
from petcheck.judging.changed import changed_alike, difference, failed_alike, unlike_created
from petcheck.judging.creations import Creation, listed_in, no_creation, read_in, reads_of, still_there
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Record, Rule, Undecided
from petcheck.judging.judgement import BODY, Grounds, body
from petcheck.judging.matchers import described
from petcheck.judging.pages import LAG_S, SMALLEST_CAP, order_varies, pages_in, seen_in, sights_in, whole_stores
from petcheck.judging.rules.created_pets_read import oldest_are_removed
from petcheck.judging.unlisted import on_no_page
from petcheck.spec.figures import LIMIT_MAX, REMOVAL_DAY
from petcheck.spec.operations import Operation


def _is_listed(record: Record, grounds: Grounds) -> Decision:
    """A missing animal counts if that page should show it and GET or another page still does."""
    creations = still_there(record)
    if not creations:
        return no_creation(record)
    pages, listed = pages_in(record), listed_in(record)
    alike = _alike_on_one_page(pages, creations)
    if isinstance(alike, Failed):
        return alike
    seen = {one.id: [sight for sight in listed.get(one.id, ()) if one.is_before(sight.exchange)] for one in creations}
    changed, questions = unlike_created((one, seen[one.id]) for one in creations)
    if changed:
        again = changed[0].failed.proofs[1].exchange.request.call
        statuses = {one.id: one.status for one in creations}

        def look(number: int) -> Call:
            # a filtered page never shows an animal of another status
            return again if dict(again.query).get("status") in (None, statuses[number]) else page_call(LIMIT_MAX)

        return changed_alike(changed, listed, creations, grounds, look)
    if alike is not None:
        questions.append(alike)
    if (once := _left_out_once(record, creations)) is not None:
        return once
    for page, missing in _without(pages, creations):
        proved = _is_missing(record, page, missing, grounds)
        if isinstance(proved, Failed):
            return proved
        if proved is not None:
            questions.append(proved)
    hidden = on_no_page(record, creations, grounds)
    if isinstance(hidden, tuple):
        return _left_out(*hidden)
    if hidden is not None:
        questions.append(hidden)
    if questions:
        return questions[0]
    if any(seen.values()):
        return Held(tuple(dict.fromkeys(sight.exchange for one in creations for sight in seen[one.id])))
    return Undecided("No page had room for the created animals. Test a store of fewer than 20 animals.")


def _alike_on_one_page(pages: Sequence[Page], creations: Sequence[Creation]) -> Failed | Ask | None:
    """Whether a page shows two animals of the run that differ alike from their 201; None if no page does.

    It counts even if other pages are right, but only from `LAG_S` on: what is shown may be stored in several steps.
    """
    made = {one.id: one for one in creations}
    early: dict[str, tuple[Failed, float]] = {}
    for page in pages:
        url, sent = page.exchange.request.url, page.exchange.sent
        seen = ((made.get(number), sight) for number, sight in sights_in(page.exchange))
        differences = (
            difference(one, sight) for one, sight in seen if one is not None and one.is_before(page.exchange)
        )
        # another client may have sold both, but has no reason to take away their status
        changed = [
            each
            for each in differences
            if each and ("status" not in dict(each.ways) or ("status", "lost") in each.ways)
        ]
        alike = failed_alike(changed)
        if alike is None:
            if url in early and sent >= early[url][1]:
                del early[url]
            continue
        due = max(each.one.due for each in changed)
        if sent >= due:
            return alike
        early[url] = alike, due
    return next((_again(alike, due) for alike, due in early.values()), None)


def _again(alike: Failed, due: float) -> Ask:
    page = alike.proofs[1].exchange
    reason = f"{alike.text} It may be shown late. Run again."
    return Ask((page.request.call,), Undecided(reason, examined=(page,), doubtful=True), due)


def _without(pages: Sequence[Page], creations: Sequence[Creation]) -> Iterator[tuple[Page, list[Creation]]]:
    """The latest answer to each request for a page that has room, with the animals missing from it; longest first.

    A long page is most likely the whole store, and proves the most.
    """
    latest = {page.exchange.request.url: page for page in pages}
    for page in sorted(latest.values(), key=lambda page: page.asked or page.size, reverse=True):
        if not page.has_room or (page.filtered and page.by_status is None):
            continue
        if missing := _lacking(page, creations):
            yield page, missing


def _lacking(page: Page, creations: Sequence[Creation]) -> list[Creation]:
    """The animals that a page lacks, although they were created before and its filter selects them."""
    return [one for one in creations if page.by_status in (None, one.status) and one.is_missing_on(page)]


def _left_out_once(record: Record, creations: Sequence[Creation]) -> Failed | None:
    """That pages of the whole store left out an animal which an answer between them shows, whatever pages show now."""
    seen = seen_in(record)
    late = [one for one in creations if seen[one.id][-1].exchange.sent >= one.due]  # pragma: no mutate - saves work
    for page in whole_stores(record):
        for one in _lacking(page, late):
            if (between := _shown_between(record, _gap(record, page, one))) is not None:
                return _left_out(page, one, between)
    return None


def _shown_between(record: Record, gap: _Gap) -> Exchange | None:
    """An answer that shows the animal between two that lack it and count; None without one."""
    # another client may have removed it, and a third one's animal may have its id
    sights = [sight for sight in seen_in(record)[gap.one.id] if difference(gap.one, sight) is None]
    return next((sight.exchange for _, sight, _ in agree(gap.counted, sights)), None)


@dataclass(frozen=True, slots=True)
class _Gap:
    """A page that lacks an animal of the run, and what is known about that.

    `same` are the answers to the same request. Those from `due` on count: another client may have removed it when the
    first of them lacked it, and what still shows it may lag.
    """

    page: Page
    one: Creation
    same: Sequence[Page]
    due: float

    @property
    def counted(self) -> Sequence[Page]:
        """The answers to the same request that lack it and count."""
        return [page for page in self.same if page.exchange.sent >= self.due and self.one.id not in page.ids]


def _is_missing(record: Record, page: Page, missing: Sequence[Creation], grounds: Grounds) -> Failed | Ask | None:
    """What a page without some created animals proves; None for nothing."""
    gap = _gap(record, page, missing[-1])
    if page in whole_stores(record):
        return _missing_in_the_whole_store(record, gap, missing, grounds)
    return None if order_varies(record) else _missing_beside(record, gap)


def _vanished(record: Record, page: Page, one: Creation) -> Undecided:
    """The decision if nothing explains the gap."""
    listed, reads = listed_in(record).get(one.id, ()), reads_of(read_in(record).get(one.id, ()))
    seen_since = any(sight.exchange.finished > page.exchange.sent for sight in (*listed, *reads))
    late = seen_since or page.exchange.sent < one.due
    why = "it may be shown late, as by a cache" if late else "another client may have removed it"
    why += ", or the service may cut a page before it filters" * page.filtered
    return Undecided(
        f"{described(page.exchange)} does not show animal {one.id}, which {Operation.CREATE_PET} created; {why}. "
        "Run again.",
        examined=(one.exchange, page.exchange),
        doubtful=True,
    )


def _gap(record: Record, page: Page, one: Creation) -> _Gap:
    until = [other for other in pages_in(record) if other.exchange.sent <= page.exchange.sent]
    same = [other for other in until if other.exchange.request.url == page.exchange.request.url]
    # this page may have lacked it when it was new; it was there as long as any request showed it that now lacks it
    latest = {other.exchange.request.url: other for other in until}
    gone_from = {url for url, other in latest.items() if other.has_room and one.id not in other.ids}
    shown = max(
        (p.exchange.sent for p in until if one.id in p.ids and p.exchange.request.url in gone_from),
        default=one.exchange.finished,
    )
    lacking = (p.exchange.finished for p in same if p.exchange.sent >= shown and one.id not in p.ids)
    gone = min([page.exchange.finished, *lacking])  # pages that overlap may be without an order
    return _Gap(page, one, same, max(one.due, gone + LAG_S))


def _missing_in_the_whole_store(
    record: Record, gap: _Gap, missing: Sequence[Creation], grounds: Grounds
) -> Failed | Ask:
    """The decision about a page that is known to hold the whole store; one that has vanished itself proves nothing."""
    page, one, again = gap.page, gap.one, gap.page.exchange.request.call
    vanished = _vanished(record, page, one)
    if grounds.as_of < REMOVAL_DAY:
        return Ask((again, read_call(one.id), again), vanished, gap.due)
    never = [each for each in missing if each.id not in listed_in(record)]
    overdue = [each for each in never if page.exchange.sent >= each.due]
    if len(overdue) > 1 and not oldest_are_removed(record, still_there(record), overdue):
        return _left_out(page, one, None)
    return Ask((again,), vanished, one.due)


def _missing_beside(record: Record, gap: _Gap) -> Failed | Ask | None:
    """The decision about a page that may not hold the whole store, beside others that show the animal."""
    page, one, again, pages = gap.page, gap.one, gap.page.exchange.request.call, pages_in(record)
    vanished = _vanished(record, page, one)
    older = {n for other in pages if not one.is_before(other.exchange) for n in other.ids if n != one.id}
    beside = [other for other in pages if _shows_it_beside(other, page, one, older)]
    if not beside:
        # a different request for the same animals, which no cache has seen; one is enough
        asked_before = not all(one.is_before(other.exchange) for other in gap.same)
        fresh = page_call(LIMIT_MAX - 1, page.by_status)
        sent = {other.exchange.request.call for other in pages if one.is_before(other.exchange)}
        return Ask((fresh,), vanished) if asked_before and fresh not in sent else None
    if any(agree(gap.counted, beside)):
        return _left_out(page, one, beside[-1].exchange)
    return Ask((again, beside[-1].exchange.request.call, again), vanished, gap.due)


def _shows_it_beside(other: Page, page: Page, one: Creation, older: set[int]) -> bool:
    """Whether a page of another request, asked for no longer, shows an animal, and `page` has room for it.

    A page of 20 animals or more may be cut, unless another one holds all of them and more: each request may have its
    own order. A cut leaves out what comes last, some of `older` with it.
    """
    if other.asked is None or page.asked is None or other.asked > page.asked:
        return False
    if other.exchange.request.url == page.exchange.request.url:
        return False
    holds_all = set(other.ids).issuperset(page.ids)
    if page.size >= SMALLEST_CAP and not holds_all:
        return False
    may_be_cut = not holds_all or other.ids[: len(page.ids)] == page.ids
    return (
        one.id in other.ids
        and (other.by_status, other.filtered) == (page.by_status, page.filtered)
        and not (may_be_cut and set(other.ids) & older - set(page.ids))
    )


def _left_out(page: Page, one: Creation, beside: Exchange | None) -> Failed:
    shown = f", although {described(beside)} shows it" if beside is not None else ""
    return Failed(
        f"{LAG_S:g} s after {Operation.CREATE_PET} created animal {one.id}, {described(page.exchange)} left it out"
        f"{shown}; the page holds {page.size} of at most {page.asked} animals (section 4.2).",
        (
            Proof(one.exchange, body("id")),
            *(Proof(exchange, BODY) for exchange in (page.exchange, beside) if exchange is not None),
        ),
    )


RULES = (Rule("CREATE-13", over=_is_listed),)
