"""report.html of a fleet: which targets fail what, which are alike, and a link to each target's own report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from petcheck.exchange import Exchange
from petcheck.reports import report_html, templating
from petcheck.results import fleet, totals
from petcheck.results.causes import causes
from petcheck.results.fleet import Group
from petcheck.results.manifest import PARTS
from petcheck.results.result import Result

_GROUPS = 40  # described one by one, and compared in a table
_COLUMNS = 10  # groups of one table: a phone has room for no more
_LINKS = 24  # targets linked in one place; the others are below a fold, or in their groups


def render(joined: Result, evidence: Sequence[Exchange] = ()) -> str:
    """The whole page, from the joined outline of a fleet; the evidence is in the targets' own reports."""
    members = fleet.members(joined)
    groups = fleet.groups(members)
    shown, others = groups[:_GROUPS], groups[_GROUPS:]
    return templating.page(
        "fleet.html.jinja",
        "fleet.css",
        result=joined,
        members=members,
        verdict=fleet.verdict(members, named=False),
        failures=causes(joined, ()),
        unexamined=totals.unexamined(joined),
        groups=shown,
        others=[member for group in others for member in group.members],
        other_groups=len(others),
        tables=list(_tables(shown)),
        statements={row.id: row.statement for row in members[0].rows},
        page_of=lambda name: f"{PARTS}/{name}/{report_html.FILE}",
        links=_LINKS,
    )


def _tables(groups: Sequence[Group]) -> Iterator[dict[str, object]]:
    """Tables of some groups each: their numbers, and the ids of the requirements on which they differ."""
    # what could not be tested differs from all others everywhere
    numbered = [(number, one) for number, one in enumerate(groups, 1) if not one.unreachable]
    for first in range(0, len(numbered), _COLUMNS):
        numbers, together = zip(*numbered[first : first + _COLUMNS], strict=True)
        if ids := fleet.differing(together):
            yield {"numbers": numbers, "groups": together, "ids": ids}
