"""junit.xml: the requirements as test cases, a suite for each target, in the format of GitLab and Jenkins (xunit1).

GitLab and Jenkins list cases by name, so a name is the requirement's id and statement. The numbers of cases, failures
and errors are the numbers of verdicts in all other reports.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree

from petcheck.judging.verdicts import Verdict
from petcheck.results import fleet, manifest, totals
from petcheck.results.result import Result, TargetInfo
from petcheck.sanitize import REASON_LIMIT, printable
from petcheck.spec import sections
from petcheck.spec.catalogue import title
from petcheck.spec.outcomes import Outcome

FILE = "junit.xml"

_WHOLE_IN = "result.json"
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
    outcomes = [member.outcome for member in members]
    suite = ElementTree.Element(
        "testsuite",
        name="fleet",
        timestamp=_sanitized(joined.run.started),
        tests=str(len(members)),
        failures=str(outcomes.count("fail")),
        errors=str(outcomes.count("error")),
        skipped=str(outcomes.count("inconclusive")),
    )
    suite.extend(map(_case_of, members))
    return suite


def _case_of(member: fleet.Member) -> ElementTree.Element:
    target = member.target
    case = ElementTree.Element("testcase", classname="petcheck.fleet", name=_sanitized(target.name))
    if member.outcome == "fail":
        failing = [row for row in member.rows if row.outcome == "fail"]
        verb = "requirement fails" if len(failing) == 1 else "requirements fail"
        message = f"{len(failing)} {verb}: {', '.join(member.failing)}"
        reasons = [f"{row.id}: {printable(row.reason, REASON_LIMIT, whole_in=_WHOLE_IN)}" for row in failing]
        text = "\n".join([*reasons, f"the report: {manifest.PARTS}/{target.name}/report.html"])
        ElementTree.SubElement(case, "failure", message=_sanitized(message), type="requirement").text = text
    elif member.outcome == "error":
        why = target.unreachable or next(row.reason for row in member.rows if row.outcome == "error")
        ElementTree.SubElement(case, "error", message=printable(why, REASON_LIMIT, whole_in=_WHOLE_IN), type="suite")
    elif member.outcome == "inconclusive":
        ElementTree.SubElement(case, "skipped", message="nothing was examined", type="inconclusive")
    return case


def _suite(result: Result, target: TargetInfo) -> ElementTree.Element:
    rows = [row for group in totals.by_section(result.rows_of(target.name)).values() for row in group]
    found = totals.counts(rows)
    durations = _durations(result, target)
    suite = ElementTree.Element(
        "testsuite",
        name=_sanitized(target.name),
        hostname=_sanitized(target.base_url),
        timestamp=_sanitized(result.run.started),
        time=f"{sum(check.duration_s for check in result.checks if check.target == target.name):.3f}",
        tests=str(len(rows)),
        failures=str(found["fail"]),
        errors=str(found["error"]),
        skipped=str(sum(found[outcome] for outcome in _SKIPPED)),
    )
    again = totals.repeat_hint(result.run)
    _add_properties(suite, (("seed", str(result.run.seed)), ("repeat", again)))
    for row in rows:
        suite.append(_case(row, durations.get(row.id, 0.0), totals.waiver_state(row, result.run), again))
    return suite


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
    reason = printable(row.reason, REASON_LIMIT, whole_in=_WHOLE_IN)
    if row.outcome == "fail":
        failure = ElementTree.SubElement(case, "failure", message=reason, type="requirement")
        failure.text = _details(row, reason, again)
    elif row.outcome == "error":
        ElementTree.SubElement(case, "error", message=reason, type="suite").text = _details(row, reason, again)
    elif row.outcome in _SKIPPED:
        ElementTree.SubElement(case, "skipped", message=f"{row.outcome}: {reason}", type=row.outcome)
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
    return printable(text, whole_in=_WHOLE_IN)
