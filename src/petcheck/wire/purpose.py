"""What requests are sent for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Purpose:
    """What requests are sent for: a section of the document, or none.

    `on_top` says that no requirement needs them, `example` that they are property examples; `simplifies` is the index
    of the one that they simplify, and `again` of the one whose request they repeat.
    """

    section: str = ""
    on_top: bool = False
    example: bool = False
    simplifies: int | None = None
    again: int | None = None
