"""Section 4.2: created animals that GET reads after that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from math import inf
from typing import TypeAlias

from petcheck.call import page_call, read_call
from petcheck.exchange import Exchange, Page
from petcheck.judging.absence import name_sent
from petcheck.judging.changed import changed_alike, unlike_created
from petcheck.judging.creations import (
    Creation,
    creations_in,
    listed_in,
    no_creation,
    not_found_since,
    read_in,
    read_sight,
    reads_in,
    reads_of,
    shared_in,
    still_listed,
    still_there,
)
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Record, Rule, Undecided
from petcheck.judging.judgement import STATUS, Grounds, body
from petcheck.judging.matchers import answer_text, described, quoted
from petcheck.judging.pages import LAG_S, Sight, animals_in, older_in, pages_of, whole_stores
from petcheck.spec.figures import LIMIT_MAX, REMOVAL_DAY
from petcheck.spec.operations import REMOVED, Operation

_Lost: TypeAlias = tuple[Creation, Sequence[Exchange]]
"""An animal of the run that GETs did not find, and these GETs."""


def _can_be_read(record: Record, grounds: Grounds) -> Decision:
    """A 404 counts if two or more animals of the run stay 404, or if a page still shows one."""
    if grounds.as_of >= REMOVAL_DAY:
        return Undecided(REMOVED, tried=False)
    creations = still_there(record)
    if not creations:
        return no_creation(record)
    by_id = read_in(record)
    reads = [(one, [e for e in by_id.get(one.id, ()) if one.is_before(e)]) for one in creations]
    seen = {one.id: reads_of(exchanges) for one, exchanges in reads}
    if (mixed := _mixed_up(record, seen, grounds)) is not None:
        return mixed
    changed, questions = unlike_created((one, seen[one.id]) for one in creations)
    if changed:
        return changed_alike(changed, seen, creations, grounds, read_call)
    if questions:
        return questions[0]
    shown = [sight.exchange for one in creations for sight in seen[one.id]]
    lost = [(one, x) for one, x in reads if any(e.status == 404 for e in x) and not any(map(read_sight, x))]
    if lost:
        return _is_lost(record, creations, lost, tuple(shown))
    since = ((one, not_found_since(x)) for one, x in reads)
    if (gone := next(filter(None, (_still_listed(record, *each) for each in since)), None)) is not None:
        return gone
    if shown:
        return _of_another(record, reads, tuple(shown)) or Held(tuple(shown))
    answers = [e for _, exchanges in reads for e in exchanges]
    if not answers:
        own = " that shares its id with no other one; see PET-5 for those that do" if shared_in(record) else ""
        return Undecided(f"No GET asked for a created animal{own}.")
    return Undecided(f"{described(answers[-1])} returned no animal ({answer_text(answers[-1])}); see GET-1.")


def _mixed_up(record: Record, seen: Mapping[int, Sequence[Sight]], grounds: Grounds) -> Failed | None:
    """A failure if an animal is shown with the name that the run gave to another one: nobody else knows it.

    A 201 that has the name of another one already breaks CREATE-2.
    """
    made = creations_in(record)
    names = [(one.id, name) for one in made if (name := name_sent(one.exchange)) is not None]
    own = {(number, name) for number, name in names if grounds.run and grounds.run in name}
    given = {name: number for number, name in own}
    own |= {(one.id, said) for one in made if isinstance(said := one.animal.get("name"), str)}
    for number, sights in seen.items():
        for sight in sights:
            shown = sight.animal.get("name")
            other = given.get(shown) if isinstance(shown, str) and (number, shown) not in own else None
            if other is not None and sight.animal.get("id") == number:
                said = f"shows animal {number} with the name of animal {other}, {quoted(shown)} (section 4.2)"
                return Failed(f"{described(sight.exchange)} {said}.", (sight.proof(),))
    return None


def _is_lost(
    record: Record, creations: Sequence[Creation], lost: Sequence[_Lost], shown: tuple[Exchange, ...]
) -> Decision:
    """The decision about animals whose GETs were all answered 404."""
    nothing = _nothing_is_read(record)
    if nothing is not None:
        return nothing
    late = _long_lost(record, lost)
    if len(late) > 1:
        if oldest_are_removed(record, creations, [one for one, _ in late]):
            return _oldest_removed(late, shown)
        if (older := _of_an_older_one(record, creations, late, shown)) is not None:
            return older
        if late[0][0].id not in listed_in(record):
            return _never_found(late[:2], creations)
    for one, x in lost:
        if (listed := _still_listed(record, one, [e for e in x if e.status == 404])) is not None:
            return listed
    first, reads = lost[0]
    vanished = _vanished(first, reads[-1], (*shown, *reads))
    if len(late) > 1:
        return _of_a_third(record, creations, late, vanished) or _never_found(late[:2], creations)
    return _of_one(record, creations, lost, late[0], vanished) if late else _early(record, creations, lost, vanished)


def _long_lost(record: Record, lost: Sequence[_Lost]) -> list[_Lost]:
    """The animals that were still 404 when every answer had to show them, those first that no page has shown."""
    late = [(one, [e for e in x if e.sent >= one.due and e.status == 404]) for one, x in lost]
    return sorted(((one, x) for one, x in late if x), key=lambda each: each[0].id in listed_in(record))


def _oldest_removed(late: Sequence[_Lost], shown: tuple[Exchange, ...]) -> Undecided:
    one, reads = late[0]
    return Undecided(
        f"{described(reads[-1])} returned 404, although {_creating(one)}; the service may remove "
        "its oldest animals, as others have vanished too. Test a store that keeps more animals.",
        examined=(*shown, *(e for _, x in late for e in x)),
        doubtful=True,
    )


def _of_an_older_one(
    record: Record, creations: Sequence[Creation], late: Sequence[_Lost], shown: tuple[Exchange, ...]
) -> Ask | None:
    """The GET that shows whether the oldest are removed, where the longest page may be cut; None if it was answered."""
    cut, since = _cut_off(record, creations, [one for one, _ in late]), min(x[0].finished for _, x in late)
    if not cut or any(e.sent >= since for number in cut for e in read_in(record).get(number, ())):
        return None
    return Ask((read_call(min(cut, key=cut.__getitem__)),), _oldest_removed(late, shown))


def _early(record: Record, creations: Sequence[Creation], lost: Sequence[_Lost], vanished: Undecided) -> Ask:
    """The requests that decide about animals whose GETs came before every answer had to show them."""
    gone, on_pages = [one for one, _ in lost], listed_in(record)
    absent = _off_the_last_page(record, creations, lost[0][1][0].sent)
    if all(one.id in on_pages for one in gone) and (len(gone) > 1 or absent is None):
        still = _listed_still(record, lost, vanished)
        if still is not None:
            return still
    # likeliest to be lost too is one that no page ever showed, then one that the last page lacks
    others = sorted((one for one in creations if one not in gone), key=lambda one: (one.id in on_pages, one != absent))
    asked = [*gone, *others][:2]
    return Ask(tuple(read_call(one.id) for one in asked), vanished, max(one.due for one in asked))


def _of_one(
    record: Record, creations: Sequence[Creation], lost: Sequence[_Lost], late: _Lost, vanished: Undecided
) -> Ask:
    """The requests that decide about `late`, the only one of the lost animals that was 404 late enough to count."""
    one, reads = late
    early = next((other for other, _ in lost if other != one), None)
    if early is not None:
        return Ask((read_call(early.id),), vanished, early.due)
    read = read_in(record)
    unread = [kin for kin in creations if kin.id not in read]
    beside = [kin for kin in unread if kin.exchange.burst is not None and kin.exchange.burst == one.exchange.burst]
    # a server may lose animals that were created at the same time, or one kind of animal
    alike = beside or [kin for kin in unread if kin.status == one.status]
    kin = _off_the_last_page(record, creations, reads[0].sent) or next(iter(alike), None)
    if kin is not None:
        return Ask((read_call(kin.id),), vanished, kin.due)
    # the pages that are most likely to show it
    pages = (page_call(LIMIT_MAX, status) for status in dict.fromkeys((None, one.status)))
    return Ask((*pages, read_call(one.id)), vanished, reads[0].finished + LAG_S)


def _of_another(
    record: Record, reads: Sequence[tuple[Creation, Sequence[Exchange]]], shown: tuple[Exchange, ...]
) -> Ask | None:
    """Whether another animal is lost, if one that was found no longer is; None if no page lacks another one."""
    missed = [(one, since) for one, x in reads if (since := not_found_since(x))]
    if not missed:
        return None
    one, since = missed[0]
    other = _off_the_last_page(record, [one for one, _ in reads], since[0].sent)
    vanished = _vanished(one, since[-1], (*shown, *since))
    return Ask((read_call(other.id),), vanished, other.due) if other else None


def _vanished(one: Creation, read: Exchange, examined: tuple[Exchange, ...]) -> Undecided:
    return Undecided(
        f"{described(read)} returned 404, although {_creating(one)}; another client may have removed it. Run again.",
        examined=examined,
        doubtful=True,
    )


def _listed_still(record: Record, lost: Sequence[_Lost], vanished: Undecided) -> Ask | None:
    """Whether the page that was the last to show one of the lost animals still does; None if that was asked.

    Pages have shown all of them.
    """
    last = {one.id: listed_in(record)[one.id][-1].exchange for one, _ in lost}
    one, reads = max(lost, key=lambda each: last[each[0].id].sent)
    page, again = last[one.id].request.call, min(e.finished for e in reads if e.status == 404) + LAG_S
    asked = any(e.exchange.sent >= again for e in pages_of(record, page))
    return None if asked else Ask((page, read_call(one.id)), vanished, again)


def _of_a_third(
    record: Record,
    creations: Sequence[Creation],
    late: Sequence[_Lost],
    vanished: Undecided,
) -> Ask | Undecided | None:
    """Whether a third animal is lost beside two, or pages still show one; None if a third is, or there is no other.

    Pages have shown the two, so that another client may have removed both. Likeliest to be lost is one that the last
    GET did not find, then one that the last page lacks, then the one that was created nearest to them.
    """
    gone = {one.id for one, _ in late}
    others = [one for one in creations if one.id not in gone]
    if len(late) > _FEW or not others:
        return None
    index, read = late[0][0].exchange.index, read_in(record)

    def unlikeliness(one: Creation) -> tuple[bool, bool, int]:
        found = not not_found_since(read.get(one.id, ()))
        return found, not _is_off_the_last(record, one), abs(one.exchange.index - index)

    third = min(others, key=unlikeliness)
    since = max(third.due, min(exchanges[0].sent for _, exchanges in late))
    asked = [e for e in read.get(third.id, ()) if e.sent >= since]
    if not asked:
        return Ask((read_call(third.id),), vanished, third.due)
    return None if asked[-1].status == 404 else _listed_still(record, late, vanished) or vanished


def _is_off_the_last(record: Record, one: Creation) -> bool:
    """Whether the last of the widest pages was read after an animal was created and lacks it."""
    last = pages_of(record, page_call(LIMIT_MAX))[-1:]
    return any(map(one.is_missing_on, last))


def _off_the_last_page(record: Record, creations: Sequence[Creation], gone: float) -> Creation | None:
    """An animal that the last page lacks, once another one is `gone`; None if a GET found any of them since then."""
    read = read_in(record)
    absent = [(one, read.get(one.id, ())) for one in creations if _is_off_the_last(record, one)]
    if any(e.sent >= gone and read_sight(e) for _, x in absent for e in x):
        return None
    return next((one for one, x in absent if not any(e.sent >= gone for e in x) and not not_found_since(x)), None)


_FEW = 2  # animals of a run that another client may remove


def oldest_are_removed(record: Record, creations: Sequence[Creation], lost: Sequence[Creation]) -> bool:
    """Whether lost animals may be the oldest of a store that holds only so many.

    Then none that is left is older, of those before the run or of the run, and others that pages have shown are gone:
    the last page of the whole store lacks them, or GET no longer finds one that the last of the longest pages lacks.
    """
    shown, read = animals_in(record).keys(), read_in(record)
    whole = whole_stores(record)[-1:]
    if any(shown - set(page.ids) and _lacks_the_older(record, page, creations, lost) for page in whole):
        return True
    cut = _cut_off(record, creations, lost)
    return any(e.sent >= since for number, since in cut.items() for e in not_found_since(read.get(number, ())))


def _cut_off(record: Record, creations: Sequence[Creation], lost: Sequence[Creation]) -> Mapping[int, float]:
    """The animals of others that are older than lost ones and that the last of the longest pages lacks.

    And when a page had shown each first. None if that page shows an animal that is older than lost ones, or if a GET
    still finds one of them.
    """
    widest = pages_of(record, page_call(LIMIT_MAX))[-1:]
    lacking = [page for page in widest if _lacks_the_older(record, page, creations, lost)]
    first = min(one.exchange.sent for one in lost)
    older = {number: since for number, since in _of_others(record).items() if since <= first}
    cut = {number: since for page in lacking for number, since in older.items() if number not in page.ids}
    return {} if any(_is_found_still(record, number, lost) for number in cut) else cut


def _is_found_still(record: Record, number: int, lost: Sequence[Creation]) -> bool:
    """Whether a GET finds an animal after another has missed a lost one."""
    read = read_in(record)
    missed = min((e.finished for one in lost for e in read.get(one.id, ()) if e.status == 404), default=inf)
    return any(e.sent >= missed and read_sight(e) for e in read.get(number, ()))


def _lacks_the_older(record: Record, page: Page, creations: Sequence[Creation], lost: Sequence[Creation]) -> bool:
    """Whether a page shows animals, and none that is older than lost ones.

    An animal of the run that the page lacks is not left, unless a GET still finds it.
    """
    others = [one for one in creations if one not in lost]
    left = [one for one in others if not one.is_missing_on(page) or _is_found_still(record, one.id, lost)]
    if not page.ids or any(one.exchange.finished <= each.exchange.sent for one in left for each in lost):
        return False
    return older_in(record).isdisjoint(page.ids)


def _of_others(record: Record) -> Mapping[int, float]:
    """The animals of pages that the run did not create, and when a page had shown each first, in monotonic seconds."""
    mine = {one.id for one in creations_in(record)}
    return {number: sights[0].exchange.finished for number, sights in listed_in(record).items() if number not in mine}


def _nothing_is_read(record: Record) -> Ask | Undecided | None:
    """The decision if GET finds none of the animals of other clients, which GET-1 judges; otherwise None."""
    others = _of_others(record)
    of_others = [(number, e) for number, e in reads_in(record) if number in others]
    if not others or any(read_sight(e) for _, e in of_others):
        return None
    # an id may have been read before its animal was there
    reads = [e for number, e in of_others if e.sent >= others[number]]
    undecided = Undecided(
        f"{Operation.GET_PET} found no animal that was there before the run; see GET-1.",
        examined=tuple(reads),
        doubtful=True,
    )
    return undecided if reads else Ask((read_call(next(iter(others))),), undecided)


def _never_found(late: Sequence[_Lost], creations: Sequence[Creation]) -> Failed:
    (lost, exchanges), (_, others) = late
    names = Counter(name_sent(one.exchange) for one in creations)
    shared = all(names[name_sent(one.exchange)] > 1 for one, _ in late)
    return Failed(
        f"{described(exchanges[-1])} still returned 404 {LAG_S:g} s after {_creating(lost)} "
        f"(section 4.2); also in {described(others[-1])}."
        + (
            f" {Operation.CREATE_PET} created another animal with the same name; a name may be taken more than once."
            if shared
            else ""
        ),
        tuple(chain.from_iterable((Proof(o.exchange, body("id")), Proof(x[-1], STATUS)) for o, x in late)),
        expected="200",
    )


def _creating(one: Creation) -> str:
    """How an animal was created, in words: a server may lose what it creates at the same time."""
    beside = "" if one.exchange.burst is None else ", at the same time as other requests,"
    return f"{Operation.CREATE_PET}{beside} created that animal"


def _still_listed(record: Record, one: Creation, lost: Sequence[Exchange]) -> Failed | None:
    """That a page still shows an animal 10 s after a GET did not, and that a GET after that does not either."""
    found = still_listed(record, one.id, lost)
    if found is None:
        return None
    read, page = found
    return Failed(
        f"{described(read)} still returned 404 {LAG_S:g} s after {_creating(one)}, although "
        f"{described(page.exchange)} lists it (section 4.2).",
        (Proof(one.exchange, body("id")), Proof(read, STATUS), page.proof()),
        expected="200",
    )


RULES = (Rule("CREATE-12", over=_can_be_read),)
