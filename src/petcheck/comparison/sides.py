"""Whether a run has something to compare; `compare` itself is imported only then."""

from __future__ import annotations

from petcheck.results.fleet import is_fleet
from petcheck.results.result import Result

FILE = "comparison.html"


def has_several_sides(result: Result) -> bool:
    """Whether the targets of a run can be compared: it is complete, and two or more of a few could be tested."""
    tested = sum(target.unreachable is None for target in result.targets)
    return result.complete and tested > 1 and not is_fleet(result)
