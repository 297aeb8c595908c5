"""What a rule says of one exchange, and what it knows of the target.

A matcher looks at one thing and returns a `Problem`, or None. A rule gives one exchange a `Judgement`: not concerned,
it holds, or it has a problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum
from math import inf
from typing import TypeAlias

from petcheck.exchange import Animal, Exchange
from petcheck.json_values import integer
from petcheck.spec.figures import Plan

Part: TypeAlias = str
"""`status`, `header:Name`, `body`, `body:` with a JSON pointer (RFC 6901); empty for the whole exchange."""

WHOLE, STATUS, BODY = "", "status", "body"


def header(name: str) -> Part:
    """The part of an exchange that is the response header `name`, present or missing."""
    return f"header:{name}"


def body(*steps: str | int) -> Part:
    """The part of an exchange that is the value at `steps` in its body; without steps, the whole body."""
    return "body:" + "".join(f"/{step}" for step in steps) if steps else BODY


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, in words, and the part of the exchange that shows it.

    `expected` are the statuses that conform, in words, if the status is wrong; `sent` then says what was sent with
    the request, as far as the status depends on it.
    """

    text: str
    part: Part = WHOLE
    expected: str = ""
    sent: str = ""

    def below(self, *steps: str | int) -> Problem:
        """The same problem for a value that is at `steps` in a body."""
        kind, _, pointer = self.part.partition(":")
        return replace(self, part=body(*steps) + pointer) if kind == BODY and steps else self


class Ruling(Enum):
    """A rule's judgement of an exchange without a problem."""

    NOT_CONCERNED = "the rule is not about this exchange"
    HOLDS = "the exchange obeys the rule"


Judgement: TypeAlias = Problem | Ruling
NOT_CONCERNED, HOLDS = Ruling.NOT_CONCERNED, Ruling.HOLDS


@dataclass(frozen=True, slots=True)
class Known:
    """From when until when answers show that something exists, in monotonic seconds; without an end if it may still."""

    since: float
    until: float = inf


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a run knows about a target when it judges: `as_of` is the day to judge by.

    `categories` are those that exist, with the time for which answers show each. `listed` are the animals (by
    id) that exist; `begun` says when the POSTs of those that the run created were sent. Times are in monotonic seconds.
    `writes` says whether POST is permitted. `run` is the id in the names of the run's animals; `repeats` is true if an
    earlier run may have had it, and `older` are the animals that the run did not create for sure. `unwanted` are those
    of POSTs that had to be refused.
    """

    as_of: date
    plan: Plan | None = None
    categories: Mapping[int, Known] = field(default_factory=dict, hash=False)
    listed: frozenset[int] = frozenset()
    writes: bool = False
    run: str = ""
    repeats: bool = False
    older: frozenset[int] = frozenset()
    begun: Mapping[int, float] = field(default_factory=dict, hash=False)
    unwanted: frozenset[int] = frozenset()

    @property
    def to_write(self) -> str | None:
        """The option with which the run itself creates what is missing; None if it may do so already."""
        return None if self.writes else "--allow-writes"

    def categories_at(self, moment: float) -> frozenset[int]:
        """The categories that were known to exist at a moment, in monotonic seconds.

        Others may have come later, and another client may have removed the last animal of one before.
        """
        return frozenset(number for number, known in self.categories.items() if known.since <= moment <= known.until)

    def has_animal_of(self, read: Exchange) -> bool:
        """Whether the animal that a read asks for is known to exist, and was not created only after the answer."""
        number = read.request.pet_id
        return number in self.listed and read.finished > self.begun.get(number or 0, -inf)

    def telling(self, placed: Iterable[tuple[int, Animal]]) -> list[tuple[int, Animal]]:
        """Animals with their places, the unwanted ones last: they only show why another requirement fails."""
        return sorted(placed, key=lambda each: integer(each[1].get("id")) in self.unwanted)
