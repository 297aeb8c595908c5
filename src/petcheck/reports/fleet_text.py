"""What a run of a fleet prints at its end: the requirements that fail and the targets that fail them, and the rest."""

from __future__ import annotations

from petcheck.reports.text_lines import BOLD, RED, TextLines
from petcheck.results import fleet, totals
from petcheck.results.fleet import Member
from petcheck.results.result import Result
from petcheck.sanitize import REASON_LIMIT, printable
from petcheck.words import plural

_NAMED = 12  # targets of one requirement or one reason; the others are in report.html
_WAIVED = 10  # waivers named


def spent(page: TextLines, joined: Result) -> None:
    """Add what a run of a fleet sent and left behind."""
    requests = sum(target.requests.total for target in joined.targets)
    posts = sum(target.requests.post for target in joined.targets)
    created = sum(len(target.created) for target in joined.targets)
    page.blank()
    page.say(
        f"sent: {plural(requests, 'request')} to {plural(len(joined.targets), 'target')}, "
        f"{posts:,} of them POST; {plural(created, 'animal')} left behind"
    )


def not_examined(page: TextLines, joined: Result) -> None:
    """Add what was not examined, and the options to judge it."""
    groups = fleet.unexamined(joined)
    if groups:
        page.head("not examined")
    for group in groups:
        number, ids = plural(group.targets, "target"), totals.id_ranges(group.ids)
        if group.settled_by is not None:
            page.say(f"{totals.to_judge(group.settled_by)} {len(group.ids)} on {number}: {ids}", "  ", "    ")
        else:
            page.say(f"on {number}, see the report of each: {ids}", "  ", "    ")


def findings(page: TextLines, joined: Result) -> None:
    """Add what fails a run of a fleet: the failures, and the targets that could not be tested."""
    members = fleet.members(joined)
    _failures(page, members)
    _errors(page, members)


def waivers(page: TextLines, joined: Result) -> None:
    """Add how many failures are waived, and the waivers that fail the run."""
    waived = totals.with_outcome(joined, "waived")
    faults = totals.waiver_faults(joined)
    if waived or faults:
        page.blank()
    if waived:
        names = list(dict.fromkeys(row.target for row in waived))
        page.say(f"{plural(len(waived), 'failure')} waived, on {totals.comma_list(names, _NAMED)}")
    for sentence in faults[:_WAIVED]:
        page.say(sentence, style=RED)
    if len(faults) > _WAIVED:
        page.say(f"and {plural(len(faults) - _WAIVED, 'other waiver')}", style=RED)


def _errors(page: TextLines, members: tuple[Member, ...]) -> None:
    reasons: dict[str, list[str]] = {}
    for member in members:
        if member.outcome == "error":
            why = member.target.unreachable or next(row.reason for row in member.rows if row.outcome == "error")
            # the address differs where the trouble is one and the same
            reasons.setdefault(why.replace(member.target.base_url, "the target"), []).append(member.target.name)
    if not reasons:
        return
    page.blank()
    page.say(f"{plural(sum(map(len, reasons.values())), 'target')} could not be tested", style=f"{BOLD};{RED}")
    for why, names in reasons.items():
        page.say(printable(why, REASON_LIMIT, whole_in="result.json"), "  ", "    ")
        page.say(f"on {totals.comma_list(names, _NAMED)}", "    ")


def _failures(page: TextLines, members: tuple[Member, ...]) -> None:
    failures = fleet.failures(members)
    if not failures:
        return
    verb = "requirement fails" if len(failures) == 1 else "requirements fail"
    page.blank()
    page.say(f"{len(failures)} {verb}", style=f"{BOLD};{RED}")
    for failure in failures:
        row = failure.row
        page.blank()
        page.say(
            f"{printable(row.id, 60)} · section {row.section}, on {len(failure.targets):,} of {len(members):,} targets",
            "  ",
            style=BOLD,
        )
        page.say(f"on    {totals.comma_list(failure.targets, _NAMED)}", "    ", " " * 10)
        page.say(f"rule  {printable(row.statement, whole_in='result.json')}", "    ", " " * 10)
        found = printable(row.reason, REASON_LIMIT, whole_in="result.json")
        page.say(f"found on {printable(row.target, 60)}: {found}", "    ", " " * 10)
