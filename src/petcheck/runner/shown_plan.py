"""The plan of a run in words, for `--dry-run`: what the seed draws, from the functions that a run asks too. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from petcheck.call import Call, page_call, read_call
from petcheck.grouping import grouped
from petcheck.plan.bodies import DEFECTS, valid_pets
from petcheck.plan.ending import ASKED_AGAIN, CREATED_ASKED_AGAIN, ENDING
from petcheck.plan.forms import fits, forms_for
from petcheck.plan.keys import KeyCell, Wrong, key_plan
from petcheck.plan.pages import first_pages
from petcheck.properties.pet_examples import SPOILING
from petcheck.reports.text_lines import TIED, TextLines
from petcheck.results.totals import id_ranges
from petcheck.runner.dry_run import Forecast
from petcheck.sanitize import comma_list
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import LIMIT_MAX, PENDING
from petcheck.spec.operations import Operation, allowed_operations
from petcheck.toolkit.feeds import Choice, RequestKind
from petcheck.toolkit.shares import shares

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
    config, writes, choice = run.config, run.target.writes, Choice(run.config.choice)
    operations = allowed_operations(writes=writes, as_of=config.as_of)
    pages = [entry.id for entry in catalogue().judged if entry.section == "4.1"]
    if _sent(choice, RequestKind.PAGES, pages):
        yield f"  GET of these pages first, for {id_ranges(pages)}"
        yield from _said(", ".join(page_call(*page).path for page in first_pages(config.seed)), 4)
    plan = key_plan(config.seed, operations)
    needed = [cell for cell in plan.needed if _sent(choice, RequestKind.KEYS, _served(cell))]
    likely, others = (
        [cell for cell in cells if choice.covers(*cell.requirements)] for cells in (plan.likely, plan.others)
    )
    if needed:
        yield "  invalid keys that a pass needs, with what else is special about a request"
        yield from _keys(needed)
    if likely:
        yield "  then, beside property examples or while requests are left"
        yield from _keys(likely)
    if others:
        yield "  then, while requests are left"
        yield from _keys(others[:_OTHERS])
    if len(others) > _OTHERS:
        yield f"    and {len(others) - _OTHERS} more"
    bodies = grouped(
        (defect.requirement, defect.label)
        for defect in (DEFECTS if writes else ())
        if _sent(choice, RequestKind.DEFECTIVE, (defect.requirement, "CREATE-11"))
    )
    if bodies:
        yield f"  bodies of {Operation.CREATE_PET} that must be refused"
    for requirement, labels in bodies.items():
        yield from _row(requirement, ", ".join(labels))
    if choice.entries is None:
        again = [one for one in ENDING if one.operation in operations and (writes or not one.created)]
        served = (*ASKED_AGAIN, *(CREATED_ASKED_AGAIN if writes else ()))
        yield from _said(f"at the end again, for {id_ranges(served)}", 2, 6)
        yield from _said(f"at most {run.asked_again}: {', '.join(dict.fromkeys(one.what for one in again))}", 4)
    if writes and shares(config.examples, writes=True).sequence_posts:
        yield "  last of all, animals that a server may store and then fail to read"
        yield from _said(SPOILING, 4)
    yield "  every other request in another form that means the same; the first of them"
    forms = forms_for(config.seed, run.target.name)
    for operation in operations if alone else ():
        drawn = [form.value for form in forms.drawn(operation) if fits(form, _SAMPLES[operation])]
        yield from _row(str(operation), comma_list(drawn, _FORMS))
    if not alone:
        yield "    is drawn for each target"


def _sent(choice: Choice, kind: RequestKind, serves: Iterable[str]) -> bool:
    """Whether a run sends requests of a kind that serve these requirements."""
    return choice.brings((kind,)) or choice.covers(*serves)


def _served(cell: KeyCell) -> tuple[str, ...]:
    return cell.requirements if cell.operation.safe else (*cell.requirements, "AUTH-6")


def _keys(cells: Iterable[KeyCell]) -> Iterator[str]:
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
