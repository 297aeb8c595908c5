"""junit.xml: the checks as test cases, a suite for each target, in the shape that GitLab and Jenkins read (xunit1)."""

from __future__ import annotations

from xml.etree import ElementTree

from petcheck.reports import digest
from petcheck.reports.result import CheckRow, Result, TargetInfo
from petcheck.reports.visible import REASON_LIMIT, visible

FILE = "junit.xml"

_FILE_OF_EVIDENCE = "result.json"


def junit(result: Result) -> str:
    """The XML document: a testsuite for each target, a testcase for each check.

    A suite has the seed among its properties. A failed check has a `failure`, a broken one an `error`, every other
    without a verdict a `skipped`, each with the reason; requirement ids, section and target are its properties.
    """
    suites = ElementTree.Element("testsuites", name="petcheck")
    for target in result.targets:
        suites.append(_suite(result, target, [row for row in result.checks if row.target == target.name]))
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _suite(result: Result, target: TargetInfo, rows: list[CheckRow]) -> ElementTree.Element:
    suite = ElementTree.Element(
        "testsuite",
        name=_shown(target.name),
        hostname=_shown(target.base_url),
        timestamp=_shown(result.run.started),
        time=f"{sum(row.duration_s for row in rows):.3f}",
        tests=str(len(rows)),
        failures=str(sum(row.outcome == "fail" for row in rows)),
        errors=str(sum(row.outcome == "error" for row in rows)),
        skipped=str(sum(row.outcome in ("inconclusive", "not-run", "waived") for row in rows)),
    )
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in (("seed", str(result.run.seed)), ("repeat", digest.again(result.run))):
        ElementTree.SubElement(properties, "property", name=key, value=value)
    suite.extend(_case(row, digest.again(result.run)) for row in rows)
    return suite


def _case(row: CheckRow, again: str) -> ElementTree.Element:
    file, _, name = row.id.partition("::")
    case = ElementTree.Element(
        "testcase",
        classname=_shown(f"{row.target}.{file.removesuffix('.py').replace('/', '.')}"),
        name=_shown(name or row.id),
        file=_shown(file),
        time=f"{row.duration_s:.3f}",
    )
    properties = ElementTree.SubElement(case, "properties")
    named = [("requirement", item) for item in row.requirements] + [("section", row.section), ("target", row.target)]
    for key, value in named:
        ElementTree.SubElement(properties, "property", name=key, value=_shown(value))
    reason = visible(row.reason, REASON_LIMIT, whole_in=_FILE_OF_EVIDENCE)
    if row.outcome == "fail":
        failure = ElementTree.SubElement(case, "failure", message=reason, type="requirement")
        failure.text = _story(row, reason, again)
    elif row.outcome == "error":
        ElementTree.SubElement(case, "error", message=reason, type="suite").text = _story(row, reason, again)
    elif row.outcome != "pass":
        ElementTree.SubElement(case, "skipped", message=f"{row.outcome}: {reason}", type=row.outcome)
    return case


def _story(row: CheckRow, reason: str, again: str) -> str:
    """The text below a failure, for the viewers that show it and not the message."""
    ids = ", ".join(_shown(item) for item in row.requirements)
    lines = [reason, "", f"requirements: {ids}", f"section: {row.section}"]
    if row.exchanges:
        lines.append(f"exchanges in exchanges.har: {', '.join(f'#{index}' for index in row.exchanges[:20])}")
    return "\n".join([*lines, again])


def _shown(text: str) -> str:
    return visible(text, whole_in=_FILE_OF_EVIDENCE)
