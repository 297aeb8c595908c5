"""Annotations, read as the parsers of CI systems read them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from petcheck.judging.verdicts import AppliedWaiver
from petcheck.reports.annotations import job_summary, lines
from petcheck.sanitize import escape_commands
from tests.support import samples

GITHUB, AZURE, TEAMCITY = {"GITHUB_ACTIONS": "true"}, {"TF_BUILD": "True"}, {"TEAMCITY_VERSION": "2026.1"}
COMMANDS = " ::error::x\n::stop-commands::t\r%0A::set-output name=a::b ##vso[task.setvariable variable=a]b ##[error]x "
COMMANDS += "##teamcity[buildStop comment='x']|n|'|] 100%,50%25: Žofie 🐈"


def test_a_failure_is_an_error_with_a_title() -> None:
    value = samples.result(samples.row(reason="got 50 %, [a]|'b': 20"))
    assert lines(value, (), GITHUB) == ["::error title=LIST-3 fails::got 50 %25, [a]|'b': 20"]
    assert lines(value, (), AZURE) == ["##vso[task.logissue type=error]LIST-3 fails: got 50 %AZP25, [a]|'b': 20"]
    assert lines(value, (), TEAMCITY) == [
        "##teamcity[buildProblem description='LIST-3 fails: got 50 %, |[a|]|||'b|': 20' "
        "identity='petcheck_LIST_3_fails']"
    ]


def test_failures_of_one_cause_are_one_annotation() -> None:
    value, exchanges = samples.one_cause()
    (line,) = lines(value, tuple(exchanges), GITHUB)
    assert line == (
        "::error title=CREATE-5 to CREATE-7%2C CREATE-10 fail::"
        "POST /pets returns 422 where 400 is required. POST /pets: expected 400, got 422."
    )


@pytest.mark.parametrize("environment", [{}, {"CI": "true"}, {"GITLAB_CI": "true"}, {"GITHUB_ACTIONS": "false"}])
def test_other_systems_get_no_annotations(environment: Mapping[str, str]) -> None:
    assert lines(samples.result(), (), environment) == []


def test_only_causes_of_a_failed_run_are_annotated() -> None:
    value = samples.result(
        samples.row("LIST-1", "pass", waiver=AppliedWaiver("known", "2026-12-31")),
        samples.row("LIST-2", "waived", waiver=AppliedWaiver("known", "2026-12-31")),
        samples.row("LIST-3", "fail", waiver=AppliedWaiver("known", "2026-11-01"), reason="too long"),
        samples.row("LIST-4", "inconclusive"),
        samples.row("LIST-5", "error", reason="broke"),
        samples.row("LIST-6", "error", reason="silence", target="production"),
        targets=(samples.target(), samples.target("production", unreachable="Nothing answers.")),
        complete=False,
        exit_code=2,
    )
    assert lines(value, (), GITHUB) == [
        "::error title=production could not be tested::Nothing answers.",
        "::error title=LIST-3 fails on staging::too long",
        "::error title=LIST-5 could not be judged on staging::broke",
        "::error title=A waiver fails the run::The waiver of LIST-1 on staging is stale: the requirement passes now.",
        "::error title=The run was interrupted::The rest was not judged.",
    ]
    strict = samples.result(samples.row("LIST-4", "inconclusive"), exit_code=7)
    assert [line.split("::")[1] for line in lines(strict, (), GITHUB)] == ["error title=Not everything was examined"]


def test_ten_are_shown_and_the_last_counts_the_others() -> None:
    value = samples.result(*(samples.row(f"LIST-{number}") for number in range(30)))
    told = lines(value, (), GITHUB)
    assert len(told) == 10
    assert told[-1] == "::error title=And 21 more::All of them are in report.html and summary.md."


def _github(line: str) -> str:
    """The message that GitHub's runner reads from a line."""
    match = re.fullmatch(r"::error title=([^:,]*)::(.*)", line)
    assert match is not None, line
    return f"{match[1]}: {match[2]}".replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def _teamcity(line: str) -> str:
    match = re.fullmatch(r"##teamcity\[buildProblem description='((?:[^|'\[\]\n]|\|.)*)' identity='\w{1,60}'\]", line)
    assert match is not None, line
    units = re.sub(r"\|0x([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), match[1])
    text = units.encode("utf-16-be", "surrogatepass").decode("utf-16-be")
    return re.sub(r"\|(.)", r"\1", text)


@pytest.mark.parametrize("hostile", [COMMANDS, samples.HOSTILE, "\\u2028::\u2028::error::", "%250A::error::x"])
def test_text_of_a_target_stays_inside_its_annotation(hostile: str) -> None:
    value = samples.result(
        samples.row(reason=hostile), targets=(replace(samples.target(), unreachable=hostile),), exit_code=1
    )
    for environment in (GITHUB, AZURE, TEAMCITY):
        for line in lines(value, (), environment):
            assert len(line.splitlines()) == 1
            assert line.isprintable()
    (unreachable, failure) = lines(value, (), GITHUB)
    assert "\n" not in _github(failure)
    assert _github(failure).removeprefix("LIST-3 fails: ") == _teamcity(lines(value, (), TEAMCITY)[1]).removeprefix(
        "LIST-3 fails: "
    )
    assert _github(unreachable).startswith("staging could not be tested: ")
    for line in lines(value, (), AZURE):
        assert line.startswith("##vso[task.logissue type=error]")
        assert "%0A" not in line


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("::error::x", "\\u{3a}:error::x"),
        ("    ::error::x", "    \\u{3a}:error::x"),
        ("came ##[error]x", "came \\u{23}#[error]x"),
        ("##vso[task.complete result=Succeeded;]", "\\u{23}#vso[task.complete result=Succeeded;]"),
        ("##teamcity[buildStop]", "\\u{23}#teamcity[buildStop]"),
        ("checks/test_4_1_list.py::test_limit", "checks/test_4_1_list.py::test_limit"),
        ("http://[::1]/v1 # not ## a [command]", "http://[::1]/v1 # not ## a [command]"),
    ],
)
def test_printed_text_is_not_a_command(said: str, shown: str) -> None:
    assert escape_commands(said) == shown


def test_the_page_of_the_job() -> None:
    assert job_summary({}) is None
    assert job_summary({"GITHUB_STEP_SUMMARY": ""}) is None
    assert str(job_summary({"GITHUB_STEP_SUMMARY": "/run/summary"})) == "/run/summary"
