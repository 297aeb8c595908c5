"""`petcheck explain`: one requirement in full, or every requirement of a group or a section. Nothing is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from petcheck.cli.output import look
from petcheck.cli.parser import PROGRAM, Parser
from petcheck.config.choice import entries_of, nearest_names
from petcheck.config.load import utc_today
from petcheck.errors import ConfigError
from petcheck.judging.cells import Cells, cells_of
from petcheck.judging.judgement import Grounds
from petcheck.reports.text_lines import BOLD, DIM, TextLines
from petcheck.sanitize import comma_list
from petcheck.spec.catalogue import Requirement, catalogue
from petcheck.spec.operations import Operation
from petcheck.spec.sections import TITLES
from petcheck.stream.typed import typed
from petcheck.words import plural

DATA = Path(__file__).with_name("explanations.json")
"""Written by `make explanations`, from runs against the reference server."""

_FAULTS = 8  # named of one requirement
_CELLS = 8  # named of what a pass covers, and of what it needs


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that conforms, and the request that got it in words; the body of a list is shortened."""

    request: str
    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    body: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """What runs against the reference server show of a requirement.

    `sent` are the first requests of a run that chooses it, in words, of `kinds` different ones. `undecided` are reasons
    why it is not judged, the most usual first.
    """

    sent: tuple[str, ...]
    kinds: int
    answer: Answer | None
    undecided: tuple[str, ...] = ()


@cache
def explanations() -> Mapping[str, Explanation]:
    """The explanation of each requirement that a check can see, by id."""
    return {name: typed(Explanation, row) for name, row in json.loads(DATA.read_text(encoding="utf-8")).items()}


PARSER = Parser(
    "explain",
    usage="petcheck explain ID…",
    description="Explain a requirement: what it requires, what petcheck sends, what a conforming response looks "
    "like, which faults it catches, and when it cannot be judged. A group (AUTH) or a section (4.2) lists its "
    "requirements.",
)
PARSER.add_argument("words", nargs="*", metavar="ID", help="a requirement or an open point; a group or a section")


def main(argv: list[str]) -> int:
    """Explain what the words name; returns the exit code."""
    options = PARSER.parse(argv)
    if not options.words:
        raise ConfigError("name a requirement: petcheck explain LIST-4")
    page = TextLines(**look())
    for number, word in enumerate(options.words):
        if number:
            page.blank()
        _explain(page, word)
    print(page)
    return 0


def _explain(page: TextLines, word: str) -> None:
    by_id = {entry.id.lower(): entry for entry in catalogue().entries}
    if word.lower() in by_id:
        _entry(page, by_id[word.lower()])
        return
    named = entries_of(word)
    if not named:
        near = nearest_names(word)
        hint = f"did you mean {' or '.join(near)}?" if near else f"`{PROGRAM} requirements` lists all"
        raise ConfigError(f"no requirement{f' {word}' if near else ' has that name'}; {hint}")
    for entry in catalogue().entries:
        if entry.id in named:
            page.say(f"{entry.id:<20} {entry.statement}", "", " " * 21)


def _entry(page: TextLines, entry: Requirement) -> None:
    page.say(f"{entry.id} · section {entry.section}, {TITLES[entry.section]} · {entry.level}", style=BOLD)
    page.say(entry.statement if entry.open else f"In short: {entry.statement}")
    if entry.open:
        page.say("The document leaves this open: petcheck reports it and never judges it.")
    for note in notes(entry):
        page.say(note, style="" if entry.open else DIM)
    known = explanations().get(entry.id)
    if known is not None:
        _sent(page, known)
        _conforming(page, known)
    _covered(page, entry)
    _faults(page, entry)
    if known is None:
        return
    if known.undecided:
        page.head("When it cannot be judged")
        for reason in known.undecided:
            page.say(reason, "  ", "    ")
    page.blank()
    page.say(f"To judge it alone: petcheck {entry.id} --target URL", style=DIM)


def notes(entry: Requirement) -> list[str]:
    """Where else an entry is stated, when it is in force, and why no check can see it."""
    found = []
    if entry.start:
        found.append(f"In force from {entry.start} on.")
    if entry.until:
        found.append(f"In force until the day before {entry.until}.")
    if entry.also:
        found.append(f"Also in section {', '.join(entry.also)}.")
    if entry.untestable:
        found.append(f"Not testable: {entry.untestable}")
    return found


def _sent(page: TextLines, known: Explanation) -> None:
    page.head("What petcheck sends")
    for request in known.sent:
        page.say(request, "  ", "    ")
    if known.kinds > len(known.sent):
        page.say(f"and {known.kinds - len(known.sent)} more", "  ")
    unsafe = {operation.method for operation in Operation if not operation.safe}
    for method in sorted(unsafe & {request.partition(" ")[0] for request in known.sent}):
        page.say(f"petcheck sends {method} only with --allow-writes.", "  ", style=DIM)


def _conforming(page: TextLines, known: Explanation) -> None:
    answer = known.answer
    if answer is None:
        return
    page.head("A conforming response")
    page.say(answer.request, "  ", "    ", style=DIM)
    page.line(f"  {answer.status} {answer.reason}")
    for name, value in answer.headers:
        page.line(f"  {name}: {value}")
    if answer.body:
        page.say(answer.body, "  ", "  ")


def _covered(page: TextLines, entry: Requirement) -> None:
    """What there is to examine of a requirement in a run with writes, and how much of it a pass needs."""
    cells = cells_of(entry.id, Grounds(utc_today(), writes=True, run=PROGRAM))
    if cells is None:
        return
    page.head("What a pass covers")
    several = [values for values in cells.dimensions.values() if len(values) > 1] or list(cells.dimensions.values())
    of = f", {sum(1 for _ in cells.all())} pairs" if several[1:] else f": {comma_list(several[0], _CELLS)}"
    page.say(f"{cells.words}{of}", "  ", "    ")
    page.say(f"a pass needs: {_needed(cells)}", "  ", "    ")


def _needed(cells: Cells) -> str:
    """What a pass needs, in words: the values of a dimension are counted if it needs all of them."""
    needs = [" with ".join(reversed(need)) for need in cells.needs]
    words = []
    for name, values in cells.dimensions.items():
        if len(values) > 1 and set(values) <= set(needs):
            words.append(f"each of the {len(values)} {name}")
            needs = [need for need in needs if need not in values]
    return comma_list([*needs, *words], _CELLS) or "any of them"


def _faults(page: TextLines, entry: Requirement) -> None:
    from petstore_reference.faults import FAULTS

    # a fault at one operation alone says what the fault at all of them says
    faults = [one for one in FAULTS.values() if entry.id in one.breaks]
    kinds = {one.name.partition("@")[0]: one for one in reversed(faults)}
    if not kinds:
        return
    page.head(f"What it catches: {plural(len(faults), 'fault')} of the reference server, such as")
    for name in list(reversed(kinds))[:_FAULTS]:
        page.say(f"{kinds[name].summary}", "  ", "    ")
    page.say(f"To see the first: petcheck serve --fault {kinds[next(reversed(kinds))].name}", "  ", style=DIM)
