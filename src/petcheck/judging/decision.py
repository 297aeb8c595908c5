"""What a rule decides over a whole record.

A `Decision` may be a question: `Ask` names the requests whose answers decide. A run sends them and decides again; a
recording cannot, so the requirement stays undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from petcheck.call import Call
from petcheck.exchange import Exchange
from petcheck.judging.judgement import NOT_CONCERNED, WHOLE, Grounds, Judgement, Part, Problem
from petcheck.spec.catalogue import catalogue

LIMITS = "8"
"""The section about rate limits."""

Record: TypeAlias = Sequence[Exchange]
"""The exchanges with one target, in the order in which they were sent."""


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
    """The record does not decide. `settled_by` is the option that helps; `tried` is false if no request was tried.

    It is `doubtful` if answers contradict the requirement, unless other clients or caches explain them.
    """

    reason: str
    settled_by: str | None = None
    examined: tuple[Exchange, ...] = ()
    tried: bool = True
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """Requests whose answers decide: send each again, in this order, not before `not_before` (monotonic seconds).

    `otherwise` is the decision if they cannot be sent.
    """

    calls: tuple[Call, ...]
    otherwise: Undecided
    not_before: float = 0.0


Settled: TypeAlias = Held | Failed | Undecided
"""A decision that asks nothing."""

Decision: TypeAlias = Settled | Ask


def _concerns_none(_exchange: Exchange, _grounds: Grounds) -> Judgement:
    return NOT_CONCERNED


@dataclass(frozen=True, slots=True)
class Rule:
    """How one requirement is judged.

    `one` judges a single exchange, whatever its purpose. `over` judges what needs several exchanges; without it, any
    exchange that the rule concerns decides, and `nothing` is the reason if it concerns none. `every_try` is true for a
    rule that must see failed first tries too.
    """

    requirement: str
    one: Callable[[Exchange, Grounds], Judgement] = field(default=_concerns_none, repr=False)
    over: Callable[[Record, Grounds], Decision] | None = field(default=None, repr=False)
    nothing: str = ""
    every_try: bool = False

    def is_about(self, exchange: Exchange, grounds: Grounds) -> bool:
        """Whether an exchange can show that the requirement holds; of a rule that needs several, any can."""
        return self.one is _concerns_none or self.one(exchange, grounds) is not NOT_CONCERNED

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


def all_of(parts: Sequence[Decision], settled_by: str | None = None) -> Decision:
    """The decision over several parts of a requirement: the first `Failed`, then the first `Ask`, then all of them."""
    for wanted in (Failed, Ask):
        decisive = next((part for part in parts if isinstance(part, wanted)), None)
        if decisive is not None:
            return decisive
    examined = tuple(dict.fromkeys(e for part in parts if isinstance(part, Held | Undecided) for e in part.examined))
    undecided = [part for part in parts if isinstance(part, Undecided)]
    if not undecided:
        return Held(examined)
    reasons = dict.fromkeys(part.reason for part in undecided)
    return Undecided(" ".join(reasons), settled_by, examined, doubtful=any(part.doubtful for part in undecided))
