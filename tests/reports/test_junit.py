"""junit.xml as GitLab and Jenkins read it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

from petcheck.reports.junit import junit
from tests.support import samples


def test_a_failed_check() -> None:
    assert junit(samples.result()) == (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<testsuites name="petcheck">\n'
        '  <testsuite name="staging" hostname="https://staging.pets.example/v1" timestamp="2026-11-21T10:03:12.123Z" '
        'time="0.012" tests="1" failures="1" errors="0" skipped="0">\n'
        "    <properties>\n"
        '      <property name="seed" value="1" />\n'
        '      <property name="repeat" value="--seed 1 repeats this run" />\n'
        "    </properties>\n"
        '    <testcase classname="staging.checks.test_4_1_list" name="test_limit[5]" '
        'file="checks/test_4_1_list.py" time="0.012">\n'
        "      <properties>\n"
        '        <property name="requirement" value="LIST-3" />\n'
        '        <property name="section" value="4.1" />\n'
        '        <property name="target" value="staging" />\n'
        "      </properties>\n"
        '      <failure message="GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5." '
        'type="requirement">'
        "GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.\n\n"
        "requirements: LIST-3\nsection: 4.1\nexchanges in exchanges.har: #0, #1\n--seed 1 repeats this run</failure>\n"
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
    assert {case.get("name"): [child.tag for child in case][1:] for case in suite.iter("testcase")} == {
        "test[pass]": [],
        "test[fail]": ["failure"],
        "test[error]": ["error"],
        "test[inconclusive]": ["skipped"],
        "test[not-run]": ["skipped"],
        "test[waived]": ["skipped"],
    }


def test_a_suite_for_each_target() -> None:
    value, _ = samples.whole_run()
    suites = ElementTree.fromstring(junit(value))
    assert [suite.get("name") for suite in suites] == ["staging", "production"]
    assert [int(suite.get("tests", "")) for suite in suites] == [
        sum(check.target == name for check in value.checks) for name in ("staging", "production")
    ]


def test_hostile_text_is_xml_and_cut() -> None:
    value, _ = samples.hostile_run()
    text = junit(value)
    text.encode("utf-8")
    failure = ElementTree.fromstring(text).find(".//failure")
    assert failure is not None
    message = failure.get("message", "")
    assert "\\u{0}\\u{1b}[31m\\u{7}\\u{202e}evil" in message
    assert message.endswith(f" … [cut at 1,500 of {len(value.checks[0].reason):,} characters, whole in result.json]")
    assert "<script>" not in text


def test_no_checks_is_a_valid_document() -> None:
    [suite] = ElementTree.fromstring(junit(replace(samples.result(), checks=())))
    assert (suite.get("tests"), suite.findall("testcase")) == ("0", [])
