"""The requests with an invalid key that a run may send to a target (section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from petcheck.call import Call, new_pet_call
from petcheck.plan.keys import KeyCell, key_body, key_call
from petcheck.spec.figures import REMOVAL_DAY
from petcheck.spec.operations import Operation
from petcheck.toolkit.target import Target


def keyless_calls(target: Target, cells: Iterable[KeyCell]) -> Iterator[Call]:
    """The requests for cells of the plan of keys, without those that the run may not send."""
    return (call for cell in cells if (call := keyless_call(target, cell)) is not None)


def keyless_call(target: Target, cell: KeyCell) -> Call | None:
    """The request for a cell of the plan of keys; None if the run may not send it."""
    if cell.operation is Operation.CREATE_PET:
        writes = target.config.writes
        return new_pet_call(key_body(cell, target.run, target.category), cell.key) if writes else None
    if cell.operation is Operation.GET_PET and target.as_of >= REMOVAL_DAY:
        return None
    return key_call(cell, target.record, target.unknown_id, target.pages)
