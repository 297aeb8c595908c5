"""summary.md: the result in one screen of Markdown, for the job page of a CI server.

Text that a target may have written is in code spans, where Markdown has no markup, links or mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from petcheck.exchange import Exchange
from petcheck.judging.verdicts import Verdict
from petcheck.results import fleet, totals
from petcheck.results.causes import SHOWN_BESIDE, Cause, by_target, causes
from petcheck.results.findings import TargetInfo
from petcheck.results.manifest import PARTS
from petcheck.results.result import Result
from petcheck.sanitize import comma_list, printable, printable_reason
from petcheck.spec import sections
from petcheck.spec.outcomes import NOT_IN_FORCE, OUTCOMES
from petcheck.words import plural

FILE = "summary.md"

_LISTED = 20  # of each kind; the report lists all
_LIMIT = 500
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def render(result: Result, evidence: Iterable[Exchange]) -> str:
    """The Markdown document: verdict, counts and requests of each target, the failures, and what was not examined.

    `evidence` are the exchanges of the run.
    """
    found = causes(result, evidence)
    blocks = [
        f"## {totals.headline(result, code, by_target(found))}",
        f"petcheck {code(result.suite.version)}, interface {code(result.suite.interface)}, "
        f"judged as on {code(result.run.as_of)}, finished {code(result.run.finished)}. "
        f"{_again(result)}",
    ]
    blocks += ["; ".join(f"{code(name)} {code(value)}" for name, value in totals.tested(result.run.settings))]
    whole = fleet.is_fleet(result)
    if result.targets and not whole:
        blocks += ["\n".join(_table(result)), "\n".join(_requests(target) for target in result.targets)]
    if found:
        blocks += ["### Failures", "\n".join(_failure(cause, result) for cause in found[:_LISTED])]
    if len(found) > _LISTED:
        blocks.append(f"And {len(found) - _LISTED} more in `report.html`.")
    waived = totals.with_outcome(result, "waived")
    if waived:
        blocks += ["### Waived", "\n".join(_waived(row, result) for row in waived[:_LISTED])]
    if len(waived) > _LISTED:
        blocks.append(f"And {len(waived) - _LISTED} more in `report.html`.")
    notes = [f"- {sentence}" for sentence in totals.waiver_faults(result, code)[:_LISTED]]
    notes += [_not_settled(group, result) for group in totals.unexamined(result)]
    notes += _of_fleet(result) if whole else [_created(target) for target in result.targets if target.created]
    if not whole:
        notes += filter(None, (_least_covered(result, target) for target in result.targets))
    if notes:
        blocks += ["### Also", "\n".join(notes)]
    where = f"`{PARTS}/`" if fleet.in_parts(result) else "`exchanges.har`"
    blocks.append(f"The evidence is in `report.html` and {where}.")
    return "\n\n".join(filter(None, blocks)) + "\n"


def _again(result: Result) -> str:
    hint = totals.repeat_hint(result.run)
    option, _, rest = hint.partition(" with ")
    return f"{code(option)} with {rest}." if hint.startswith("--") else f"{hint[:1].upper()}{hint[1:]}."


def _of_fleet(joined: Result) -> Iterator[str]:
    """Which targets of a fleet could not be tested, and what was sent."""
    unreachable = [target for target in joined.targets if target.unreachable is not None]
    for target in unreachable[:_LISTED]:
        yield f"- {code(target.name, 80)}: {code(target.unreachable or '')}"
    if len(unreachable) > _LISTED:
        yield f"- And {len(unreachable) - _LISTED} more that could not be tested, in `report.html`"
    yield f"- Sent: {totals.spent(joined)}"


def code(text: str, limit: int = _LIMIT) -> str:
    """`text` as a code span that the text cannot end, also in a table cell."""
    shown = printable_reason(text, limit).replace("|", "\\u{7c}")
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if not shown or shown.startswith(("`", " ")) or shown.endswith(("`", " ")) else ""
    return f"{fence}{pad}{shown or '-'}{pad}{fence}"


def escape(text: str) -> str:
    """`text` of the catalogue with every character that has a meaning in Markdown escaped.

    An at sign becomes a numeric escape: even with a backslash it makes a mention or an address.
    """
    return _PUNCTUATION.sub(r"\\\1", printable_reason(text, 2_000)).replace("\\@", "\\\\u{40}")


def _statement(text: str) -> str:
    """A statement of the catalogue, with backticks around code."""
    parts = printable_reason(text, _LIMIT).split("`")
    if len(parts) % 2 == 0:  # one backtick is left over, so none of them marks code
        return escape(text)
    return "".join(code(part) if index % 2 else escape(part) for index, part in enumerate(parts))


def _table(result: Result) -> list[str]:
    lines = [
        f"| target | {' | '.join((*OUTCOMES, NOT_IN_FORCE))} |",
        f"|---|{'--:|' * (len(OUTCOMES) + 1)}",
    ]
    for target in result.targets:
        found = totals.tally(result.rows_of(target.name))
        numbers = " | ".join(str(number) for number in found.values())
        lines.append(f"| {code(target.name, 80)} | {numbers} |")
    return lines


def _failure(cause: Cause, result: Result) -> str:
    shown, others = cause.shown, len(cause.rows) > 1
    where = totals.where(cause.targets, result, code).replace(" on ", ", on ", 1)
    title = code(cause.title) if others else _statement(shown.statement)
    place = f"section {escape(sections.place(shown.section))}"
    also = " and others" if others else ""
    beside = [f"{code(ids)}: {code(reason)}" for ids, reason in cause.beside[:SHOWN_BESIDE]]
    if len(cause.beside) > SHOWN_BESIDE:
        beside.append(f"{len(cause.beside) - SHOWN_BESIDE} more, in `report.html`")
    return "<br>".join((f"- **{code(cause.ids)}** ({place}{also}{where}): {title}", code(cause.reason), *beside))


def _waived(row: Verdict, result: Result) -> str:
    """A waived failure: its waiver, and what was found, which may not be what the waiver was written for."""
    where = totals.where([row.target], result, code)
    reason = f"{totals.waiver_state(row, result.run)}. {row.waiver.reason if row.waiver else ''}"
    return f"- **{code(row.id, 60)}**{where}: {escape(printable(reason))}<br>{code(row.reason)}"


def _not_settled(group: totals.Unexamined, result: Result) -> str:
    what = f"{plural(len(group.rows), 'requirement')}{totals.where(group.targets, result, code)}"
    ids = comma_list(group.ids, quote=code)
    if group.settled_by is None:
        return f"- Not examined, see `report.html`: {what}: {ids}"
    way = totals.way_to(group.settled_by, result.run).capitalize()
    return f"- {way} {code(group.settled_by, 80)} to judge {what}: {ids}"


def _requests(target: TargetInfo) -> str:
    sent = f"- Sent to {code(target.name, 80)}: {totals.request_summary(target)}."
    return f"{sent} {totals.repeats_note(target)}".rstrip()


def _least_covered(result: Result, target: TargetInfo) -> str:
    least = totals.least_covered(totals.chosen_rows(result, target), code)
    return f"- Least covered on {code(target.name, 80)}: {least}" if least else ""


def _created(target: TargetInfo) -> str:
    number = plural(len(target.created), "animal")
    return f"- Left behind on {code(target.name, 80)}: {number}, listed in `report.html`"
