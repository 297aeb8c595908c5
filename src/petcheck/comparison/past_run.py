"""A run as a history needs it: the verdicts of its targets and its circumstances, without the evidence. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from petcheck.comparison.comparable import circumstances, expect_distinct_names
from petcheck.judging.verdicts import Verdict
from petcheck.results.findings import RunInfo, TargetInfo
from petcheck.results.fleet import members
from petcheck.results.result import Result
from petcheck.spec.outcomes import Outcome
from petcheck.stream.lines import SuiteInfo

FAILING: frozenset[Outcome] = frozenset({"fail", "waived"})
"""A waived failure is a failure: an agreement does not fix a server."""


@dataclass(frozen=True, slots=True)
class PastTarget:
    """One target of a run: its circumstances by name, and its verdicts by requirement."""

    info: TargetInfo
    circumstances: Mapping[str, str]
    verdicts: Mapping[str, Verdict]

    def count(self, outcome: Outcome) -> int:
        """The number of requirements with that outcome."""
        return sum(verdict.outcome == outcome for verdict in self.verdicts.values())


@dataclass(frozen=True, slots=True)
class PastRun:
    """One run. `file` is its result.json; `complete` is false if it was cut short."""

    file: str
    info: RunInfo
    suite: SuiteInfo
    complete: bool
    targets: Mapping[str, PastTarget] = field(repr=False)


def past_run(file: str, result: Result) -> PastRun:
    """What a history needs of `result`, which was read from `file`.

    Raises NotComparable if two targets have the same name.
    """
    expect_distinct_names(file, result)
    targets = {
        member.target.name: PastTarget(
            member.target, _circumstances(result, member.target), {row.id: row for row in member.rows}
        )
        for member in members(result)
    }
    return PastRun(file, result.run, result.suite, result.complete, targets)


def _circumstances(result: Result, target: TargetInfo) -> dict[str, str]:
    run, suite = result.run, result.suite
    own = circumstances(run, target)
    # the day of a run and its seed differ every time; `history` asks whether they matter
    del own["judged as on"], own["seed"]
    traffic = run.settings is not None and run.settings.traffic
    # by the run itself: an application, or the embedded server
    served = not traffic and "target" not in run.options and _is_on_loopback(target)
    return {
        "suite": f"{suite.name} {suite.version}",
        "interface": suite.interface,
        "catalogue": f"sha256 {suite.requirements_sha256[:12]}",
        "description": f"sha256 {suite.openapi_sha256[:12]}",
        "--as-of": str(run.options.get("as-of", "not given")),
        "recorded": "traffic" if traffic else "a run",
        "end": "whole" if result.complete else "cut short",
        # a server that is started for a run has another port and another key each time
        "base URL": "served for the run" if served else target.base_url,
        "key": "of the run" if served else target.key or "none",
        **own,
    }


def _is_on_loopback(target: TargetInfo) -> bool:
    try:
        return ipaddress.ip_address(urlsplit(target.base_url).hostname or "").is_loopback
    except ValueError:
        return False
