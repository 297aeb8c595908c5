"""From the verdicts of a run to its exit code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from petcheck.grouping import grouped
from petcheck.judging.verdicts import Verdict
from petcheck.judging.waivers import fails_by_waiver, is_unexamined
from petcheck.spec.outcomes import UNEXAMINED, Exit


def exit_of(
    verdicts: Sequence[Verdict],
    *,
    interrupted: bool = False,
    nothing_selected: bool = False,
    untestable: bool = False,
    broken: bool = False,
    strict: bool = False,
    chosen: tuple[str, ...] | None = None,
    min_examined: str | None = None,
) -> Exit:
    """The exit code of a run. `chosen` are the ids to judge; None for all.

    `min_examined` is how many of them each target has to have examined, as a number or with % as a share; None for any.
    """
    if broken:
        return Exit.BROKE
    if interrupted:
        return Exit.INTERRUPTED
    if nothing_selected:
        return Exit.NOTHING_SELECTED
    rows = [verdict for verdict in verdicts if chosen is None or verdict.id in chosen]
    if any(one.outcome == "fail" for one in verdicts) or any(map(fails_by_waiver, rows)):
        return Exit.FAILS
    if untestable:
        return Exit.UNTESTABLE
    if any(verdict.outcome == "error" for verdict in verdicts):
        return Exit.BROKE
    if not any(verdict.outcome in ("pass", "waived") for verdict in rows):
        return Exit.NOTHING_SELECTED
    if strict and any(is_unexamined(verdict) for verdict in rows):
        return Exit.UNSETTLED
    return Exit.UNSETTLED if too_few(rows, min_examined) else Exit.HOLDS


def too_few(chosen: Iterable[Verdict], least: str | None) -> dict[str, tuple[int, int]]:
    """The targets with fewer requirements examined than `--min-examined` asks for: how many, of how many in force."""
    least = least or "0"
    rows = grouped((verdict.target, verdict.outcome not in UNEXAMINED) for verdict in chosen if verdict.in_force)
    number, share = int(least.removesuffix("%")), least.endswith("%")
    return {
        target: (sum(seen), len(seen))
        for target, seen in rows.items()
        if (100 * sum(seen) < number * len(seen) if share else sum(seen) < number)
    }
