"""summary.md: the result in a screenful of Markdown, for the page that a CI server shows for a job.

Whatever a target may have had a hand in stands in code spans, where neither markup, links nor mentions exist.
"""

from __future__ import annotations

import re

from petcheck.reports import digest, sections
from petcheck.reports.result import RequirementRow, Result, TargetInfo
from petcheck.reports.visible import visible

FILE = "summary.md"

_FAILURES = 20  # listed; a job summary is no report
_LIMIT = 500
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def render(result: Result) -> str:
    """The Markdown document: verdict, counts and requests of each target, failures and why, what is left open."""
    blocks = [
        f"## {digest.headline(result, code)}",
        f"petcheck {code(result.suite.version)}, interface {code(result.suite.interface)}, "
        f"judged as on {code(result.run.as_of)}, finished {code(result.run.finished)}. "
        f"{code(f'--seed {result.run.seed}')} repeats this run.",
    ]
    if result.targets:
        blocks.append("\n".join(_table(result)))
        blocks.append("\n".join(_sent(target) for target in result.targets))
    failures = digest.with_outcome(result, "fail")
    if failures:
        blocks.append("### Failures")
        blocks.append("\n".join(_failure(row, several=len(result.targets) > 1) for row in failures[:_FAILURES]))
        if len(failures) > _FAILURES:
            blocks.append(f"And {len(failures) - _FAILURES} more in `report.html`.")
    notes = [f"- {sentence}" for sentence in digest.waiver_faults(result, code)]
    notes += [_open(group, several=len(result.targets) > 1) for group in digest.unexamined(result)]
    notes += [_created(target) for target in result.targets if target.created]
    if notes:
        blocks += ["### Also", "\n".join(notes)]
    blocks.append("The evidence is in `report.html` and `exchanges.har`.")
    return "\n\n".join(blocks) + "\n"


def code(text: str, limit: int = _LIMIT) -> str:
    """`text` as a code span that nothing in it can end, fit for a table cell too."""
    shown = visible(text, limit, whole_in="result.json").replace("|", "\\u{7c}")
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if not shown or shown.startswith(("`", " ")) or shown.endswith(("`", " ")) else ""
    return f"{fence}{pad}{shown or '-'}{pad}{fence}"


def escape(text: str) -> str:
    """`text` with every sign that Markdown knows escaped; for the words of the catalogue.

    An at sign, which even escaped would make a mention or an address, is shown by its number.
    """
    return _PUNCTUATION.sub(r"\\\1", visible(text, 2_000, whole_in="result.json")).replace("\\@", "\\\\u{40}")


def _statement(text: str) -> str:
    """A catalogue statement, whose backticks mark code."""
    parts = visible(text, _LIMIT, whole_in="result.json").split("`")
    if len(parts) % 2 == 0:  # an odd backtick out: none of them marks anything
        return escape(text)
    return "".join(code(part) if index % 2 else escape(part) for index, part in enumerate(parts))


def _table(result: Result) -> list[str]:
    lines = [
        "| target | pass | fail | error | inconclusive | not-run | waived |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for target in result.targets:
        found = digest.counts(row for row in result.requirements if row.target == target.name)
        numbers = " | ".join(str(number) for number in found.values())
        lines.append(f"| {code(target.name, 80)} | {numbers} |")
    return lines


def _failure(row: RequirementRow, *, several: bool) -> str:
    place = f"section {escape(row.section)} {escape(sections.title(row.section))}".rstrip()
    where = f", on {code(row.target, 80)}" if several else ""
    return f"- **{code(row.id)}** ({place}{where}): {_statement(row.statement)}<br>{code(row.reason)}"


def _open(group: digest.Unexamined, *, several: bool) -> str:
    where = f" on {digest.listed(group.targets, quote=code)}" if several else ""
    ids = digest.listed([row.id for row in group.rows], quote=code)
    number = digest.plural(len(group.rows), "requirement")
    if group.settled_by is None:
        return f"- {number} not settled{where}: {ids}"
    return f"- {code(group.settled_by, 80)} would settle {number}{where}: {ids}"


def _sent(target: TargetInfo) -> str:
    sample = digest.sample(target)
    return f"- Sent to {code(target.name, 80)}: {digest.requests(target)}.{f' {sample}' if sample else ''}"


def _created(target: TargetInfo) -> str:
    number = digest.plural(len(target.created), "animal")
    return f"- Left behind on {code(target.name, 80)}: {number}, listed in `report.html`"
