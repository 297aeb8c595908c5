"""Section 4.2: later answers about animals that a POST created, and about refused ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from petcheck.exchange import Animal, Call, Exchange, Page, page_call, read_call
from petcheck.judging.absence import name_sent, nothing_stored
from petcheck.judging.agree import agree
from petcheck.judging.creations import (
    Creation,
    Sight,
    creations_in,
    listed_in,
    not_found_since,
    posts_in,
    read_in,
    read_sight,
    reads_in,
    sights_on,
    still_there,
)
from petcheck.judging.judgement import (
    BODY,
    STATUS,
    Ask,
    Decision,
    Failed,
    Grounds,
    Held,
    Problem,
    Proof,
    Record,
    Rule,
    Undecided,
    body,
)
from petcheck.judging.matchers import answer_text, described, differences, quoted
from petcheck.judging.pages import LAG_S, SMALLEST_CAP, pages_in, whole_stores
from petcheck.spec.figures import LIMIT_MAX, REMOVAL_DAY
from petcheck.spec.operations import Operation

_CHANGING = "The animal changes between requests; another client may be changing it. Run again."
_CHANGED_ONCE = "One animal of the run differs from its 201, which another client may have changed. Run again."
_SHARED = "Each animal that the run created shares its id with another one; see PET-5."
_NO_ANIMAL = f"{Operation.CREATE_PET} created no animal that has an id; see CREATE-1 and PET-1."


# ---- CREATE-11


def _refused_is_not_stored(record: Record, grounds: Grounds) -> Decision:
    refused = [e for e in posts_in(record) if e.status == 400]
    if not refused:
        return Undecided("No POST with a valid key got 400, so this could not be checked.")
    return nothing_stored(record, refused, grounds, "A refused body must not be stored (section 4.2)")


# ---- CREATE-12


def _can_be_read(record: Record, grounds: Grounds) -> Decision:
    """A 404 counts if two or more animals of the run stay 404, or if a page still shows one."""
    if grounds.as_of >= REMOVAL_DAY:
        return Undecided(f"{Operation.GET_PET} was removed on {REMOVAL_DAY}.", tried=False)
    creations = still_there(record)
    if not creations:
        return Undecided(_SHARED if creations_in(record) else _NO_ANIMAL)
    by_id = read_in(record)
    reads = [(one, [e for e in by_id.get(one.id, ()) if _after(e, one)]) for one in creations]
    shown: list[Exchange] = []
    changed: list[_Changed] = []
    seen = {one.id: [sight for sight in map(read_sight, exchanges) if sight is not None] for one, exchanges in reads}
    if (mixed := _mixed_up(record, seen, grounds)) is not None:
        return mixed
    for one, _ in reads:
        sights = seen[one.id]
        decision = _as_created(one, sights)
        if isinstance(decision, _Changed):
            changed.append(decision)
        elif decision is not None and not changed:
            return decision
        shown += [sight.exchange for sight in sights]
    if changed:
        return _changed_alike(changed, seen, creations, grounds, read_call)
    lost = [(one, x) for one, x in reads if any(e.status == 404 for e in x) and not any(map(read_sight, x))]
    if lost:
        return _is_lost(record, creations, lost, tuple(shown))
    since = ((one, not_found_since(x)) for one, x in reads)
    if (gone := next(filter(None, (_still_listed(record, *each) for each in since)), None)) is not None:
        return gone
    if shown:
        return Held(tuple(shown))
    answers = [e for _, exchanges in reads for e in exchanges]
    if not answers:
        return Undecided("No GET asked for a created animal.")
    return Undecided(f"{described(answers[-1])} returned no animal ({answer_text(answers[-1])}); see GET-1.")


def _mixed_up(record: Record, seen: Mapping[int, Sequence[Sight]], grounds: Grounds) -> Failed | None:
    """A failure if an animal is shown with the name that the run gave to another one: nobody else knows it."""
    names = [(one.id, name) for one in creations_in(record) if (name := name_sent(one.exchange)) is not None]
    own = {(number, name) for number, name in names if grounds.run and grounds.run in name}
    given = {name: number for number, name in own}
    for number, sights in seen.items():
        for sight in sights:
            shown = sight.animal.get("name")
            other = given.get(shown) if isinstance(shown, str) and (number, shown) not in own else None
            if other is not None and sight.animal.get("id") == number:
                said = f"shows animal {number} with the name of animal {other}, {quoted(shown)} (section 4.2)"
                return Failed(f"{described(sight.exchange)} {said}.", (sight.proof(),))
    return None


def _is_lost(
    record: Record,
    creations: Sequence[Creation],
    lost: Sequence[tuple[Creation, Sequence[Exchange]]],
    shown: tuple[Exchange, ...],
) -> Decision:
    """The decision about animals whose GETs were all answered 404."""
    exchanges = lost[0][1]
    nothing = _nothing_is_read(record, creations)
    if nothing is not None:
        return nothing
    late = [(one, [e for e in x if e.sent >= _due(one) and e.status == 404]) for one, x in lost]
    late = [(one, x) for one, x in late if x]
    if len(late) > 1:
        return _never_found(late[:2])
    for one, x in late:
        if (listed := _still_listed(record, one, x)) is not None:
            return listed
    vanished = Undecided(
        f"{described(exchanges[-1])} returned 404, although {_creating(lost[0][0])}; another client may have removed "
        "it. Run again.",
        examined=(*shown, *exchanges),
    )
    if not late:
        gone = [one for one, _ in lost]
        asked = [*gone, *(one for one in creations if one not in gone)][:2]
        return Ask(tuple(read_call(one.id) for one in asked), vanished, max(map(_due, asked)))
    one, x = late[0]
    read = read_in(record)
    unread = [kin for kin in creations if kin.id not in read]
    beside = [kin for kin in unread if kin.exchange.burst is not None and kin.exchange.burst == one.exchange.burst]
    # a server may lose animals that were created at the same time, or one kind of animal
    alike = beside or [kin for kin in unread if kin.status == one.status]
    if alike:
        return Ask((read_call(alike[0].id),), vanished, _due(alike[0]))
    return Ask((*_pages_with(one), read_call(one.id)), vanished, x[0].finished + LAG_S)


def _nothing_is_read(record: Record, creations: Sequence[Creation]) -> Ask | Undecided | None:
    """The decision if GET finds none of the animals of other clients, which GET-1 judges; otherwise None."""
    mine = {one.id for one in creations}
    others = {number: None for number in listed_in(record) if number not in mine}
    reads = [e for number, e in reads_in(record) if number in others]
    if not others or any(map(read_sight, reads)):
        return None
    undecided = Undecided(f"{Operation.GET_PET} found no animal at all; see GET-1.", examined=tuple(reads))
    return undecided if reads else Ask((read_call(next(iter(others))),), undecided)


def _never_found(late: Sequence[tuple[Creation, Sequence[Exchange]]]) -> Failed:
    (lost, exchanges), (_, others) = late
    return Failed(
        f"{described(exchanges[-1])} still returned 404 10 s after {_creating(lost)} "
        f"(section 4.2); also in {described(others[-1])}.",
        tuple(chain.from_iterable((Proof(o.exchange, body("id")), Proof(x[-1], STATUS)) for o, x in late)),
        expected="200",
    )


def _creating(one: Creation) -> str:
    """How an animal was created, in words: a server may lose what it creates at the same time."""
    beside = "" if one.exchange.burst is None else ", at the same time as other requests,"
    return f"{Operation.CREATE_PET}{beside} created that animal"


def _still_listed(record: Record, one: Creation, lost: Sequence[Exchange]) -> Failed | None:
    """That a page still shows an animal 10 s after a GET did not, and that a GET after that does not either."""
    if not lost:
        return None
    pages = [s for s in listed_in(record).get(one.id, []) if s.exchange.sent >= lost[0].finished + LAG_S]
    after = [e for e in lost for s in pages if e.sent >= s.exchange.finished]
    return _found_on_a_page_only(one, after[-1], pages[-1]) if after else None


def _found_on_a_page_only(one: Creation, read: Exchange, page: Sight) -> Failed:
    return Failed(
        f"{described(read)} still returned 404 10 s after {_creating(one)}, although "
        f"{described(page.exchange)} lists it (section 4.2).",
        (Proof(one.exchange, body("id")), page.proof(), Proof(read, STATUS)),
        expected="200",
    )


# ---- CREATE-13


def _is_listed(record: Record, grounds: Grounds) -> Decision:
    """A missing animal counts if that page should show it and GET or another page still does."""
    creations = still_there(record)
    if not creations:
        return Undecided(_SHARED if creations_in(record) else _NO_ANIMAL)
    pages, listed = pages_in(record), listed_in(record)
    if (at_once := _alike_on_one_page(pages, creations)) is not None:
        return at_once
    questions: list[Ask] = []
    shown: list[Exchange] = []
    changed: list[_Changed] = []
    for one in creations:
        sights = [sight for sight in listed.get(one.id, ()) if _after(sight.exchange, one)]
        decision = _as_created(one, sights)
        if isinstance(decision, Ask):
            questions.append(decision)
        elif decision is not None:
            changed.append(decision)
        shown += [sight.exchange for sight in sights]
    if changed:
        again = changed[0].failed.proofs[-1].exchange.request.call
        return _changed_alike(changed, listed, creations, grounds, lambda _number: again)
    for page, missing in _without(pages, creations):
        proved = _is_missing(record, pages, page, missing, grounds)
        if isinstance(proved, Failed):
            return proved
        if proved is not None:
            questions.append(proved)
    if questions:
        return questions[0]
    if shown:
        return Held(tuple(dict.fromkeys(shown)))
    return Undecided("No page had room for the created animals. Test a store of fewer than 20 animals.")


def _alike_on_one_page(pages: Sequence[Page], creations: Sequence[Creation]) -> Failed | None:
    """That a page shows two animals of the run that differ alike from their 201; None if no page does.

    No lag explains values that never were, so it counts even if other pages are right.
    """
    made = {one.id: one for one in creations}
    for page in pages:
        seen = ((made.get(number), sight) for number, sight in sights_on(page))
        changed = (_difference(one, sight) for one, sight in seen if one is not None and _after(page.exchange, one))
        # another client may have sold both, but has no reason to take away their status
        of_others = (each for each in changed if each is not None)
        found = [one for one in of_others if "status" not in dict(one.ways) or ("status", "lost") in one.ways]
        if alike := _alike(found):
            return _all_changed(alike)
    return None


def _without(pages: Sequence[Page], creations: Sequence[Creation]) -> Iterator[tuple[Page, list[Creation]]]:
    """The latest answer to each request for a page that has room, with the animals missing from it."""
    latest = {page.exchange.request.url: page for page in pages}
    for page in latest.values():
        if not page.has_room or (page.filtered and page.by_status is None):
            continue
        shown = set(page.ids)
        missing = [
            one
            for one in creations
            if _after(page.exchange, one) and one.id not in shown and page.by_status in (None, one.status)
        ]
        if missing:
            yield page, missing


def _is_missing(
    record: Record, pages: Sequence[Page], page: Page, missing: Sequence[Creation], grounds: Grounds
) -> Failed | Ask | None:
    """What a page without some created animals proves; None for nothing."""
    one = missing[-1]
    vanished = Undecided(
        "The list does not show a created animal, which another client may have removed. Run again.",
        examined=(one.exchange, page.exchange),
    )
    again = page.exchange.request.call
    before = [p for p in pages if _same_request(p, page) and p.exchange.sent >= _due(one) and one.id not in p.ids]
    if page in whole_stores(record):
        listed = listed_in(record)
        never = [each for each in missing if each.id not in listed]
        late = [each for each in never if page.exchange.sent >= _due(each)]
        reads = grounds.as_of < REMOVAL_DAY
        found = [sight for e in read_in(record).get(one.id, ()) if (sight := read_sight(e)) is not None]
        read = next((sight.exchange for _, sight, _ in agree(before, found)), None)
        # an animal that has vanished itself proves nothing about the list
        if page.exchange.sent >= _due(one) and (read is not None or (len(late) > 1 and not reads)):
            return _left_out(page, one, read)
        calls = (again, read_call(one.id), again) if reads else (again,)
        return Ask(calls, vanished, _due(one))
    older = {n for other in pages if not _after(other.exchange, one) for n in other.ids if n != one.id}
    beside = [other for other in pages if _shows_it_beside(other, page, one, older)]
    if not beside:
        # a different request for the same animals, which no cache has seen; one is enough
        asked_before = any(_same_request(other, page) and not _after(other.exchange, one) for other in pages)
        fresh = page_call(LIMIT_MAX - 1, page.by_status)
        sent = {other.exchange.request.call for other in pages if _after(other.exchange, one)}
        return Ask((fresh,), vanished) if asked_before and fresh not in sent else None
    if any(agree(before, beside)):
        return _left_out(page, one, beside[-1].exchange)
    return Ask((again, beside[-1].exchange.request.call, again), vanished, _due(one))


def _shows_it_beside(other: Page, page: Page, one: Creation, older: set[int]) -> bool:
    """Whether another page, asked for no longer, shows an animal and none of `older` that `page` lacks.

    Then `page` has room for it. One of 20 animals or more may be cut, unless another one holds all of them and more:
    each request may have its own order.
    """
    if other.asked is None or page.asked is None or other.asked > page.asked:
        return False
    if page.size >= SMALLEST_CAP and not (other.size > page.size and set(page.ids) <= set(other.ids)):
        return False
    return (
        one.id in other.ids
        and (other.by_status, other.filtered) == (page.by_status, page.filtered)
        and set(other.ids) & older <= set(page.ids)
    )


def _left_out(page: Page, one: Creation, beside: Exchange | None) -> Failed:
    shown = f", although {described(beside)} shows it" if beside is not None else ""
    return Failed(
        f"10 s after {Operation.CREATE_PET} created animal {one.id}, {described(page.exchange)} left it out{shown}; "
        f"the page holds {page.size} of at most {page.asked} animals (section 4.2).",
        (
            Proof(one.exchange, body("id")),
            *(Proof(exchange, BODY) for exchange in (page.exchange, beside) if exchange is not None),
        ),
    )


# ---- both


@dataclass(frozen=True, slots=True)
class _Changed:
    """A created animal that stays different from its 201, in which `ways`, and the failure if that is the server."""

    one: Creation
    ways: frozenset[tuple[str, str]]
    texts: list[str]
    failed: Failed


def _as_created(one: Creation, sights: Sequence[Sight]) -> _Changed | Ask | None:
    """What an animal shows that differs from its 201; None if nothing does.

    A difference counts if the latest two sights share it, and the last is `LAG_S` after the POST.
    """
    last = sights[-1] if sights else None
    changed = None if last is None else _difference(one, last)
    if last is None or changed is None:
        return None
    before = _difference(one, sights[-2]) if len(sights) > 1 else None
    if before is not None and before.texts == changed.texts and last.exchange.sent >= _due(one):
        return changed
    changing = Undecided(_CHANGING, examined=(one.exchange, last.exchange))
    return Ask((last.exchange.request.call,), changing, _due(one))


def _difference(one: Creation, sight: Sight) -> _Changed | None:
    """How a sight of an animal differs from its 201; None if it does not."""
    problems = _changes(one, sight)
    if not problems:
        return None
    failed = Failed(
        f"{described(sight.exchange)} does not match the 201 for animal {one.id}: "
        f"{'; '.join(problem.text for problem in problems)} (section 4.2).",
        (Proof(one.exchange, problems[0].part), sight.proof(problems[0])),
    )
    ways = frozenset(chain.from_iterable(_ways(problem, one.animal, sight.animal) for problem in problems))
    return _Changed(one, ways, [p.text for p in problems], failed)


def _ways(problem: Problem, made: Animal, shown: Animal) -> Iterator[tuple[str, str]]:
    """How a member changed: animals that changed alike have one of these in common."""
    member = problem.part.rpartition("/")[2] if problem.part != BODY else "status"
    yield member, problem.text
    before, after = made.get(member), shown.get(member)
    if after is None:
        yield member, "lost"
    elif isinstance(before, int) and isinstance(after, int):
        yield from ((member, f"{after - before:+d}"), (member, f"always {after}"))
        yield member, "the id" if after == shown.get("id") else problem.text
    elif isinstance(before, str) and isinstance(after, str) and member != "status":
        same = {
            "cut": before.startswith(after),
            "longer": after.startswith(before) or after.endswith(before),
            "trimmed": before.strip() == after,
            "case": before.lower() == after.lower(),
        }
        yield from ((member, way) for way, is_so in same.items() if is_so)


def _changed_alike(
    changed: Sequence[_Changed],
    sights: Mapping[int, Sequence[Sight]],
    creations: Sequence[Creation],
    grounds: Grounds,
    look: Callable[[int], Call],
) -> Decision:
    """The decision about animals that stay different from their 201; `sights` are those of all animals.

    Another client may change some, so it counts only if two of the run changed alike.
    If no other one was looked at, one is; otherwise the same body is posted once more. `look` is the request that shows
    an animal.
    """
    first = changed[0]
    others = [one for one in creations if one.id != first.one.id]
    late = {one.id: [s for s in sights.get(one.id, ()) if s.exchange.sent >= _due(one)] for one in others}
    looked = [(one, late[one.id][-1]) for one in others if late[one.id]]
    found = [first, *(each for one, sight in looked if (each := _difference(one, sight)) is not None)]
    if alike := _alike(found):
        return _all_changed(alike)
    undecided = Undecided(_CHANGED_ONCE, examined=tuple(proof.exchange for proof in first.failed.proofs))
    sent = first.one.exchange.request.body
    twin = next((one for one in reversed(others) if one.exchange.request.body == sent), None)
    unseen = [one for one in others if not late[one.id]]
    if twin is None and unseen and len(unseen) == len(others):
        # one without a status has less to differ in
        like = max(unseen, key=lambda one: (one.status is None) is (first.one.status is None))
        return Ask((look(like.id),), undecided, _due(like))
    if twin is None and grounds.writes:
        return Ask((Call(Operation.CREATE_PET, body=sent),), undecided)
    return Ask((look(twin.id),), undecided, _due(twin)) if twin in unseen and twin is not None else undecided


def _alike(found: Sequence[_Changed]) -> Sequence[_Changed]:
    """Those of the changed animals that changed in one way, at least two."""
    number = Counter(way for each in found for way in each.ways)
    known = {way for way, times in number.items() if times > 1}
    return [each for each in found if each.ways & known]


def _all_changed(changed: Sequence[_Changed]) -> Failed:
    """One failure for all animals that are shown differently; the first describes it."""
    first, *others = changed
    numbers = [str(other.one.id) for other in others]
    also = f"; also animal{'s' * (len(numbers) > 1)} {', '.join(numbers)}." if numbers else "."
    proofs = tuple(chain.from_iterable(each.failed.proofs for each in changed))
    return replace(first.failed, text=first.failed.text.removesuffix(".") + also, proofs=proofs)


def _changes(one: Creation, sight: Sight) -> list[Problem]:
    """How an animal differs from the 201; a default status may show later than the 201."""
    made = one.animal if "status" in one.animal else {**one.animal, "status": sight.animal.get("status")}
    made = {name: value for name, value in made.items() if name != "status" or value is not None}
    return differences(made, sight.animal)


def _after(exchange: Exchange, one: Creation) -> bool:
    return exchange.sent >= one.exchange.finished


def _due(one: Creation) -> float:
    """When every answer must show an animal, in monotonic seconds."""
    return one.exchange.finished + LAG_S


def _same_request(page: Page, other: Page) -> bool:
    return page.exchange.request.url == other.exchange.request.url


def _pages_with(one: Creation) -> tuple[Call, ...]:
    """The pages that are most likely to show an animal."""
    return tuple(page_call(LIMIT_MAX, status) for status in dict.fromkeys((None, one.status)))


RULES = (
    Rule("CREATE-11", "No POST was refused.", over=_refused_is_not_stored),
    Rule("CREATE-12", "No GET asked for a created animal.", over=_can_be_read),
    Rule("CREATE-13", "No page shows a created animal.", over=_is_listed),
)
