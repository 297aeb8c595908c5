"""The results of judging: for one exchange, and for a whole record.

A matcher looks at one thing and returns a `Problem`, or None. A rule gives one exchange a `Judgement`: not concerned,
it holds, or it has a problem. For a record a rule gives a `Decision`, which may be a question: `Ask` names the requests
whose answers decide. A run sends them and decides again; a recording cannot, so the requirement stays undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum
from math import inf
from typing import TypeAlias

from petcheck.call import Call
from petcheck.exchange import Exchange
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import Plan

Part: TypeAlias = str
"""`status`, `header:Name`, `body`, `body:` with a JSON pointer (RFC 6901); empty for the whole exchange."""

LIMITS = "8"
"""The section about rate limits."""

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

Record: TypeAlias = Sequence[Exchange]
"""The exchanges with one target, in the order in which they were sent."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a run knows about a target when it judges: `as_of` is the day to judge by.

    `categories` and `listed` are the categories and the animals (by id) that exist; `begun` says when the POSTs of
    those that the run created were sent, in monotonic seconds. `writes` says whether POST is permitted. `run` is the id
    in the names of the run's animals; `repeats` is true if an earlier run may have had it.
    """

    as_of: date
    plan: Plan | None = None
    categories: frozenset[int] = frozenset()
    listed: frozenset[int] = frozenset()
    writes: bool = False
    run: str = ""
    repeats: bool = False
    begun: Mapping[int, float] = field(default_factory=dict, hash=False)

    def has_animal_of(self, read: Exchange) -> bool:
        """Whether the animal that a read asks for is known to exist, and was not created only after the answer."""
        number = read.request.pet_id
        return number in self.listed and read.finished > self.begun.get(number or 0, -inf)


# ---- decisions


@dataclass(frozen=True, slots=True)
class Proof:
    """An exchange that shows a failure, and the part of it that does."""

    exchange: Exchange
    part: Part = WHOLE


@dataclass(frozen=True, slots=True)
class Held:
    """Everything that was examined is right."""

    examined: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True)
class Failed:
    """The requirement is broken; `unanswered` if silence is what breaks it. `expected` as in `Problem`.

    `wrong` are all exchanges that break it, if each does so by itself.
    """

    text: str
    proofs: tuple[Proof, ...]
    examined: tuple[Exchange, ...] = ()
    unanswered: bool = False
    expected: str = ""
    wrong: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Undecided:
    """The record does not decide. `settled_by` is the option that helps; `tried` is false if no request was tried."""

    reason: str
    settled_by: str | None = None
    examined: tuple[Exchange, ...] = ()
    tried: bool = True


@dataclass(frozen=True, slots=True)
class Ask:
    """Requests whose answers decide: send each again, in this order, not before `not_before` (monotonic seconds).

    `otherwise` is the decision if they cannot be sent.
    """

    calls: tuple[Call, ...]
    otherwise: Undecided
    not_before: float = 0.0


Decision: TypeAlias = Held | Failed | Undecided | Ask


# ---- rules


@dataclass(frozen=True, slots=True)
class Rule:
    """How one requirement is judged.

    `one` judges a single exchange, whatever its purpose. `over` judges what needs several exchanges; without it, any
    exchange that the rule concerns decides. `nothing` is the reason if it concerns none. `every_try` is true for a rule
    that must see failed first tries too.
    """

    requirement: str
    nothing: str
    one: Callable[[Exchange, Grounds], Judgement] = field(default=lambda _exchange, _grounds: NOT_CONCERNED, repr=False)
    over: Callable[[Record, Grounds], Decision] | None = field(default=None, repr=False)
    every_try: bool = False

    @property
    def section(self) -> str:
        """The section of the document that has the requirement."""
        return catalogue()[self.requirement].section


def judged(rule: Rule, exchanges: Iterable[Exchange], grounds: Grounds) -> list[tuple[Exchange, Problem | None]]:
    """Every exchange that the rule concerns, with its problem or None."""
    rows = ((exchange, rule.one(exchange, grounds)) for exchange in exchanges)
    return [
        (exchange, judgement if isinstance(judgement, Problem) else None)
        for exchange, judgement in rows
        if judgement is not NOT_CONCERNED
    ]
