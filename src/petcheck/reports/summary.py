"""summary.md: the result in one screen of Markdown, for the job page of a CI server.

Text that a target may have written is in code spans, where Markdown has no markup, links or mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from petcheck.exchange import Exchange
from petcheck.results import fleet, totals
from petcheck.results.causes import Cause, causes
from petcheck.results.manifest import PARTS
from petcheck.results.result import Result, TargetInfo
from petcheck.sanitize import printable
from petcheck.spec import sections
from petcheck.spec.outcomes import OUTCOMES
from petcheck.words import plural

FILE = "summary.md"

_FAILURES = 20  # failures listed; the report lists all
_LIMIT = 500
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def render(result: Result, evidence: Iterable[Exchange]) -> str:
    """The Markdown document: verdict, counts and requests of each target, the failures, and what was not examined.

    `evidence` are the exchanges of the run.
    """
    blocks = [
        f"## {totals.headline(result, code)}",
        f"petcheck {code(result.suite.version)}, interface {code(result.suite.interface)}, "
        f"judged as on {code(result.run.as_of)}, finished {code(result.run.finished)}. "
        f"{_again(result)}",
    ]
    if fleet.is_fleet(result):
        return "\n\n".join([*blocks, *_fleet(result)]) + "\n"
    if result.targets:
        blocks.append("\n".join(_table(result)))
        blocks.append("\n".join(_requests(target) for target in result.targets))
    failures = causes(result, evidence)
    if failures:
        blocks.append("### Failures")
        blocks.append("\n".join(_failure(cause, several=len(result.targets) > 1) for cause in failures[:_FAILURES]))
        if len(failures) > _FAILURES:
            blocks.append(f"And {len(failures) - _FAILURES} more in `report.html`.")
    notes = [f"- {sentence}" for sentence in totals.waiver_faults(result, code)]
    notes += [_not_settled(group, several=len(result.targets) > 1) for group in totals.unexamined(result)]
    notes += [_created(target) for target in result.targets if target.created]
    if notes:
        blocks += ["### Also", "\n".join(notes)]
    where = f"`{PARTS}/`" if fleet.in_parts(result) else "`exchanges.har`"
    blocks.append(f"The evidence is in `report.html` and {where}.")
    return "\n\n".join(blocks) + "\n"


def _again(result: Result) -> str:
    hint = totals.repeat_hint(result.run)
    option, _, rest = hint.partition(" repeats ")
    return f"{code(option)} repeats {rest}." if hint.startswith("--") else f"{hint[:1].upper()}{hint[1:]}."


def _fleet(joined: Result) -> Iterator[str]:
    """What the targets of a fleet fail, and what was sent."""
    members = fleet.members(joined)
    failures = fleet.failures(members)
    if failures:
        yield "### Failures"
        yield "\n".join(_failure_of(failure, len(members)) for failure in failures[:_FAILURES])
        if len(failures) > _FAILURES:
            yield f"And {len(failures) - _FAILURES} more in `report.html`."
    notes = [f"- {sentence}" for sentence in totals.waiver_faults(joined, code)[:_FAILURES]]
    notes += map(_unexamined, fleet.unexamined(joined))
    unreachable = [member.target for member in members if member.target.unreachable is not None]
    notes += [f"- {code(target.name, 80)}: {code(target.unreachable or '')}" for target in unreachable[:_FAILURES]]
    if len(unreachable) > _FAILURES:
        notes.append(f"- And {len(unreachable) - _FAILURES} more that could not be tested, in `report.html`")
    requests = plural(sum(target.requests.total for target in joined.targets), "request")
    animals = plural(sum(len(target.created) for target in joined.targets), "animal")
    notes.append(f"- Sent: {requests}; left behind: {animals}")
    yield "### Also"
    yield "\n".join(notes)
    yield "`report.html` groups the targets and links the report of each, with its evidence."


def _unexamined(group: fleet.Unexamined) -> str:
    what = f"{plural(len(group.ids), 'requirement')} on {plural(group.targets, 'target')}"
    ids = totals.comma_list(group.ids, quote=code)
    if group.settled_by is None:
        return f"- Not examined, see the report of each: {what}: {ids}"
    return f"- Add {code(group.settled_by, 80)} to judge {what}: {ids}"


def _failure_of(failure: fleet.Failure, whole: int) -> str:
    row = failure.row
    place = f"section {escape(row.section)} {escape(sections.title(row.section))}".rstrip()
    names = totals.comma_list(failure.targets, quote=lambda name: code(name, 80))
    where = f"on {len(failure.targets):,} of {whole:,} targets: {names}"
    return f"- **{code(row.id)}** ({place}) {where}<br>{_statement(row.statement)}"


def code(text: str, limit: int = _LIMIT) -> str:
    """`text` as a code span that the text cannot end, also in a table cell."""
    shown = printable(text, limit, whole_in="result.json").replace("|", "\\u{7c}")
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if not shown or shown.startswith(("`", " ")) or shown.endswith(("`", " ")) else ""
    return f"{fence}{pad}{shown or '-'}{pad}{fence}"


def escape(text: str) -> str:
    """`text` of the catalogue with every character that has a meaning in Markdown escaped.

    An at sign becomes a numeric escape: even with a backslash it makes a mention or an address.
    """
    return _PUNCTUATION.sub(r"\\\1", printable(text, 2_000, whole_in="result.json")).replace("\\@", "\\\\u{40}")


def _statement(text: str) -> str:
    """A statement of the catalogue, with backticks around code."""
    parts = printable(text, _LIMIT, whole_in="result.json").split("`")
    if len(parts) % 2 == 0:  # one backtick is left over, so none of them marks code
        return escape(text)
    return "".join(code(part) if index % 2 else escape(part) for index, part in enumerate(parts))


def _table(result: Result) -> list[str]:
    lines = [
        f"| target | {' | '.join((*OUTCOMES, totals.NOT_IN_FORCE))} |",
        f"|---|{'--:|' * (len(OUTCOMES) + 1)}",
    ]
    for target in result.targets:
        found = totals.tally(result.rows_of(target.name))
        numbers = " | ".join(str(number) for number in found.values())
        lines.append(f"| {code(target.name, 80)} | {numbers} |")
    return lines


def _failure(cause: Cause, *, several: bool) -> str:
    first, *others = cause.rows
    where = f", on {code(cause.target, 80)}" if several else ""
    title = code(cause.title) if others else _statement(first.statement)
    place = f"section {escape(first.section)} {escape(sections.title(first.section))}".rstrip()
    return f"- **{code(cause.ids)}** ({place}{' and others' if others else ''}{where}): {title}<br>{code(first.reason)}"


def _not_settled(group: totals.Unexamined, *, several: bool) -> str:
    where = f" on {totals.comma_list(group.targets, quote=code)}" if several else ""
    ids = totals.comma_list([row.id for row in group.rows], quote=code)
    number = plural(len(group.rows), "requirement")
    if group.settled_by is None:
        return f"- Not examined, see `report.html`: {number}{where}: {ids}"
    return f"- Add {code(group.settled_by, 80)} to judge {number}{where}: {ids}"


def _requests(target: TargetInfo) -> str:
    notes = filter(None, (totals.repeats_note(target),))
    return " ".join([f"- Sent to {code(target.name, 80)}: {totals.request_summary(target)}.", *notes])


def _created(target: TargetInfo) -> str:
    number = plural(len(target.created), "animal")
    return f"- Left behind on {code(target.name, 80)}: {number}, listed in `report.html`"
