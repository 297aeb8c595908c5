"""junit.xml: the checks as test cases, a suite for each target, in the format that GitLab and Jenkins read (xunit1)."""

from __future__ import annotations

from xml.etree import ElementTree

from petcheck.results import totals
from petcheck.results.result import CheckRow, Result, TargetInfo
from petcheck.results.sanitize import REASON_LIMIT, printable

FILE = "junit.xml"

_WHOLE_IN = "result.json"


def junit(result: Result) -> str:
    """The XML document: a testsuite for each target, a testcase for each check.

    The seed is a property of each suite; requirement ids, section and target are properties of each case. A failed
    check has a `failure`, a broken one an `error`, and any other that did not pass a `skipped`, with the reason.
    """
    suites = ElementTree.Element("testsuites", name="petcheck")
    for target in result.targets:
        suites.append(_suite(result, target, [row for row in result.checks if row.target == target.name]))
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _suite(result: Result, target: TargetInfo, rows: list[CheckRow]) -> ElementTree.Element:
    suite = ElementTree.Element(
        "testsuite",
        name=_sanitized(target.name),
        hostname=_sanitized(target.base_url),
        timestamp=_sanitized(result.run.started),
        time=f"{sum(row.duration_s for row in rows):.3f}",
        tests=str(len(rows)),
        failures=str(sum(row.outcome == "fail" for row in rows)),
        errors=str(sum(row.outcome == "error" for row in rows)),
        skipped=str(sum(row.outcome in ("inconclusive", "not-run", "waived") for row in rows)),
    )
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in (("seed", str(result.run.seed)), ("repeat", totals.repeat_hint(result.run))):
        ElementTree.SubElement(properties, "property", name=key, value=value)
    suite.extend(_case(row, totals.repeat_hint(result.run)) for row in rows)
    return suite


def _case(row: CheckRow, again: str) -> ElementTree.Element:
    file, _, name = row.id.partition("::")
    case = ElementTree.Element(
        "testcase",
        classname=_sanitized(f"{row.target}.{file.removesuffix('.py').replace('/', '.')}"),
        name=_sanitized(name or row.id),
        file=_sanitized(file),
        time=f"{row.duration_s:.3f}",
    )
    properties = ElementTree.SubElement(case, "properties")
    named = [("requirement", item) for item in row.requirements] + [("section", row.section), ("target", row.target)]
    for key, value in named:
        ElementTree.SubElement(properties, "property", name=key, value=_sanitized(value))
    reason = printable(row.reason, REASON_LIMIT, whole_in=_WHOLE_IN)
    if row.outcome == "fail":
        failure = ElementTree.SubElement(case, "failure", message=reason, type="requirement")
        failure.text = _details(row, reason, again)
    elif row.outcome == "error":
        ElementTree.SubElement(case, "error", message=reason, type="suite").text = _details(row, reason, again)
    elif row.outcome != "pass":
        ElementTree.SubElement(case, "skipped", message=f"{row.outcome}: {reason}", type=row.outcome)
    return case


def _details(row: CheckRow, reason: str, again: str) -> str:
    """The text below a failure, for viewers that do not show its message."""
    ids = ", ".join(_sanitized(item) for item in row.requirements)
    lines = [reason, "", f"requirements: {ids}", f"section: {row.section}"]
    if row.exchanges:
        lines.append(f"exchanges in exchanges.har: {', '.join(f'#{index}' for index in row.exchanges[:20])}")
    return "\n".join([*lines, again])


def _sanitized(text: str) -> str:
    return printable(text, whole_in=_WHOLE_IN)
