"""The plan of a run in words, for `--dry-run`: what the seed draws, from the functions that a run asks too. Pure."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from petcheck.call import Call, page_call, read_call
from petcheck.grouping import grouped
from petcheck.plan.bodies import DEFECTS, Defect, valid_pets
from petcheck.plan.ending import ASKED_AGAIN, CREATED_ASKED_AGAIN, ENDING
from petcheck.plan.forms import fits, forms_for
from petcheck.plan.keys import KeyCell, Wrong, key_plan
from petcheck.plan.pages import first_pages
from petcheck.plan.together import connections
from petcheck.properties.pet_examples import SPOILING
from petcheck.reports.text_lines import TIED, TextLines
from petcheck.results.totals import id_ranges
from petcheck.runner.dry_run import Forecast
from petcheck.runner.schedule import stages
from petcheck.runner.shown_animals import animals, beside_animals, examples
from petcheck.sanitize import comma_list
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import LIMIT_MAX, PENDING, STATUSES
from petcheck.spec.operations import Operation, allowed_operations
from petcheck.toolkit.budget import room_for_bursts
from petcheck.toolkit.creating import BESIDE
from petcheck.toolkit.feeds import OWN, Choice, RequestKind

_WIDTH, _BESIDE = 80, 22
_OTHERS = 4  # somewhat more of the keys that no pass needs than a run usually affords
_FORMS = 1  # that is named of each operation
_SAMPLES = {
    Operation.LIST_PETS: page_call(LIMIT_MAX, PENDING),
    Operation.CREATE_PET: Call(Operation.CREATE_PET, body=json.dumps(valid_pets("0" * 8, (1,), 0)[1].plain).encode()),
    Operation.GET_PET: read_call(1),
    Operation.STORE_ORDERS: Call(Operation.STORE_ORDERS),
}
"""A request to each operation that every form fits which may fit one."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the plan: the stage in which a run comes to it, and the fewest requests that it takes.

    The `title` follows the name.
    """

    stage: str
    fewest: int
    name: str
    title: str
    lines: Sequence[str]


def dry_run(forecasts: Sequence[Forecast]) -> Iterator[str]:
    """What a dry run prints: what each target gets at most, then the plan, once for all targets that have the same."""
    for one in forecasts:
        yield from one.lines()
    plans = grouped((tuple(_plan(one, alone=len(forecasts) == 1)), one.target.name) for one in forecasts)
    for lines, names in plans.items():
        to = f" to {comma_list(names)}" if len(plans) > 1 else ""
        yield from _said(f"--seed {forecasts[0].config.seed} sends this plan{to}:", 0, 2)
        yield from lines


def _plan(run: Forecast, *, alone: bool) -> Iterator[str]:
    most, order = run.config.max_requests, stages(run.config.max_requests)
    parts = deque(sorted(_parts(run), key=lambda part: order.index(part.stage)))
    if run.cut_short:
        yield from _said(f"in this order, as far as --max-requests {most} allows:", 2, 4)
    sent = 0
    while parts and sent < most:
        part = parts.popleft()
        yield from _said(f"{part.name}{part.title}", 2, 6)
        yield from part.lines
        sent += part.fewest
    if parts:
        names = ", ".join(part.name for part in parts)
        yield from _said(f"not sent, as --max-requests {most} ends the run before: {names}", 2, 6)
    yield "  every other request in another form that means the same; the first of them"
    forms = forms_for(run.config.seed, run.target.name)
    for operation in _operations(run) if alone else ():
        drawn = [form.value for form in forms.drawn(operation) if fits(form, _SAMPLES[operation])]
        yield from _row(str(operation), comma_list(drawn, _FORMS))
    if not alone:
        yield "    is drawn for each target"


def _operations(run: Forecast) -> tuple[Operation, ...]:
    return allowed_operations(writes=run.target.writes, as_of=run.config.as_of)


def _parts(run: Forecast) -> Iterator[_Part]:
    """The parts of the plan that serve what was chosen."""
    choice = Choice(run.config.choice)
    pages = [entry.id for entry in catalogue().judged if entry.section == "4.1"]
    if _sent(choice, RequestKind.PAGES, pages):
        paths = [page_call(*page).path for page in first_pages(run.config.seed)]
        title = f" first, for {id_ranges(pages)}"
        yield _Part("survey", len(paths), "GET of these pages", title, [*_said(", ".join(paths), 4)])
    yield from _keys(run, choice)
    if run.target.writes:
        yield from _posts(run, choice)
    yield from _examples(run, choice)
    if choice.entries is None:
        writes, operations = run.target.writes, _operations(run)
        again = [one for one in ENDING if one.operation in operations and (writes or not one.created)]
        served = (*ASKED_AGAIN, *(CREATED_ASKED_AGAIN if writes else ()))
        what = f"at most {run.asked_again}: {', '.join(dict.fromkeys(one.what for one in again))}"
        yield _Part("end", 0, "at the end again", f", for {id_ranges(served)}", [*_said(what, 4)])


def _keys(run: Forecast, choice: Choice) -> Iterator[_Part]:
    plan = key_plan(run.config.seed, _operations(run))
    needed = [cell for cell in plan.needed if _sent(choice, RequestKind.KEYS, _served(cell))]
    likely = [cell for cell in plan.likely if _sent(choice, RequestKind.KEYS, cell.requirements)]
    others = [cell for cell in (*plan.likely, *plan.others) if choice.covers(*cell.requirements)]
    if run.share.total:
        others = [cell for cell in others if cell not in likely]
    else:
        likely = []
    if needed:
        # sent by turns with the needed ones of the same kind
        more = ["  more invalid keys, in a run with property examples", *_key_rows(likely)] if likely else []
        title, number = " that a pass needs, with what else is special about a request", len(needed) + len(likely)
        yield _Part("survey", number, "invalid keys", title, [*_key_rows(needed), *more])
    if others and choice.entries is not None:
        more = [f"    and {len(others) - _OTHERS} more"] if len(others) > _OTHERS else []
        rows = [*_key_rows(others[:_OTHERS]), *more]
        yield _Part("spare", 0, "other invalid keys", ", while requests are left", rows)


def _posts(run: Forecast, choice: Choice) -> Iterator[_Part]:
    config = run.config
    if bodies := grouped((one.requirement, one.label) for one in _refused(choice)):
        rows = [line for name, labels in bodies.items() for line in _row(name, ", ".join(labels))]
        number = sum(map(len, bodies.values()))
        yield _Part("refuse", number, f"bodies of {Operation.CREATE_PET} that must be refused", "", rows)
    created = [name for name, kinds in OWN.items() if RequestKind.NEW in kinds]
    if _sent(choice, RequestKind.NEW, created):
        rows = [line for status, what in animals(config.seed) for line in _row(status, what)]
        together = connections(config.connections, writes=True)
        bursts = room_for_bursts(together, config.max_requests, writes=True)
        if bursts and run.share.total > BESIDE and _sent(choice, RequestKind.NEW, ("CREATE-1",)):
            rows += _row("beside them", beside_animals(config.seed))
        if _sent(choice, RequestKind.NEW, ("body-in-chunks",)):
            rows += _row("late", "one with its body in chunks" + ("" if run.share.total else ", if a request is left"))
        title = "; if an odd one is refused, a plain one follows"
        yield _Part("create", len(STATUSES) + 1, "animals to create", title, rows)
    spoils = choice.covers("CREATE-14") or choice.brings((RequestKind.NEW, RequestKind.PAGES))
    if run.share.sequence_posts and spoils:
        name = "animals that a server may store and then fail to read"
        yield _Part("spoil", 0, name, ", last of all", [*_said(SPOILING, 4)])


def _refused(choice: Choice) -> list[Defect]:
    """The bodies that a run posts in any case, and that must be refused."""
    return [one for one in DEFECTS if _sent(choice, RequestKind.DEFECTIVE, (one.requirement, "CREATE-11"))]


def _examples(run: Forecast, choice: Choice) -> Iterator[_Part]:
    share, posted = run.share, {one.label for one in _refused(choice)}
    rows: list[str] = []
    for operation in _operations(run):
        if first := examples(run.config.seed, share, choice, operation, posted):
            rows += _said(f"{operation}: {'; '.join(first)}", 4, 8)
    if share.sequence_posts and RequestKind.NEW in choice.examples:
        most = f"at most {share.sequence_posts} POST and {share.sequence_gets} GET"
        rows += _said(f"create, read, list and filter animals in any order: {most}", 4, 8)
    if rows:
        title = ", the first of each, if questions and the end leave requests"
        yield _Part("examples", 0, "property examples", title, rows)


def _sent(choice: Choice, kind: RequestKind, serves: Iterable[str]) -> bool:
    """Whether a run sends requests of a kind that serve these requirements."""
    return choice.brings((kind,)) or choice.covers(*serves)


def _served(cell: KeyCell) -> tuple[str, ...]:
    return cell.requirements if cell.operation.safe else (*cell.requirements, "AUTH-6")


def _key_rows(cells: Iterable[KeyCell]) -> Iterator[str]:
    """A row for each kind of key: the requests that it goes with."""
    rows = grouped(((", ".join(cell.requirements), cell.key.value), _request(cell)) for cell in cells)
    for (requirements, key), requests in rows.items():
        yield from _row(requirements, f"{key}: {', '.join(requests)}")


def _request(cell: KeyCell) -> str:
    operation = str(cell.operation).replace(" ", TIED)  # on one line
    return operation + ("" if cell.wrong is Wrong.NOTHING else f" with {cell.wrong.value}")


def _row(of: str, text: str) -> Iterator[str]:
    return _said(f"{of:<{_BESIDE - 5}} {text}", 4, _BESIDE)


def _said(text: str, indent: int, hanging: int | None = None) -> Iterator[str]:
    lines = TextLines(_WIDTH, colour=False)
    lines.say(text, " " * indent, None if hanging is None else " " * hanging)
    yield from str(lines).split("\n")
