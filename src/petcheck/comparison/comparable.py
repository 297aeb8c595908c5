"""Which runs can be compared: complete ones of one suite, of targets that could be tested. How they differ. Pure.

`compare` itself is imported only where there is something to compare.
"""

from __future__ import annotations

from collections.abc import Sequence

from petcheck.errors import NotComparable
from petcheck.results.findings import RunInfo, TargetInfo
from petcheck.results.fleet import is_fleet
from petcheck.results.load import RecordedRun
from petcheck.results.result import Result
from petcheck.sanitize import printable

FILE = "comparison.html"

# options that change what a run can find out, unlike the target's address or the folder of the reports
_OPTIONS = ("timeout", "insecure-http", "header", "client-cert", "proxy")


def has_several_sides(result: Result) -> bool:
    """Whether the targets of a run can be compared: it is complete, and two or more of a few could be tested."""
    tested = sum(target.unreachable is None for target in result.targets)
    return result.complete and tested > 1 and not is_fleet(result)


def sides_in(runs: Sequence[RecordedRun]) -> list[tuple[RecordedRun, TargetInfo]]:
    """The targets of `runs`, of which two or more could be tested. Raises NotComparable."""
    _expect_one_suite(runs)
    found = [(run, target) for run in runs for target in run.result.targets]
    tested = sum(target.unreachable is None for _, target in found)
    if tested > 1:
        return found
    for run, target in found:
        if target.unreachable is not None:
            why = printable(target.unreachable.rstrip("."))
            raise NotComparable(
                f"{run.file}: {printable(target.name, 60)} could not be tested: {why}; then compare again"
            )
    files = ", ".join(run.file for run in runs)
    raise NotComparable(
        f"{files}: there {'is 1 target' if tested else 'are 0 targets'} to compare, but two are needed; "
        "give another result.json"
    )


def _expect_one_suite(runs: Sequence[RecordedRun]) -> None:
    """Raise NotComparable for the first run that is incomplete or was made by another suite than the first run."""
    for run in runs:
        if not run.result.complete:
            raise NotComparable(
                f"{run.file}: the run was interrupted, so what it had not judged is missing; give a complete run"
            )
        expect_distinct_names(run.file, run.result)
    first, *others = runs
    for run in others:
        ours, theirs = first.result.suite, run.result.suite
        for what, mine, other in (
            ("suite", f"{ours.name} {ours.version}", f"{theirs.name} {theirs.version}"),
            ("interface", ours.interface, theirs.interface),
            ("catalogue", f"sha256 {ours.requirements_sha256}", f"sha256 {theirs.requirements_sha256}"),
            ("description", f"sha256 {ours.openapi_sha256}", f"sha256 {theirs.openapi_sha256}"),
        ):
            if mine != other:
                raise NotComparable(
                    f"{run.file}: its {what} is {printable(other, 80)} and that of {first.file} {printable(mine, 80)}; "
                    "run both with the same petcheck"
                )


def expect_distinct_names(file: str, result: Result) -> None:
    """Raise NotComparable if two targets of the result in `file` have the same name."""
    names = [target.name for target in result.targets]
    if len(names) > len(set(names)):
        raise NotComparable(f"{file}: two targets have the same name, so they cannot be distinguished; run again")


def circumstances(run: RunInfo, target: TargetInfo) -> dict[str, str]:
    """What may explain that another run came to other verdicts: settings by name, as text, options with dashes."""
    settings, option = run.settings, run.options.get
    values: dict[str, object] = {
        "judged as on": run.as_of,
        "--requirements-as-of": settings.requirements_as_of if settings else None,
        "writes": "allowed" if target.writes else "not allowed",
        "plan": target.plan,
        "seed": run.seed,
        "--exhaust-rate-limit": target.exhaust or option("exhaust-rate-limit"),
        # wherever they were set; a result of an older version has the options only
        "--examples": settings.examples if settings else option("examples"),
        "--max-requests": settings.max_requests if settings else option("max-requests"),
        "artifact": ", ".join(f"{one.name}@{one.sha256[:12]}" for one in settings.subjects) or None
        if settings
        else None,
        "--max-wait": settings.max_wait if settings else option("max-wait"),
        "--category-id": target.category_id if target.category_id is not None else option("category-id"),
        **{f"--{name}": option(name) for name in _OPTIONS},
    }
    return {name: _text(value) for name, value in values.items()}


def _text(value: object) -> str:
    if value is None or value is False:
        return "not given"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "given" if value is True else str(value)
