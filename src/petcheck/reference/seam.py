"""Named faults and named variations: what one is, and how a chosen few of them become a server's behaviour."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from petcheck.reference.behaviour import Behaviour, Change
from petcheck.reference.messages import Operation

ALL = tuple(Operation)
EVERYWHERE: tuple[Operation | None, ...] = (None, *Operation)


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to break the document.

    `section` is of the document. `breaks` are the ids in requirements.yaml that a run with writes finds broken, no
    others; a run that reads only finds those of them that are neither CREATE-… nor AUTH-6. `needs` is what a run must
    allow, or the server must be, for it to show:

    - writes: POST may be sent
    - exhaust: the quota is used up
    - plan: the key's plan is told
    - after-removal: the run is as of 5 December 2030
    - day-before-removal: the run is as of 4 December 2030
    - empty-store: there is no animal
    - reading: the run reads only
    - examples: many property examples are tried, `--examples 200`
    - small-store: the whole store fits on a page, with animals of each status
    - big-store: there are more animals than a page of 100 may hold
    """

    name: str
    section: str
    summary: str
    breaks: tuple[str, ...]
    change: Change = field(repr=False, compare=False)
    needs: frozenset[str] = frozenset()
    operations: tuple[Operation | None, ...] = EVERYWHERE


@dataclass(frozen=True, slots=True)
class Variation:
    """One freedom that the document leaves; a server that uses it conforms.

    `section` is of the document. `conflicts` names the variations that say the opposite, so that both at once mean
    nothing.
    """

    name: str
    section: str
    summary: str
    change: Change = field(repr=False, compare=False)
    conflicts: frozenset[str] = frozenset()
    operations: tuple[Operation | None, ...] = EVERYWHERE


Named = TypeVar("Named", Fault, Variation)


def chosen(kind: str, names: Iterable[str], known: Mapping[str, Named]) -> list[Named]:
    """Those named, in that order. Raises ValueError for a name that is not known, and says which come near."""
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise ValueError(f"no {kind} is named {name!r}{hint}")
    return [known[name] for name in names]


def applied(
    changes: Iterable[Fault | Variation], behaviours: Mapping[Operation | None, Behaviour]
) -> dict[Operation | None, Behaviour]:
    """The behaviours with the changes made, one after the other, to the operations that each is for."""
    result = dict(behaviours)
    for each in changes:
        for operation in each.operations:
            result[operation] = each.change(result[operation])
    return result


def registry(groups: Iterable[Iterable[Named]]) -> dict[str, Named]:
    """By name, in the given order. Raises ValueError where a name comes twice."""
    named: dict[str, Named] = {}
    for group in groups:
        for each in group:
            if each.name in named:
                raise ValueError(f"{each.name!r} is there twice")
            named[each.name] = each
    return named


def fault(
    name: str,
    summary: str,
    breaks: str,
    change: Change,
    *,
    section: str,
    needs: str = "",
    at: tuple[Operation | None, ...] = EVERYWHERE,
    each: tuple[Operation, ...] = (),
) -> Iterator[Fault]:
    """The fault at the operations `at`, and a fault `name@operation` for each operation in `each`.

    `breaks` and `needs` are ids and words with spaces between. What is limited to createPet needs writes.
    """
    ids, wants = tuple(breaks.split()), frozenset(needs.split())
    if at:
        only_create = {"writes"} if at == (Operation.CREATE,) else frozenset[str]()
        yield Fault(name, section, summary, ids, change, wants | only_create, at)
    for operation in each:
        only_create = {"writes"} if operation is Operation.CREATE else frozenset()
        limited = f"{summary.rstrip('.')} ({operation} alone)."
        yield Fault(f"{name}@{operation}", section, limited, ids, change, wants | only_create, (operation,))


def variation(
    name: str,
    section: str,
    summary: str,
    change: Change,
    *,
    conflicts: str = "",
    at: tuple[Operation | None, ...] = EVERYWHERE,
) -> Variation:
    """The variation at the operations `at`; `conflicts` are names with spaces between, its own does not count."""
    return Variation(name, section, summary, change, frozenset(conflicts.split()) - {name}, at)
