"""Sequences of steps from Hypothesis' state machine, without a target: create, read, list and filter in any order.

The machine's rules only record the steps; the caller carries them out and judges whether the answers are consistent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from hypothesis import HealthCheck, Phase, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule, run_state_machine_as_test

from petcheck.properties.hypothesis_setup import set_up_hypothesis
from petcheck.spec.figures import LIMIT_MAX, LIMIT_MIN, STATUSES

_STEPS = 12


@dataclass(frozen=True, slots=True)
class Create:
    """Create the next animal; `place` is its number in the sequence, from 0."""

    place: int
    status: str | None


@dataclass(frozen=True, slots=True)
class Read:
    """Read an animal of the sequence by its id."""

    place: int


@dataclass(frozen=True, slots=True)
class Look:
    """Request a page."""

    limit: int | None
    status: str | None


Step: TypeAlias = "Create | Read | Look"


def sequences(seed: int) -> Iterator[tuple[Step, ...]]:
    """Endless sequences; the same seed gives the same ones."""
    batch = 0
    while True:
        yield from _drawn(seed * 10_007 + batch)
        batch += 1


def _drawn(seed: int) -> list[tuple[Step, ...]]:
    set_up_hypothesis()
    drawn: list[tuple[Step, ...]] = []
    run = seeded(seed)(partial(_StepMachine, drawn))
    run_state_machine_as_test(
        run,  # type: ignore[arg-type]
        settings=settings(
            max_examples=20,
            stateful_step_count=_STEPS,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    useful = [steps for steps in dict.fromkeys(drawn) if any(isinstance(step, Read) for step in steps)]
    return sorted(useful, key=lambda steps: [isinstance(step, Read) for step in steps].index(True))


class _StepMachine(RuleBasedStateMachine):
    """Collects its steps when it ends."""

    animals: Bundle[int] = Bundle("animals")

    def __init__(self, drawn: list[tuple[Step, ...]]) -> None:
        super().__init__()
        self._into = drawn
        self._steps: list[Step] = []
        self._created = 0

    @rule(target=animals, status=st.sampled_from((*STATUSES, None)))
    def create(self, status: str | None) -> int:
        self._steps.append(Create(self._created, status))
        self._created += 1
        return self._created - 1

    @rule(place=animals)
    def read(self, place: int) -> None:
        self._steps.append(Read(place))

    @rule(
        limit=st.one_of(st.none(), st.just(LIMIT_MAX), st.integers(LIMIT_MIN, LIMIT_MAX)),
        status=st.sampled_from((None, *STATUSES)),
    )
    def look(self, limit: int | None, status: str | None) -> None:
        self._steps.append(Look(limit, status))

    def teardown(self) -> None:
        self._into.append(tuple(self._steps))
