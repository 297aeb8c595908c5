"""junit.xml as GitLab and Jenkins read it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import replace

from petcheck.reports.junit import junit
from tests.support import samples


def test_a_requirement_that_fails() -> None:
    assert junit(samples.result()) == (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<testsuites name="petcheck">\n'
        '  <testsuite name="staging" timestamp="2026-11-21T10:03:12.123Z" tests="1" failures="1" '
        'errors="0" skipped="0" hostname="https://staging.pets.example/v1" time="0.012">\n'
        "    <properties>\n"
        '      <property name="seed" value="1" />\n'
        '      <property name="repeat" value="--seed 1 with the same options repeats this run" />\n'
        "    </properties>\n"
        '    <testcase classname="staging.List all animals" '
        'name="LIST-3 A page never holds more animals than limit asks for." '
        'file="checks/test_4_1_list.py" time="0.012">\n'
        "      <properties>\n"
        '        <property name="requirement" value="LIST-3" />\n'
        '        <property name="section" value="4.1" />\n'
        '        <property name="level" value="stated" />\n'
        '        <property name="target" value="staging" />\n'
        "      </properties>\n"
        '      <failure message="GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5." '
        'type="requirement">'
        "GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.\n\n"
        "rule: A page never holds more animals than `limit` asks for.\nsection: 4.1\n"
        "exchanges in exchanges.har: #1\njudged by checks/test_4_1_list.py::test_limit[5]\n"
        "--seed 1 with the same options repeats this run</failure>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )


def test_each_outcome_has_its_element_and_is_counted() -> None:
    value, _ = samples.hostile_run()
    [suite] = ElementTree.fromstring(junit(value))
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "6",
        "failures": "1",
        "errors": "1",
        "skipped": "3",
    }
    assert {case.get("name", "").split()[0]: [child.tag for child in case][1:] for case in suite.iter("testcase")} == {
        "LIST-3": ["failure"],
        "LIST-4": ["skipped"],
        "LIST-5": ["skipped"],
        "LIST-6": ["error"],
        "LIST-7": [],
        "RATE-10": ["skipped"],
    }


def test_a_stale_waiver_is_named_on_its_case() -> None:
    value, _ = samples.hostile_run()
    named = {
        case.get("name", "").split()[0]: one.get("value")
        for case in ElementTree.fromstring(junit(value)).iter("testcase")
        for one in case.iter("property")
        if one.get("name") == "waiver"
    }
    assert named == {
        "LIST-5": "Waived until 2026-12-31, 40 days left",
        "LIST-7": "Stale waiver, the requirement passes now (until 2026-12-31)",
    }


def test_the_numbers_are_those_of_the_verdicts() -> None:
    value, _ = samples.whole_run()
    for suite in ElementTree.fromstring(junit(value)):
        found = Counter(row.outcome for row in value.rows_of(suite.get("name", "")))
        assert found["fail"]
        assert (suite.get("failures"), suite.get("errors")) == (str(found["fail"]), str(found["error"]))
        assert len({(case.get("classname"), case.get("name")) for case in suite.iter("testcase")}) == sum(
            found.values()
        )


def test_the_time_of_a_case_is_that_of_its_checks() -> None:
    value = samples.result(samples.row(), samples.row("LIST-4", "pass"))
    [check] = value.checks
    both = replace(check, requirements=("LIST-3", "LIST-4"), duration_s=0.5)
    [suite] = ElementTree.fromstring(junit(replace(value, checks=(check, both))))
    assert suite.get("time") == "0.512"
    assert [case.get("time") for case in suite.iter("testcase")] == ["0.512", "0.500"]


def test_a_suite_for_each_target() -> None:
    value, _ = samples.whole_run()
    suites = ElementTree.fromstring(junit(value))
    assert [suite.get("name") for suite in suites] == ["staging", "production"]
    assert [int(suite.get("tests", "")) for suite in suites] == [
        len(value.rows_of(name)) for name in ("staging", "production")
    ]


def test_hostile_text_is_xml_and_cut() -> None:
    value, _ = samples.hostile_run()
    text = junit(value)
    text.encode("utf-8")
    failure = ElementTree.fromstring(text).find(".//failure")
    assert failure is not None
    message = failure.get("message", "")
    assert "\\u{0}\\u{1b}[31m\\u{7}\\u{202e}evil" in message
    assert message.endswith(
        f" … [cut at 1,500 of {len(value.requirements[0].reason):,} characters, whole in result.json]"
    )
    assert "<script>" not in text


def test_a_requirement_without_checks_and_of_an_unknown_section() -> None:
    value = samples.result(samples.row(section="10.2", checks=()), checks=())
    [case] = ElementTree.fromstring(junit(value)).iter("testcase")
    assert (case.get("classname"), case.get("file"), case.get("time")) == ("staging.section 10-2", None, "0.000")


def test_nothing_judged_is_a_valid_document() -> None:
    [suite] = ElementTree.fromstring(junit(replace(samples.result(), requirements=())))
    assert (suite.get("tests"), suite.findall("testcase")) == ("0", [])
