"""statement.html: what a run tested and found, on one page for people to sign. It serves one target and a fleet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from petcheck.grouping import grouped
from petcheck.judging.verdicts import Verdict
from petcheck.reports import templating
from petcheck.results import fleet, totals
from petcheck.results.findings import TargetInfo
from petcheck.results.fleet import Member
from petcheck.results.manifest import PARTS
from petcheck.results.result import Result
from petcheck.sanitize import comma_list
from petcheck.spec.catalogue import catalogue
from petcheck.spec.outcomes import UNEXAMINED
from petcheck.stream.environment import Environment
from petcheck.words import plural

FILE = "statement.html"

_OPERATOR = "label operator"  # says who ran it


def render(result: Result, environment: Environment, digests: Iterable[tuple[str, str]]) -> str:
    """The whole page. `digests` are the names of the files that the statement is about, each with its sha256 in hex.

    The manifest is not among them: it lists this page.
    """
    given = totals.tested(result.run.settings)
    members = fleet.members(result)
    conditions = {target.name: _conditions(target) for target in result.targets}
    return templating.page(
        "statement.html.jinja",
        "statement.css",
        result=result,
        environment=environment,
        digests=list(digests),
        members=members,
        conditions=conditions,
        same=next(iter(conditions.values())) if len({*conditions.values()}) == 1 else None,
        verdicts=_verdicts(result, members),
        scope=_scope(result),
        named=[(title, lines) for title, lines in _named(result) if lines],
        given=given,
        operator_label=_OPERATOR,
        operator=dict(given).get(_OPERATOR),
        in_parts=fleet.in_parts(result),
        part=lambda name: f"{PARTS}/{name}/{FILE}",
    )


def _verdicts(result: Result, members: Sequence[Member]) -> Sequence[str]:
    if not fleet.is_fleet(result):
        return totals.sentences(result)
    return (fleet.verdict(members, named=False), *totals.notices(result))


def _scope(result: Result) -> str:
    """What was sent, and by what it was judged."""
    settings, judged = result.run.settings, plural(len({row.id for row in result.requirements}), "requirement")
    chosen = "" if settings is None or settings.choice is None else f"{len(settings.choice)} chosen ones of "
    sent = totals.spent(result)
    how = f"It was judged from recorded traffic: {sent}" if settings and settings.traffic else f"petcheck sent {sent}"
    return f"{how}. The answers were judged as on {result.run.as_of}, by {chosen}the {judged} of the catalogue."


def _conditions(target: TargetInfo) -> str:
    """What the run was allowed on a target, and as whom it came."""
    parts = ["with writes" if target.writes else "read only", target.plan and f"plan {target.plan}"]
    return ", ".join(filter(None, [*parts, f"key {target.key}" if target.key is not None else "no key"]))


def _named(result: Result) -> Iterator[tuple[str, list[str]]]:
    """What a reader must know besides the verdict, each with a heading: the ids, and the targets if not all."""
    rows = [row for row in result.requirements if result.chose(row)]
    waived = ((row, row.waiver.reason) for row in rows if row.waiver is not None)
    yield (
        "Waivers and gaps",
        _lines(result, ((row, f"{totals.waiver_state(row, result.run)}: {why}") for row, why in waived)),
    )
    yield "Could not be tested", [f"{comma_list(names)}: {why}" for why, names in totals.untested(result).items()]
    tried = {target.name for target in result.targets if target.unreachable is None}
    broken = (row for row in rows if row.outcome == "error" and row.target in tried)
    yield "Could not be judged", _lines(result, ((row, "") for row in broken))
    unseen = (row for row in rows if row.in_force and row.outcome in UNEXAMINED)
    ways = ((row, row.settled_by and f"{totals.way_to(row.settled_by, result.run)} {row.settled_by}") for row in unseen)
    yield "Not examined", _lines(result, ((row, way or "") for row, way in ways))
    if ids := list(totals.not_in_force(result)):
        yield "Not testable, or not in force on that day", [totals.id_ranges(ids)]
    points = [entry for entry in catalogue().entries if entry.open]
    yield (
        "Left open by the document",
        [
            f"{verb}: {', '.join(entry.id for entry in points if bool(entry.untestable) == hidden)}"
            for verb, hidden in (("Never judged, observed if possible", False), ("Not observable", True))
        ],
    )


def _where(targets: Sequence[str], result: Result) -> str:
    return "" if len(targets) == len(result.targets) else totals.where(targets, result)


def _lines(result: Result, noted: Iterable[tuple[Verdict, str]]) -> list[str]:
    """A line for each note: the ids that it is about, and where."""
    targets = grouped(((row.id, note), row.target) for row, note in noted)
    ids = grouped(((note, tuple(where)), name) for (name, note), where in targets.items())
    return [
        f"{totals.id_ranges(names)}{_where(where, result)}{f': {note}' if note else ''}"
        for (note, where), names in ids.items()
    ]
