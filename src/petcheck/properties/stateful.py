"""Sends sequences of requests: create, read, list and filter in any order. Rules judge the recorded exchanges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from petcheck.exchange import Call, Exchange, page_call, read_call
from petcheck.judging.creations import creations_in
from petcheck.properties.sequences import Create, Look, Read, Step, sequences
from petcheck.properties.streams import Pets, named, names_beyond_ascii, new_pet
from petcheck.spec.figures import REMOVAL_DAY
from petcheck.spec.operations import Operation
from petcheck.toolkit.budget import Shares
from petcheck.toolkit.target import Target


class Sender(Protocol):
    """Sends the steps and judges each alone."""

    target: Target
    shares: Shares

    @property
    def pets(self) -> Pets:
        """The run's id and the category of its animals."""
        ...

    def left(self, operation: Operation) -> int:
        """Requests that the examples may still use for an operation."""
        ...

    def attempt(self, call: Call, *, fresh: bool = False) -> Exchange:
        """Send an example and judge it."""
        ...


class Sequences:
    """The sequences for one target, within their share of the requests."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._posts = sender.shares.sequence_posts
        self._gets = sender.shares.sequence_gets
        self._names = names_beyond_ascii(sender.pets)
        self._extreme = True
        self._sequences = sequences(sender.target.seed)

    def send_another(self) -> bool:
        """Send one sequence; false if the share of the requests is spent. Raises `NotSent`."""
        return self._sent(next(self._sequences))

    def _sent(self, steps: Sequence[Step]) -> bool:
        animals: dict[int, int] = {}
        for step in steps:
            match step:
                case Create(place, status):
                    if self._posts <= 0 or self._sender.left(Operation.CREATE_PET) <= 0:
                        return False
                    self._posts -= 1
                    for made in creations_in([self._create(status)]):
                        animals[place] = made.id
                case _ if self._gets <= 0 or self._sender.left(Operation.LIST_PETS) <= 0:
                    return False
                case Look(limit, status):
                    self._gets -= 1
                    self._sender.attempt(page_call(limit, status), fresh=True)
                case Read(place):
                    if place in animals and self._sender.target.as_of < REMOVAL_DAY:
                        self._gets -= 1
                        self._sender.attempt(read_call(animals[place]), fresh=True)
        return True

    def _create(self, status: str | None) -> Exchange:
        """Create an animal with a name in another script each time, as long as the service accepts such names."""
        pets = self._sender.pets
        name = next(self._names) if self._extreme else named(pets.run, 8 + self._posts % 40)
        exchange = self._sender.attempt(Call(Operation.CREATE_PET, body=new_pet(pets, name, status)), fresh=True)
        self._extreme = self._extreme and exchange.status != 400
        return exchange
