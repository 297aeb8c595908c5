"""Section 4.3: get an animal (deprecated, removed on 5 December 2030)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import inf

from petcheck.call import Call, read_call
from petcheck.exchange import Animal, Exchange
from petcheck.json_values import integer
from petcheck.judging.agree import agree
from petcheck.judging.apply import sentence
from petcheck.judging.creations import (
    creations_in,
    listed_in,
    not_found_since,
    read_in,
    read_sight,
    reads_in,
    reads_of,
    shared_in,
    still_listed,
)
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Record, Rule, Undecided
from petcheck.judging.judgement import HOLDS, NOT_CONCERNED, STATUS, Grounds, Judgement, Problem, body
from petcheck.judging.matchers import answer_text, described, differences, problem_of_int64, quoted
from petcheck.judging.pages import LAG_S, Sight, more
from petcheck.judging.statuses import UNKNOWN_ID, answered, problem_of_status
from petcheck.spec.figures import LIMIT_MAX, PET_FIELDS, REMOVAL_DAY
from petcheck.spec.operations import REMOVED, Operation

_problem_of_id = partial(problem_of_int64, "a Pet", "id")
_TRIED = 3
# 32-bit arithmetic drops it, and a double holds it with each even id; the id is negative then and no "safe integer",
# and a route or a validator may refuse either
_WRAPPED = -(2**54)
_NEAR = 2**32  # a store may have given out so many ids one after the other
# a step to an id that is unrelated to the one before
_STEP, _LOWEST, _SPAN = 0x9E3779B97F4A7C15, 2**40, 2**61


def _until_removal(over: Callable[[Record, Grounds], Decision], record: Record, grounds: Grounds) -> Decision:
    if grounds.as_of < REMOVAL_DAY:
        return over(record, grounds)
    return Undecided(REMOVED, tried=False)


# ---- GET-1


def _existing_is_found(record: Record, grounds: Grounds) -> Decision:
    """A 404 counts for an animal that pages show before and after, or still show, or that is found again later.

    CREATE-12 judges one that the run created and that stays 404.
    """
    listed, reads = listed_in(record), read_in(record)
    mine = {one.id for one in creations_in(record)}
    held = tuple(e for exchanges in reads.values() for e in exchanges if answered("GET-1", e, grounds) is HOLDS)
    missed = next(filter(None, (_missed_once(exchanges, held) for exchanges in reads.values())), None)
    if missed is not None:
        return missed
    gone = {n: not_found_since(x) for n, x in reads.items() if n in listed and n not in mine}
    never = ((n, _once_shown(listed[n], x)) for n, x in gone.items() if len(x) == len(reads[n]))
    lost = {n: x for n, x in never if x}
    for number, exchanges in gone.items():
        found = still_listed(record, number, exchanges) or _listed_before_and_after(exchanges, listed[number])
        if found is not None:
            read, shown = found
            return Failed(
                f"{described(read)}: {problem_of_status(read, '200').text}, although "
                f"{described(shown.exchange)} lists that animal.",
                (Proof(read, STATUS), shown.proof()),
                expected="200",
            )
    once = [number for number, exchanges in lost.items() if len(exchanges) == 1]
    if held and not once:
        return Held(held)
    if lost:
        return _whether_another_client_removed(lost, once, held, record)
    if reads and (listed or mine):
        last = [e for x in reads.values() for e in x][-1]
        return Undecided(f"{described(last)} returned {answer_text(last)}, which says nothing about a listed animal.")
    nothing = "No page lists an animal that could be read by its id."
    return Undecided(nothing, grounds.to_write) if grounds.to_write else Undecided(f"{nothing}{more(record)}")


def _once_shown(sights: Sequence[Sight], reads: Sequence[Exchange]) -> list[Exchange]:
    """The reads of an animal that a page had shown before; another client may have created it after the others."""
    return [read for read in reads if read.sent >= sights[0].exchange.finished]


def _whether_another_client_removed(
    lost: Mapping[int, Sequence[Exchange]], once: Sequence[int], held: tuple[Exchange, ...], record: Record
) -> Undecided | Ask:
    """The questions about listed animals whose GETs all got 404, `once` or more often; without one, it stays open."""
    listed, reads = listed_in(record), read_in(record)
    vanished = Undecided(
        f"{Operation.GET_PET} returned 404 for listed animals, which another client may have removed. Run again.",
        examined=(*held, *(e for exchanges in lost.values() for e in exchanges)),
        doubtful=True,
    )
    if once and len(lost) - len(once) < _TRIED:
        page = _wide(listed[once[0]][-1].exchange.request.call)
        return Ask((page, read_call(once[0])), vanished, lost[once[0]][0].finished + LAG_S)
    others = [number for number in reversed(listed) if number not in reads]
    return Ask((read_call(others[0]),), vanished) if others and len(lost) < _TRIED else vanished


def whether_removed(record: Record) -> Ask | None:
    """The question whether an animal is gone that a GET found and another one did not; None without one.

    No pass needs the answer: another client may have removed the animal, or it was shown late. If not, pages still show
    it, a GET finds it now and then, or only what was asked just before hides it. The most telling requests come last.
    """
    listed, mine = listed_in(record), {one.id for one in creations_in(record)}
    lost: dict[int, Exchange] = {}
    for number, reads in read_in(record).items():
        missed = not_found_since(reads) or [one for one in reads if one.status == 404]
        if number in listed and number not in mine and 0 < len(missed) < len(reads):
            lost[number] = missed[0]
    if not lost:
        return None
    number, first = min(lost.items(), key=lambda one: one[1].sent)  # a 404 may be what hides the others
    page = _wide(listed[number][-1].exchange.request.call)
    before = [e for e in record if e.finished <= first.sent][-1:]
    circumstances = [e.request.same for e in (*before, first) if e.request.operation.safe]
    return Ask((*circumstances, page, *[read_call(number)] * 2), Undecided(""), first.finished + LAG_S)


def _listed_before_and_after(lost: Sequence[Exchange], sights: Sequence[Sight]) -> tuple[Exchange, Sight] | None:
    """A GET that does not find an animal between two pages that show it the same, `LAG_S` from each; and the second."""
    for wrong in lost:
        before = [sight for sight in sights if sight.exchange.finished + LAG_S <= wrong.sent]
        after = [sight for sight in sights if sight.exchange.sent >= wrong.finished + LAG_S]
        if before and after and not differences(before[-1].animal, after[0].animal):
            return wrong, after[0]
    return None


def _missed_once(reads: Sequence[Exchange], held: tuple[Exchange, ...]) -> Failed | None:
    """That an animal was 404 between two reads that show it the same, `LAG_S` from each; None if not.

    If another client removes the animal, a replica or a cache may show it for so long.
    """
    found = reads_of(reads)
    for wrong in (exchange for exchange in reads if exchange.status == 404):
        before = [one for one in found if one.exchange.finished + LAG_S <= wrong.sent]
        after = [one for one in found if one.exchange.sent >= wrong.finished + LAG_S]
        if before and after and not differences(before[0].animal, after[-1].animal):
            return Failed(
                f"{described(wrong)}: {problem_of_status(wrong, '200').text}, although it was found {LAG_S:g} s before "
                f"that or earlier, and again {LAG_S:g} s after it or later.",
                (Proof(wrong, STATUS), Proof(before[0].exchange), Proof(after[-1].exchange)),
                examined=(*held, wrong),
                expected="200",
                wrong=(wrong,),
            )
    return None


# ---- GET-2


def _is_the_one_asked_for(exchange: Exchange, grounds: Grounds) -> Judgement:
    number, sight = exchange.request.pet_id, read_sight(exchange)
    if not grounds.has_animal_of(exchange) or sight is None or not exchange.request.has_valid_key:
        return NOT_CONCERNED
    if grounds.as_of >= REMOVAL_DAY or _problem_of_id(sight.animal) is not None:
        return NOT_CONCERNED  # PET-1
    if integer(sight.animal["id"]) == number:
        return HOLDS
    return Problem(f"the body is animal {quoted(sight.animal['id'])}; expected animal {number}", body("id"))


def _is_the_same_as_listed(record: Record, grounds: Grounds) -> Decision:
    """A difference counts only if it stays: the same in list, GET and list again, `LAG_S` after it was first seen."""
    listed = listed_in(record)
    held: list[Exchange] = []
    single: list[Exchange] = []
    for number, exchanges in read_in(record).items():
        if number in shared_in(record):
            continue
        reads = [sight for sight in reads_of(exchanges) if integer(sight.animal.get("id")) == number]
        single += [sight.exchange for sight in reads]
        if not reads or number not in listed:
            continue
        sights = listed[number]
        if differences(sights[-1].animal, reads[-1].animal):
            return _differs(record, number, sights, reads)
        held += [reads[-1].exchange, sights[-1].exchange]
    if held:
        return Held(tuple(dict.fromkeys(held)))
    if single:
        reason = f"No page lists an animal that {Operation.GET_PET} returned. Test a store of fewer than 20 animals."
        return Undecided(reason, examined=tuple(single))
    shown = any(e.status == 200 for exchanges in read_in(record).values() for e in exchanges)
    return Undecided(f"{Operation.GET_PET} returned no animal; see {'PET-1' if shown else 'GET-1'}.")


def _differs(record: Record, number: int, sights: Sequence[Sight], reads: Sequence[Sight]) -> Decision:
    """The decision about an animal that a GET and a page show differently.

    The same difference counts after `LAG_S`. If other clients change the animal all the time, a GET that keeps showing
    one state counts after twice that time.
    """
    seen: dict[tuple[str, ...], float] = {}
    for sight, read in product(_first_of_each(sights), _first_of_each(reads)):
        if changed := differences(sight.animal, read.animal):
            both = max(sight.exchange.finished, read.exchange.finished)
            seen[_texts(changed)] = min(both, seen.get(_texts(changed), inf))
    for before, read, after in agree(sights, reads, record):
        changed = differences(before.animal, read.animal)
        if not changed or differences(before.animal, after.animal):
            continue
        if seen[_texts(changed)] + LAG_S <= before.exchange.sent or _is_stuck(read, sights, reads):
            return Failed(
                f"{described(read.exchange)} does not match {described(before.exchange)}: "
                f"{'; '.join(_texts(changed))} (section 4.3).",
                (before.proof(changed[0]), read.proof(changed[0]), after.proof(changed[0])),
            )
    shown, read = sights[-1], reads[-1]
    said = "; ".join(_texts(differences(shown.animal, read.animal)))
    changing = Undecided(
        f"{described(shown.exchange)} and {described(read.exchange)} differ: {said}; another client may be changing "
        "the animal. Run again.",
        examined=(shown.exchange, read.exchange),
        doubtful=True,
    )
    since = _shown_since(read, sights, reads)
    began = max(min(seen.values()), since if since < inf else -inf)
    compared = [
        sight.exchange.finished
        for sight in sights
        if sight.exchange.sent >= began + LAG_S and differences(sight.animal, read.animal)
    ]
    page = _wide(shown.exchange.request.call)
    # at once where the last pages did not agree
    not_before = max(min(compared, default=began) + LAG_S, shown.exchange.finished)
    return Ask((page, read_call(number), page), changing, not_before)


def _is_stuck(read: Sight, sights: Sequence[Sight], reads: Sequence[Sight]) -> bool:
    """Whether GETs show one state `LAG_S` before a page that shows another, and still `LAG_S` after it."""
    began = _shown_since(read, sights, reads)
    return any(
        began + LAG_S <= sight.exchange.sent and sight.exchange.finished + LAG_S <= read.exchange.sent
        for sight in sights
    )


def _shown_since(read: Sight, sights: Sequence[Sight], reads: Sequence[Sight]) -> float:
    """The monotonic time in seconds since which GETs show the state of `read`, and no page; infinity if one does."""
    pages = [sight.exchange.finished for sight in sights if not differences(sight.animal, read.animal)]
    latest = max(pages, default=-inf)
    same = (one.exchange for one in reads if not differences(one.animal, read.animal))
    return min((exchange.finished for exchange in same if exchange.sent >= latest), default=inf)


def _texts(problems: Iterable[Problem]) -> tuple[str, ...]:
    return tuple(problem.text for problem in problems)


def _first_of_each(sights: Iterable[Sight]) -> list[Sight]:
    """The first sight of each state of an animal."""
    found: dict[str, Sight] = {}
    for sight in sorted(sights, key=lambda sight: sight.exchange.finished):
        found.setdefault(_state(sight.animal), sight)
    return list(found.values())


def _state(animal: Animal) -> str:
    """What two sights of an animal are compared by; a value that is nested too deep is like no other."""
    try:
        return repr([(name, animal[name]) for name in sorted(PET_FIELDS) if name in animal])
    except RecursionError:
        return f"state {id(animal)}"


def _wide(page: Call) -> Call:
    """The call for the longest page with the same filter: other clients may have pushed the animal off a short one."""
    query = (("limit", str(LIMIT_MAX)), *((name, value) for name, value in page.query if name != "limit"))
    return replace(page, query=query)


# ---- GET-3


def _unknown_is_not_found(record: Record, grounds: Grounds) -> Decision:
    """One answer that shows an animal with that id means that it exists; two mean that they are made up, if one of the
    ids is far from those of all known animals: a large store may hold several that no page showed.
    """
    listed = listed_in(record)
    known = {*listed, *(one.id for one in creations_in(record))}
    asked = reads_in(record)
    rows = [(n, e) for n, e in asked if n not in known or (n in grounds.listed and not grounds.has_animal_of(e))]
    held = tuple(e for _, e in rows if answered("GET-3", e, grounds) is HOLDS)
    made_up = [(n, s) for n, e in rows if (s := read_sight(e)) is not None and integer(s.animal.get("id")) == n]
    for number, sight in made_up:
        for other in listed.get(wrapped(number), [])[-1:]:
            if not differences(other.animal, {**sight.animal, "id": other.animal["id"]}):
                problem = problem_of_status(sight.exchange, "404", sent=UNKNOWN_ID)
                return Failed(
                    f"{sentence(None, sight.exchange, problem)}; it is animal {wrapped(number)} with another id.",
                    (Proof(sight.exchange, STATUS), other.proof()),
                    expected=problem.expected,
                )
    if held:
        return Held(held)
    far = [sight.exchange for number, sight in made_up if all(abs(number - one) > _NEAR for one in known)]
    if far and len({number for number, _ in made_up}) > 1:
        read = far[-1]
        problem = problem_of_status(read, "404", sent=UNKNOWN_ID)
        return Failed(
            f"{sentence(None, read, problem)}.",
            tuple(Proof(sight.exchange, STATUS) for _, sight in made_up),
            expected=problem.expected,
        )
    if made_up:
        number, sight = made_up[0]
        reason = f"A request for an id that should be unknown returned animal {number}. Run again."
        exists = Undecided(reason, examined=(sight.exchange,))
        return Ask((read_call(_LOWEST + number * _STEP % _SPAN),), exists)
    if rows:
        see = "; see AUTH-7" if rows[-1][1].status == 401 else ""
        return Undecided(f"{described(rows[-1][1])} returned {answer_text(rows[-1][1])}, which decides nothing{see}.")
    return Undecided(_NO_UNKNOWN_ID)


def wrapped(number: int) -> int:
    """The id that differs from `number` in its sign and in the bits from 54 on: 32-bit arithmetic confuses the two."""
    return number ^ _WRAPPED


# ---- GET-4


def _is_removed(exchange: Exchange, grounds: Grounds) -> Judgement:
    """A redirect is open."""
    known = exchange.request.pet_id in grounds.listed and exchange.request.has_valid_key
    if grounds.as_of < REMOVAL_DAY or not known or exchange.status in (401, 429):
        return NOT_CONCERNED
    if exchange.status is not None and 300 <= exchange.status < 500:
        return HOLDS if exchange.status >= 400 else NOT_CONCERNED
    conforming = "404, 410 or another 4xx"
    if exchange.status is None:
        return problem_of_status(exchange, conforming)
    said = f"expected {conforming} after the removal on {REMOVAL_DAY} (section 4.3), got {answer_text(exchange)}"
    return Problem(said, STATUS, conforming)


_NO_UNKNOWN_ID = "No request was for an unknown id."

RULES = (
    Rule("GET-1", partial(answered, "GET-1"), partial(_until_removal, _existing_is_found)),
    Rule("GET-2", _is_the_one_asked_for, partial(_until_removal, _is_the_same_as_listed)),
    Rule("GET-3", partial(answered, "GET-3"), partial(_until_removal, _unknown_is_not_found)),
    Rule(
        "GET-4",
        _is_removed,
        nothing="No request for a listed animal got a conclusive answer. If none is listed, add one.",
    ),
)
