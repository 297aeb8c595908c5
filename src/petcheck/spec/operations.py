"""The four operations of section 4 as a table: method, path, section, whether safe, and the body for each status."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import Enum
from typing import Any, Literal, Self

from petcheck.spec.figures import REMOVAL_DAY

Body = Literal["pets", "pet", "error"]
"""A documented body: a JSON array of Pet, one Pet, or an Error."""


# section 7: these have the Error shape; the answers of GET /store/orders are not shown, except for 401
_ERRORS: Mapping[int, Body] = {400: "error", 401: "error", 404: "error"}


class Operation(Enum):
    """An operation, by its name in the document; `GET /store/orders` has none there.

    `path` is the path below the base URL, as a template, and `section` the one that describes it. A `safe` one changes
    nothing on the server (RFC 9110, section 9.2.1), so that it may be sent without asking.
    """

    LIST_PETS = ("listPets", "GET", "/pets", "4.1", True, {200: "pets", **_ERRORS})
    CREATE_PET = ("createPet", "POST", "/pets", "4.2", False, {201: "pet", **_ERRORS})
    GET_PET = ("getPet", "GET", "/pets/{petId}", "4.3", True, {200: "pet", **_ERRORS})
    STORE_ORDERS = ("storeOrders", "GET", "/store/orders", "4.4", True, {401: "error"})

    method: str
    path: str
    section: str
    safe: bool
    _bodies: Mapping[int, Body]

    def __new__(cls, name: str, *row: Any) -> Self:
        """A row of the table, whose value is the name."""
        made = object.__new__(cls)
        made._value_ = name
        made.method, made.path, made.section, made.safe, made._bodies = row
        return made

    def body(self, status: int) -> Body | None:
        """The documented body of a response with that status; None if the document leaves it open."""
        return self._bodies.get(status)

    def __str__(self) -> str:
        """Method and path, as the document writes them."""
        return f"{self.method} {self.path}"


REMOVED = f"{Operation.GET_PET} was removed on {REMOVAL_DAY}; see GET-4."
"""Why nothing that needs this operation is judged from that day on (section 4.3)."""


def allowed_operations(*, writes: bool, as_of: date) -> tuple[Operation, ...]:
    """The operations that a run on that day may call; those that are not safe only with `writes`."""
    removed = {Operation.GET_PET} if as_of >= REMOVAL_DAY else set()
    return tuple(one for one in Operation if (one.safe or writes) and one not in removed)
