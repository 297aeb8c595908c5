"""The circumstances of a run on one target: what may explain that another run came to other verdicts. Pure."""

from __future__ import annotations

from petcheck.results.result import RunInfo, TargetInfo

_NOT_GIVEN = "not given"
# options that change what a run can find out, unlike the target's address or the folder of the reports
_OPTIONS = ("timeout", "insecure-http")


def circumstances(run: RunInfo, target: TargetInfo) -> dict[str, str]:
    """Each setting by name, as text: the day, permissions, plan and seed, then the options with their dashes."""
    settings = run.settings

    def option(name: str) -> object:
        return run.options.get(name)

    values: dict[str, object] = {
        "judged as on": run.as_of,
        "writes": "allowed" if target.writes else "not allowed",
        "plan": target.plan,
        "seed": run.seed,
        "--exhaust-rate-limit": target.exhaust or option("exhaust-rate-limit"),
        # wherever they were set; a result of an older version has the options only
        "--examples": settings.examples if settings else option("examples"),
        "--max-requests": settings.max_requests if settings else option("max-requests"),
        "--max-wait": settings.max_wait if settings else option("max-wait"),
        "--category-id": target.category_id if target.category_id is not None else option("category-id"),
        **{f"--{name}": option(name) for name in _OPTIONS},
    }
    return {name: _text(value) for name, value in values.items()}


def _text(value: object) -> str:
    if value is None or value is False:
        return _NOT_GIVEN
    if isinstance(value, float):
        return f"{value:g}"
    return "given" if value is True else str(value)
