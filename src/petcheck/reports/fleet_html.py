"""report.html of a fleet: which targets fail what, which are alike, and a link to each target's own report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from petcheck.reports import report_html, templating
from petcheck.reports.timeline import fails_of, pauses, timeline, times
from petcheck.results import fleet, totals
from petcheck.results.causes import causes
from petcheck.results.fleet import WORST_FIRST, Group
from petcheck.results.result import Result
from petcheck.stream.stream import Stream

_GROUPS = 40  # described one by one, and compared in a table
_COLUMNS = 10  # groups of one table: a phone has room for no more
_PICTURES = 100  # targets with a picture of their requests, each from its own recording
_LINKS = 24  # targets linked in one place; the others are below a fold, or in their groups


def with_pictures(joined: Result) -> list[str]:
    """The targets whose requests the page draws: as many as it has room for, those that fail first."""
    ordered = sorted(fleet.members(joined), key=lambda member: WORST_FIRST.index(member.outcome))
    return [member.target.name for member in ordered[:_PICTURES]]


def render(joined: Result, recorded: Iterable[tuple[Result, Stream]] = ()) -> str:
    """The whole page, from the joined outline of a fleet; the evidence is in the targets' own reports.

    `recorded` are the results and the streams of the targets `with_pictures`, one after the other.
    """
    members = fleet.members(joined)
    groups = fleet.groups(members)
    shown, others = groups[:_GROUPS], groups[_GROUPS:]
    return templating.page(
        "fleet.html.jinja",
        "fleet.css",
        result=joined,
        members=members,
        verdict=fleet.verdict(members, named=False),
        worst=min((member.shown for member in members), key=WORST_FIRST.index),
        failures=causes(joined, ()),
        unexamined=totals.unexamined(joined),
        groups=shown,
        others=[member for group in others for member in group],
        other_groups=len(others),
        tables=list(_tables(shown)),
        statements={row.id: row.statement for row in members[0].rows},
        page_of=report_html.of_target,
        pictures=[
            (part.name, timeline(part.exchanges, fails_of(result, part.name), pauses(stream, part.name), 0), found)
            for result, stream in recorded
            for part in stream.parts
            if (found := times(part.exchanges))
        ],
        drawn=_PICTURES,
        links=_LINKS,
    )


def _tables(groups: Sequence[Group]) -> Iterator[dict[str, object]]:
    """Tables of some groups each: their numbers, and the ids of the requirements on which they differ."""
    # what could not be tested differs from all others everywhere
    numbered = [(number, one) for number, one in enumerate(groups, 1) if not one[0].target.unreachable]
    for first in range(0, len(numbered), _COLUMNS):
        numbers, together = zip(*numbered[first : first + _COLUMNS], strict=True)
        if ids := fleet.differing(together):
            yield {"numbers": numbers, "groups": together, "ids": ids}
