"""Whether a run has something to compare; `compare` itself is imported only then."""

from __future__ import annotations

from petcheck.results.result import Result

FILE = "comparison.html"


def has_several_sides(result: Result) -> bool:
    """Whether the targets of a run can be compared: it is complete, and two or more of them could be tested."""
    return result.complete and sum(target.unreachable is None for target in result.targets) > 1
