"""Annotations for the CI system that runs petcheck: one for each thing that fails the run.

Environment variables identify the system. GitHub Actions, Azure Pipelines and TeamCity read annotations from the log,
one command per line. GitLab and Jenkins show junit.xml instead. Text from a target is sanitized first, so it has no
line break, and then escaped as the system requires.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from petcheck.exchange import Exchange
from petcheck.judging.waivers import fails_by_waiver
from petcheck.results import totals
from petcheck.results.causes import causes
from petcheck.results.result import Result
from petcheck.sanitize import escape_commands, printable, printable_reason

_MOST = 10  # GitHub shows no more for a step
_LIMIT = 600  # characters of one


@dataclass(frozen=True, slots=True)
class Annotation:
    """One thing that fails the run: a heading and a sentence, each one line of sanitized text."""

    title: str
    text: str


def lines(result: Result, evidence: Sequence[Exchange], environment: Mapping[str, str]) -> list[str]:
    """The commands that show the CI system of `environment` what fails the run; none for other environments.

    `evidence` are the exchanges of the run. At most ten; if there are more, the last one counts the rest.
    """
    write = _writer(environment)
    return [write(one) for one in _cut(_annotations(result, evidence))] if write else []


def job_summary(environment: Mapping[str, str]) -> Path | None:
    """The file that GitHub Actions shows on a job's page, to append summary.md to; None outside GitHub Actions."""
    name = environment.get("GITHUB_STEP_SUMMARY", "")
    return Path(name) if name else None


def _writer(environment: Mapping[str, str]) -> Callable[[Annotation], str] | None:
    if environment.get("GITHUB_ACTIONS") == "true":
        return _github
    if environment.get("TF_BUILD", "").lower() == "true":
        return _azure
    return _teamcity if environment.get("TEAMCITY_VERSION") else None


def _annotations(result: Result, evidence: Sequence[Exchange]) -> list[Annotation]:
    """The most serious first: targets that could not be tested, failures by cause, errors, waivers, the rest."""
    found = [
        Annotation(f"{printable(target.name, 60)} could not be tested", _text(target.unreachable))
        for target in result.targets
        if target.unreachable is not None
    ]
    for cause in causes(result, evidence):
        verb = "fails" if len(cause.rows) == 1 else "fail"
        why = "" if len(cause.rows) == 1 else f"{cause.title}. "
        title = f"{cause.ids} {verb}{totals.where(cause.targets, result)}"
        found.append(Annotation(title, _text(why + cause.reason)))
    unreachable = {target.name for target in result.targets if target.unreachable is not None}
    for row in totals.with_outcome(result, "error"):
        if row.target not in unreachable:
            title = f"{printable(row.id, 60)} could not be judged{totals.where([row.target], result)}"
            found.append(Annotation(title, _text(row.reason)))
    # a failure with an expired waiver is among the failures already
    held = replace(result, requirements=tuple(row for row in result.requirements if fails_by_waiver(row)))
    found += [Annotation("A waiver fails the run", _text(sentence)) for sentence in totals.waiver_faults(held)]
    found += [
        Annotation("Not everything was examined", _text(sentence)) for sentence in totals.too_little_examined(result)
    ]
    if not result.complete:
        found.append(Annotation(totals.why_incomplete(result), "The rest was not judged."))
    return found


def _text(text: str) -> str:
    return escape_commands(printable_reason(text, _LIMIT))


def _cut(annotations: Sequence[Annotation]) -> list[Annotation]:
    if len(annotations) <= _MOST:
        return list(annotations)
    left = len(annotations) - _MOST + 1
    return [*annotations[: _MOST - 1], Annotation(f"And {left} more", "All of them are in report.html and summary.md.")]


def _github(annotation: Annotation) -> str:
    title = annotation.title.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return f"::error title={title}::{annotation.text.replace('%', '%25')}"


def _azure(annotation: Annotation) -> str:
    text = f"{annotation.title}: {annotation.text}".replace("%", "%AZP25")
    return f"##vso[task.logissue type=error]{text}"


def _teamcity(annotation: Annotation) -> str:
    """A build problem: TeamCity shows it on the first page of a build and recognizes it in the next build."""
    text = re.sub(r"[|'[\]]", r"|\g<0>", f"{annotation.title}: {annotation.text}")
    plain = "".join(sign if sign.isascii() else f"|0x{ord(sign):04x}" for sign in _utf16(text))
    identity = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in annotation.title)
    return f"##teamcity[buildProblem description='{plain}' identity='petcheck_{identity[:51]}']"


def _utf16(text: str) -> str:
    """`text` with each character beyond 16 bits as two surrogates, as in Java."""
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(chr(int.from_bytes(units[at : at + 2], "big")) for at in range(0, len(units), 2))
