"""How a created animal is shown that differs from its 201, and whether two of the run changed alike (section 4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from petcheck.call import Call
from petcheck.exchange import Animal
from petcheck.judging.creations import Creation
from petcheck.judging.decision import Ask, Decision, Failed, Proof, Undecided
from petcheck.judging.judgement import BODY, Grounds, Problem
from petcheck.judging.matchers import described, differences
from petcheck.judging.pages import Sight
from petcheck.spec.operations import Operation


@dataclass(frozen=True, slots=True)
class Changed:
    """A created animal that stays different from its 201, in which `ways`, and the failure if that is the server."""

    one: Creation
    ways: frozenset[tuple[str, str]]
    texts: list[str]
    failed: Failed


def unlike_created(shown: Iterable[tuple[Creation, Sequence[Sight]]]) -> tuple[list[Changed], list[Ask]]:
    """Of animals and their sights, those that stay different from their 201, and what to ask about the others."""
    found = [_unlike_created(one, sights) for one, sights in shown]
    return [one for one in found if isinstance(one, Changed)], [one for one in found if isinstance(one, Ask)]


def _unlike_created(one: Creation, sights: Sequence[Sight]) -> Changed | Ask | None:
    """What an animal shows that differs from its 201; None if nothing does.

    A difference counts if the latest two sights share it, and the last is `LAG_S` after the POST.
    """
    last = sights[-1] if sights else None
    changed = None if last is None else difference(one, last)
    if last is None or changed is None:
        return None
    before = difference(one, sights[-2]) if len(sights) > 1 else None
    if before is not None and before.texts == changed.texts and last.exchange.sent >= one.due:
        return changed
    reason = f"Animal {one.id} changes between requests; another client may be changing it. Run again."
    changing = Undecided(reason, examined=(one.exchange, last.exchange), doubtful=True)
    return Ask((last.exchange.request.call,), changing, one.due)


def difference(one: Creation, sight: Sight) -> Changed | None:
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
    return Changed(one, ways, [p.text for p in problems], failed)


def _ways(problem: Problem, made: Animal, shown: Animal) -> Iterator[tuple[str, str]]:
    """How a member changed: animals that changed alike have one of these in common."""
    member = problem.part.removeprefix("body:/") if problem.part != BODY else "status"
    yield member, problem.text
    before, after = made.get(member), shown.get(member)
    if after is None:
        yield member, "lost"
    elif isinstance(before, int) and isinstance(after, int):
        yield from ((member, f"{after - before:+d}"), (member, f"always {after}"))
        yield member, "the id" if after == shown.get("id") else problem.text
    elif isinstance(before, str) and isinstance(after, str):
        same = {
            "cut": before.startswith(after),
            "longer": after.startswith(before) or after.endswith(before),
            "trimmed": before.strip() == after,
            "case": before.lower() == after.lower(),
        }
        yield from ((member, way) for way, is_so in same.items() if is_so)


def changed_alike(
    changed: Sequence[Changed],
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
    late = {one.id: [s for s in sights.get(one.id, ()) if s.exchange.sent >= one.due] for one in others}
    looked = [(one, late[one.id][-1]) for one in others if late[one.id]]
    found = [first, *(each for one, sight in looked if (each := difference(one, sight)) is not None)]
    if (alike := failed_alike(found)) is not None:
        return alike
    reason = f"{first.failed.text} Another client may have changed the animal. Run again."
    undecided = Undecided(reason, examined=tuple(proof.exchange for proof in first.failed.proofs), doubtful=True)
    sent = first.one.exchange.request.body
    twin = next((one for one in reversed(others) if one.exchange.request.body == sent), None)
    unseen = [one for one in others if not late[one.id]]
    if twin is None and unseen and len(unseen) == len(others):
        # one without a status has less to differ in
        like = max(unseen, key=lambda one: (one.status is None) is (first.one.status is None))
        return Ask((look(like.id),), undecided, like.due)
    if twin is None and grounds.writes:
        return Ask((Call(Operation.CREATE_PET, body=sent),), undecided)
    return Ask((look(twin.id),), undecided, twin.due) if twin in unseen and twin is not None else undecided


def failed_alike(found: Sequence[Changed]) -> Failed | None:
    """One failure for those that changed in one way, described by the first; None if they are fewer than two."""
    number = Counter(way for each in found for way in each.ways)
    known = {way for way, times in number.items() if times > 1}
    alike = [each for each in found if each.ways & known]
    if not alike:
        return None
    first, *others = alike
    also = f"; also animal{'s' * (len(others) > 1)} {', '.join(str(other.one.id) for other in others)}."
    proofs = tuple(chain.from_iterable(each.failed.proofs for each in alike))
    return replace(first.failed, text=first.failed.text.removesuffix(".") + also, proofs=proofs)


def _changes(one: Creation, sight: Sight) -> list[Problem]:
    """How an animal differs from the 201; a default status may show later than the 201."""
    made = one.animal if "status" in one.animal else {**one.animal, "status": sight.animal.get("status")}
    made = {name: value for name, value in made.items() if name != "status" or value is not None}
    return differences(made, sight.animal)
