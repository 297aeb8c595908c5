"""What to do after a run that fails, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from petcheck.judging.matchers import one_of
from petcheck.judging.waivers import fails_by_waiver
from petcheck.results import totals
from petcheck.results.causes import Cause
from petcheck.results.result import Result
from petcheck.sanitize import printable
from petcheck.spec.outcomes import Exit
from petcheck.words import plural


def next_step(result: Result, failing: Sequence[Cause]) -> str:
    """What to do next, with backticks around code; empty if the run asks for nothing.

    `failing` are the causes of its failures. It never repeats an option that the run had, and names none for traffic
    that another program recorded, since petcheck cannot send that again.
    """
    settings = result.run.settings
    file = f"`{printable(str(result.run.options.get('config', 'petcheck.toml')), 80)}`"
    repeatable = settings is None or not settings.traffic
    if result.run.exit == Exit.FAILS and not failing:
        held = [row.waiver for row in result.requirements if row.waiver and fails_by_waiver(row) and result.chose(row)]
        if any(waiver.ended and waiver.gap for waiver in held):
            return f"have what had a gap examined, or give its gap a later day in {file}"
        if all(waiver.gap for waiver in held):
            return f"remove the gaps that are no longer open from {file}"
        if any(waiver.ended for waiver in held):
            return f"remove the waivers that have expired from {file}, or give them a later day"
        return f"remove the waivers that no longer hold from {file}, or run again with `--update-waivers`"
    if result.run.exit == Exit.FAILS:
        clears = max(failing, key=lambda cause: len(cause.rows) * len(cause.targets))
        explain = f"`petcheck explain {printable(clears.shown.id, 60)}`"
        if len(failing) > 1 and len(clears.rows) > 1:
            explain += f", whose cause breaks {plural(len(clears.rows), 'requirement')}"
        if repeatable and clears.shown.by_chance:
            return f"{explain}; it may pass by chance, so run with `--failed` several times"
        again = repeatable and not result.run.options.get("failed")
        return f"{explain}; add `--failed` to run only what failed" if again else explain
    if result.run.exit == Exit.NOTHING_SELECTED and not result.targets:
        return "choose checks that exist; `petcheck --collect-only` lists them"
    if result.run.exit == Exit.UNSETTLED and repeatable:
        strict = settings is not None and settings.strict
        left = totals.unexamined(result)
        groups = [group for group in left if group.settled_by is not None]
        ways: dict[str, dict[str, None]] = {}
        for option in (group.settled_by or "" for group in groups):
            ways.setdefault(totals.way_to(option, result.run), {})[f"`{printable(option, 80)}`"] = None
        if not ways and strict:
            return f"see why above; a `[[gap]]` in {file} accepts what cannot be examined, with your reason"
        if not ways:
            return ""
        rest = "; a `[[gap]]` accepts what stays open" if strict and any(not group.settled_by for group in left) else ""
        number = len({row.id for group in groups for row in group.rows})
        told = [f"{way} {one_of(list(options), 'and')}" for way, options in ways.items()]
        return f"{', and '.join(told)} to judge {number} more{rest}"
    return ""
