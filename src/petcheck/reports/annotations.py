"""What the CI system around a run shows beside its log: a remark for each thing that fails the run.

A system announces itself by its environment. GitHub Actions, Azure Pipelines and TeamCity take remarks from the log, a
command a line. GitLab's are tied to a line of a file in the repository, which a failure of a server has none of; it
shows junit.xml instead, as Jenkins does. Whatever a target had a hand in is visible text first, so that it holds no
line break, and then escaped as the system asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from petcheck.reports import digest
from petcheck.reports.result import Result
from petcheck.reports.visible import inert, visible

_SHOWN = 10  # as many of a kind as GitHub shows for a step
_LIMIT = 600


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing that fails the run: a heading, and a sentence. Visible text of one line each."""

    title: str
    text: str


def lines(result: Result, environment: Mapping[str, str]) -> list[str]:
    """The commands that tell the CI system of `environment` what fails the run; none where it is none that takes any.

    Ten at most, the last of which counts what is left out.
    """
    write = _writer(environment)
    return [write(remark) for remark in _cut(_remarks(result))] if write else []


def job_summary(environment: Mapping[str, str]) -> Path | None:
    """The file that GitHub Actions shows on a job's page, which summary.md is appended to; None where it has none."""
    name = environment.get("GITHUB_STEP_SUMMARY", "")
    return Path(name) if name else None


def _writer(environment: Mapping[str, str]) -> Callable[[Remark], str] | None:
    if environment.get("GITHUB_ACTIONS") == "true":
        return _github
    if environment.get("TF_BUILD", "").lower() == "true":
        return _azure
    return _teamcity if environment.get("TEAMCITY_VERSION") else None


def _remarks(result: Result) -> list[Remark]:
    """The gravest first: targets that could not be tested, failures, waivers, then what else decides the run."""
    several = len(result.targets) > 1

    def place(target: str) -> str:
        return f" on {visible(target, 60)}" if several else ""

    found = [
        Remark(f"{visible(target.name, 60)} could not be tested", _text(target.unreachable))
        for target in result.targets
        if target.unreachable is not None
    ]
    for row in digest.with_outcome(result, "fail"):
        found.append(Remark(f"{visible(row.id, 60)} fails{place(row.target)}", _text(row.reason)))
    unreachable = {target.name for target in result.targets if target.unreachable is not None}
    for row in digest.with_outcome(result, "error"):
        if row.target not in unreachable:
            found.append(Remark(f"{visible(row.id, 60)} could not be judged{place(row.target)}", _text(row.reason)))
    # a failure whose waiver expired says so itself
    held = replace(result, requirements=tuple(row for row in result.requirements if row.outcome == "pass"))
    found += [Remark("A waiver fails the run", _text(sentence)) for sentence in digest.waiver_faults(held)]
    if result.run.exit == 7:
        found.append(Remark("Not everything was examined", "Under --strict that fails the run; report.html says why."))
    if not result.complete:
        found.append(Remark("The run was interrupted", "What it had not judged until then is missing."))
    return found


def _text(text: str) -> str:
    return inert(visible(text, _LIMIT, whole_in="result.json"))


def _cut(remarks: Sequence[Remark]) -> list[Remark]:
    if len(remarks) <= _SHOWN:
        return list(remarks)
    left = len(remarks) - _SHOWN + 1
    return [*remarks[: _SHOWN - 1], Remark(f"And {left} more", "All of them are in report.html and summary.md.")]


def _github(remark: Remark) -> str:
    title = _replaced(remark.title, {"%": "%25", ":": "%3A", ",": "%2C"})
    return f"::error title={title}::{_replaced(remark.text, {'%': '%25'})}"


def _azure(remark: Remark) -> str:
    return f"##vso[task.logissue type=error]{_replaced(f'{remark.title}: {remark.text}', {'%': '%AZP25'})}"


def _teamcity(remark: Remark) -> str:
    """A build problem, which TeamCity shows on a build's first page and knows again in the next build."""
    signs = {"|": "||", "'": "|'", "[": "|[", "]": "|]"}
    text = _replaced(f"{remark.title}: {remark.text}", signs)
    plain = "".join(sign if sign.isascii() else f"|0x{ord(sign):04x}" for sign in _utf16(text))
    identity = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in remark.title)
    return f"##teamcity[buildProblem description='{plain}' identity='petcheck_{identity[:51]}']"


def _utf16(text: str) -> str:
    """`text` with each sign beyond 16 bits as the two that Java has for it."""
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(chr(int.from_bytes(units[at : at + 2], "big")) for at in range(0, len(units), 2))


def _replaced(text: str, signs: Mapping[str, str]) -> str:
    """`text` with all signs replaced at once, so that no replacement is replaced again."""
    return "".join(signs.get(sign, sign) for sign in text)
