"""The totals of a fleet: more targets than one page can show side by side, in a few sentences and groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from petcheck.grouping import grouped
from petcheck.judging.verdicts import Verdict
from petcheck.results.findings import Findings, TargetInfo
from petcheck.sanitize import comma_list, printable
from petcheck.spec.outcomes import UNEXAMINED, Outcome

SIDE_BY_SIDE = 4
"""The most targets whose evidence one recording and one page hold. A run of more is in parts."""
_NAMED = 5  # targets in a sentence
WORST_FIRST: tuple[Outcome, ...] = ("fail", "error", "inconclusive", "not-run", "waived", "pass")
"""What a reader must look at first."""

_TROUBLES: tuple[tuple[Outcome, str, str], ...] = (
    ("fail", "fails", "fail"),
    ("error", "could not be tested", "could not be tested"),
    ("inconclusive", "has no verdict", "have no verdict"),
)


@dataclass(frozen=True, slots=True)
class Member:
    """A target of a fleet with its rows, and its verdict as one outcome: the worst one counts."""

    target: TargetInfo
    rows: tuple[Verdict, ...]
    outcome: Outcome

    @property
    def shown(self) -> Outcome:
        """Its mark."""
        return shown_outcome(self.target, self.rows)

    @property
    def verdicts(self) -> Mapping[str, Outcome]:
        """Its outcome on each requirement, by the id."""
        return {row.id: row.outcome for row in self.rows}

    @property
    def failing(self) -> tuple[str, ...]:
        """The ids of the requirements that it fails."""
        return tuple(row.id for row in self.rows if row.outcome == "fail")


Group: TypeAlias = tuple[Member, ...]
"""Targets with the same verdict on every requirement; at least one."""


def is_fleet(result: Findings) -> bool:
    """Whether a result has too many targets to show them side by side."""
    return len(result.targets) > SIDE_BY_SIDE


def in_parts(result: Findings) -> bool:
    """Whether each target of a run has its own folder: a fleet, a shard, or merged."""
    return is_fleet(result) or result.run.shard is not None or bool(result.run.joined)


def members(result: Findings) -> tuple[Member, ...]:
    """The targets with their rows, in their order."""
    rows: dict[str, list[Verdict]] = {target.name: [] for target in result.targets}
    for row in result.requirements:
        rows[row.target].append(row)
    return tuple(
        Member(target, tuple(rows[target.name]), outcome_of(target, rows[target.name])) for target in result.targets
    )


def outcome_of(target: TargetInfo, rows: Iterable[Verdict]) -> Outcome:
    """The verdict on a whole target as one outcome: the worst of its `rows` counts."""
    if target.unreachable is not None:
        return "error"
    found = {row.outcome for row in rows if row.in_force}
    worst: tuple[Outcome, ...] = ("fail", "error", "waived", "pass")
    return next((outcome for outcome in worst if outcome in found), "inconclusive")


def shown_outcome(target: TargetInfo, rows: Sequence[Verdict]) -> Outcome:
    """How a target is marked: as `outcome_of`, and open where it passes and not every one in force was examined."""
    outcome = outcome_of(target, rows)
    whole = all(row.outcome not in UNEXAMINED for row in rows if row.in_force)
    return "inconclusive" if outcome == "pass" and not whole else outcome


def groups(fleet: Sequence[Member]) -> tuple[Group, ...]:
    """The targets grouped by their verdicts: those that fail first, then the largest groups."""
    alike = grouped(((one.target.unreachable is None, *one.verdicts.items()), one) for one in fleet)
    made = [tuple(each) for each in alike.values()]
    return tuple(sorted(made, key=lambda group: (WORST_FIRST.index(group[0].outcome), -len(group))))


def differing(shown: Sequence[Group]) -> tuple[str, ...]:
    """The ids of the requirements on which those groups differ, or that one of them fails."""
    verdicts = [group[0].verdicts for group in shown]
    return tuple(
        name
        for name in dict.fromkeys(chain(*verdicts))
        if len(found := {each.get(name) for each in verdicts}) > 1 or found & {"fail", "waived", "error"}
    )


def verdict(fleet: Sequence[Member], quote: Callable[[str], str] = printable, *, named: bool = True) -> str:
    """The verdict on a fleet in one sentence, with the targets that fail if they are to be `named`.

    `quote` as in `totals.headline`.
    """
    by_outcome = grouped((member.outcome, member.target.name) for member in fleet)
    held = sum(len(by_outcome.get(outcome, ())) for outcome in ("pass", "waived"))
    whole = len(fleet)
    verb = "shows" if held == 1 else "show"
    sentence = f"{'All' if held == whole else f'{held:,} of'} {whole:,} targets {verb} no failure" if held else ""
    parts = [
        f"{len(names):,} {one if len(names) == 1 else several}" + f" ({comma_list(names, _NAMED, quote)})" * named
        for outcome, one, several in _TROUBLES
        if (names := by_outcome.get(outcome, []))
    ]
    if not held:
        return f"Of {whole:,} targets {', '.join(parts)}."
    return f"{sentence}; {', '.join(parts)}." if parts else f"{sentence}."
