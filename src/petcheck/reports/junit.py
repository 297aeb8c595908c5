"""junit.xml: the requirements as test cases, a suite for each target, in the format of GitLab and Jenkins (xunit1).

GitLab and Jenkins list cases by name, so a name is the requirement's id and statement. The numbers of cases, failures
and errors are the numbers of verdicts in all other reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

from petcheck.judging.verdicts import Verdict
from petcheck.results import fleet, manifest, totals
from petcheck.results.findings import TargetInfo
from petcheck.results.result import Result
from petcheck.sanitize import FIELD_LIMIT, printable_reason
from petcheck.spec import sections
from petcheck.spec.catalogue import title
from petcheck.spec.outcomes import Outcome

FILE = "junit.xml"

_SKIPPED: tuple[Outcome, ...] = ("inconclusive", "not-run", "waived")
_EXCHANGES = 20  # listed below a failure; result.json lists all


def junit(result: Result) -> str:
    """The XML document: a testsuite for each target, a testcase for each requirement. Of a fleet, for each target.

    The seed is a property of each suite; id, section, target and the state of a waiver are properties of each case. A
    case that fails has a `failure`, one that the suite or the connection broke an `error`, and any other that did not
    pass a `skipped`, with the reason. The time of a case is that of its checks in seconds; checks of several
    requirements count for each.
    """
    suites = ElementTree.Element("testsuites", name="petcheck")
    if fleet.is_fleet(result):
        suites.append(_fleet(result))
    else:
        suites.extend(_suite(result, target) for target in result.targets)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _fleet(joined: Result) -> ElementTree.Element:
    members = fleet.members(joined)
    suite = _suite_of("fleet", joined, [member.outcome for member in members])
    for member in members:
        case = ElementTree.SubElement(
            suite, "testcase", classname="petcheck.fleet", name=_sanitized(member.target.name)
        )
        _say_of_target(case, member)
    return suite


def _say_of_target(case: ElementTree.Element, member: fleet.Member) -> None:
    if member.outcome == "fail":
        failing = [row for row in member.rows if row.outcome == "fail"]
        verb = "requirement fails" if len(failing) == 1 else "requirements fail"
        message = f"{len(failing)} {verb}: {', '.join(member.failing)}"
        reasons = [f"{row.id}: {printable_reason(row.reason)}" for row in failing]
        text = "\n".join([*reasons, f"the report: {manifest.PARTS}/{member.target.name}/report.html"])
        _say(case, "fail", _sanitized(message), text)
    elif member.outcome == "error":
        why = member.target.unreachable or next(row.reason for row in member.rows if row.outcome == "error")
        _say(case, "error", printable_reason(why))
    elif member.outcome == "inconclusive":
        _say(case, "inconclusive", "nothing was examined")


def _suite(result: Result, target: TargetInfo) -> ElementTree.Element:
    rows = [row for group in totals.by_section(result.rows_of(target.name)).values() for row in group]
    durations = _durations(result, target)
    suite = _suite_of(target.name, result, [row.outcome for row in rows])
    suite.set("hostname", _sanitized(target.base_url))
    suite.set("time", f"{sum(check.duration_s for check in result.checks if check.target == target.name):.3f}")
    again = totals.repeat_hint(result.run)
    _add_properties(suite, (("seed", str(result.run.seed)), ("repeat", again), *totals.tested(result.run.settings)))
    for row in rows:
        suite.append(_case(row, durations.get(row.id, 0.0), totals.waiver_state(row, result.run), again))
    return suite


def _suite_of(name: str, result: Result, outcomes: Sequence[Outcome]) -> ElementTree.Element:
    return ElementTree.Element(
        "testsuite",
        name=_sanitized(name),
        timestamp=_sanitized(result.run.started),
        tests=str(len(outcomes)),
        failures=str(outcomes.count("fail")),
        errors=str(outcomes.count("error")),
        skipped=str(sum(map(outcomes.count, _SKIPPED))),
    )


def _say(case: ElementTree.Element, outcome: Outcome, message: str, text: str | None = None) -> None:
    """Add what keeps a case from passing; its `type` says who broke it, or the outcome."""
    name = {"fail": "failure", "error": "error"}.get(outcome, "skipped")
    kind = {"fail": "requirement", "error": "suite"}.get(outcome, outcome)
    ElementTree.SubElement(case, name, message=message, type=kind).text = text


def _durations(result: Result, target: TargetInfo) -> dict[str, float]:
    """Seconds that the checks of each requirement took on one target."""
    seconds: dict[str, float] = {}
    for check in result.checks:
        if check.target == target.name:
            for requirement in check.requirements:
                seconds[requirement] = seconds.get(requirement, 0.0) + check.duration_s
    return seconds


def _case(row: Verdict, seconds: float, waiver: str, again: str) -> ElementTree.Element:
    section = sections.title(row.section) or f"section {row.section.replace('.', '-')}"
    case = ElementTree.Element(
        "testcase",
        # Jenkins takes what stands before the last dot as the package
        classname=_sanitized(f"{row.target}.{section}"),
        name=_sanitized(title(row.id, row.statement)),
    )
    if row.checks:
        case.set("file", _sanitized(row.checks[0].partition("::")[0]))
    case.set("time", f"{seconds:.3f}")
    named = [("requirement", row.id), ("section", row.section), ("level", row.level), ("target", row.target)]
    _add_properties(case, named + ([("waiver", waiver)] if waiver else []))
    reason = printable_reason(row.reason)
    if row.outcome in ("fail", "error"):
        _say(case, row.outcome, reason, _details(row, reason, again))
    elif row.outcome != "pass":
        _say(case, row.outcome, f"{row.outcome}: {reason}")
    return case


def _add_properties(element: ElementTree.Element, named: Iterable[tuple[str, str]]) -> None:
    properties = ElementTree.SubElement(element, "properties")
    for name, value in named:
        ElementTree.SubElement(properties, "property", name=name, value=_sanitized(value))


def _details(row: Verdict, reason: str, again: str) -> str:
    """The text below a failure, for viewers that do not show its message."""
    lines = [reason, "", f"rule: {_sanitized(row.statement)}", f"section: {row.section}"]
    indices = row.decisive_by_weight or row.exchanges
    if indices:
        lines.append(f"exchanges in exchanges.har: {', '.join(f'#{index}' for index in indices[:_EXCHANGES])}")
    lines += [f"judged by {_sanitized(check)}" for check in row.checks[:3]]
    return "\n".join([*lines, again])


def _sanitized(text: str) -> str:
    return printable_reason(text, FIELD_LIMIT)
