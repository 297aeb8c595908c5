"""Faults and variations by name: what each is, and how a selection of them becomes a server's behaviour."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from petstore_reference.behaviour import Behaviour, Override
from petstore_reference.messages import Operation

ALL = tuple(Operation)
OF_ANIMALS = (Operation.LIST, Operation.CREATE, Operation.GET)
EVERYWHERE: tuple[Operation | None, ...] = (None, *Operation)


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to break the document.

    `section` is the section of the document. `breaks` are the ids in requirements.yaml that a run with writes finds
    broken, and no others; a run that only reads finds those of them that are neither CREATE-… nor AUTH-6. `needs` is
    what the run must allow, or what the server must be, for the fault to show:

    - writes: POST is allowed
    - exhaust: the quota may be used up
    - plan: the run knows the key's plan
    - after-removal: the run is as of 5 December 2030
    - day-before-removal: the run is as of 4 December 2030
    - empty-store: there are no animals
    - small-store: the store is known to fit on a page (fewer than 20 animals), with animals of each status
    - medium-store: the store fits on a page of 100, and not on one of 20
    - big-store: there are more animals than a page of 100 holds
    - reading: the run only reads
    - examples: the run tries many property examples, `--examples 200`
    - pairs: the run draws which kinds of key and which forms go to which operation, so several seeds show it all
    - the name of a variation: the server has it

    A fault that shows in overlapping requests only, or now and then, breaks at least one of `breaks`, in most runs.
    `one_in` is how many of the responses, or of the requests that the fault concerns, have one that is wrong.
    """

    name: str
    section: str
    summary: str
    breaks: tuple[str, ...]
    override: Override = field(repr=False, compare=False)
    needs: frozenset[str] = frozenset()
    operations: tuple[Operation | None, ...] = EVERYWHERE
    one_in: int = 1


@dataclass(frozen=True, slots=True)
class Variation:
    """One freedom that the document leaves; a server that uses it conforms.

    `section` is the section of the document. `conflicts` names the variations that contradict this one.
    """

    name: str
    section: str
    summary: str
    override: Override = field(repr=False, compare=False)
    conflicts: frozenset[str] = frozenset()
    operations: tuple[Operation | None, ...] = EVERYWHERE


Named = TypeVar("Named", Fault, Variation)


def chosen(kind: str, names: Iterable[str], known: Mapping[str, Named]) -> list[Named]:
    """The named ones, in that order. Raises ValueError for an unknown name, with the names that are close to it."""
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise ValueError(f"no {kind} is named {name!r}{hint}")
    return [known[name] for name in names]


def applied(
    selection: Iterable[Fault | Variation], behaviours: Mapping[Operation | None, Behaviour]
) -> dict[Operation | None, Behaviour]:
    """The behaviours with the selected overrides, one after the other, each at its operations."""
    result = dict(behaviours)
    for each in selection:
        for operation in each.operations:
            result[operation] = each.override(result[operation])
    return result


def by_name(groups: Iterable[Iterable[Named]]) -> dict[str, Named]:
    """All members of the groups by name, in that order. Raises ValueError for a name that occurs twice."""
    named: dict[str, Named] = {}
    for group in groups:
        for each in group:
            if each.name in named:
                raise ValueError(f"{each.name!r} occurs twice")
            named[each.name] = each
    return named


def fault(
    name: str,
    summary: str,
    breaks: str,
    override: Override,
    *,
    section: str,
    needs: str = "",
    at: tuple[Operation | None, ...] = EVERYWHERE,
    each: tuple[Operation, ...] = (),
    one_in: int = 1,
) -> Iterator[Fault]:
    """The fault at the operations `at`, and one more fault `name@operation` for each operation in `each`.

    `breaks` and `needs` are separated by spaces. A fault at createPet alone needs writes.
    """
    ids, wants = tuple(breaks.split()), frozenset(needs.split())
    if at:
        only_create = {"writes"} if at == (Operation.CREATE,) else frozenset[str]()
        yield Fault(name, section, summary, ids, override, wants | only_create, at, one_in)
    for operation in each:
        only_create = {"writes"} if operation is Operation.CREATE else frozenset()
        limited = f"{summary.rstrip('.')} (only {operation})."
        yield Fault(f"{name}@{operation}", section, limited, ids, override, wants | only_create, (operation,))


# faults of one section: those of an operation are at that operation, the others everywhere
page = partial(fault, section="4.1", at=(Operation.LIST,))
create = partial(fault, section="4.2", at=(Operation.CREATE,))
get = partial(fault, section="4.3", at=(Operation.GET,))
rate = partial(fault, section="8")


def keys(
    name: str,
    summary: str,
    breaks: str,
    override: Override,
    *,
    needs: str = "",
    at: tuple[Operation | None, ...] = EVERYWHERE,
    each: tuple[Operation, ...] = (),
) -> Iterator[Fault]:
    """The faults of section 5; a run sends each kind of key to some operations only."""
    return fault(name, summary, breaks, override, section="5", needs=f"{needs} pairs", at=at, each=each)


def variation(
    name: str,
    section: str,
    summary: str,
    override: Override,
    *,
    conflicts: str = "",
    at: tuple[Operation | None, ...] = EVERYWHERE,
) -> Variation:
    """The variation at the operations `at`. `conflicts` are separated by spaces and may include its own name."""
    return Variation(name, section, summary, override, frozenset(conflicts.split()) - {name}, at)
