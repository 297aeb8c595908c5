"""The four operations of section 4 as a table: method, path, section, whether safe, and the body for each status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Literal

from petcheck.spec.figures import REMOVAL_DAY

Body = Literal["pets", "pet", "error"]
"""A documented body: a JSON array of Pet, one Pet, or an Error."""


class Operation(Enum):
    """An operation, by its name in the document; `GET /store/orders` has none there."""

    LIST_PETS = "listPets"
    CREATE_PET = "createPet"
    GET_PET = "getPet"
    STORE_ORDERS = "storeOrders"

    @property
    def method(self) -> str:
        """GET or POST."""
        return _TABLE[self].method

    @property
    def path(self) -> str:
        """The path below the base URL, as a template."""
        return _TABLE[self].path

    @property
    def safe(self) -> bool:
        """Whether it changes nothing on the server (RFC 9110, section 9.2.1), so that it may be sent without asking."""
        return _TABLE[self].safe

    @property
    def section(self) -> str:
        """The section that describes it."""
        return _TABLE[self].section

    def body(self, status: int) -> Body | None:
        """The documented body of a response with that status; None if the document leaves it open."""
        return _TABLE[self].bodies.get(status)

    def __str__(self) -> str:
        """Method and path, as the document writes them."""
        return f"{self.method} {self.path}"


def allowed_operations(*, writes: bool, as_of: date) -> tuple[Operation, ...]:
    """The operations that a run on that day may call; those that are not safe only with `writes`."""
    removed = {Operation.GET_PET} if as_of >= REMOVAL_DAY else set()
    return tuple(one for one in Operation if (one.safe or writes) and one not in removed)


@dataclass(frozen=True, slots=True)
class _Row:
    method: str
    path: str
    section: str
    safe: bool
    bodies: Mapping[int, Body]


# section 7: these have the Error shape; the answers of GET /store/orders are not shown, except for 401
_ERRORS: Mapping[int, Body] = {400: "error", 401: "error", 404: "error"}
_TABLE = {
    Operation.LIST_PETS: _Row("GET", "/pets", "4.1", safe=True, bodies={200: "pets", **_ERRORS}),
    Operation.CREATE_PET: _Row("POST", "/pets", "4.2", safe=False, bodies={201: "pet", **_ERRORS}),
    Operation.GET_PET: _Row("GET", "/pets/{petId}", "4.3", safe=True, bodies={200: "pet", **_ERRORS}),
    Operation.STORE_ORDERS: _Row("GET", "/store/orders", "4.4", safe=True, bodies={401: "error"}),
}
