"""Carries sequences out: what is told of an animal must be one story, however create, read, list and filter follow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol

from petcheck.creations import expect_read_as_created
from petcheck.examples.ledger import Failure, Ledger
from petcheck.examples.plan import Pets, named, names_beyond_ascii, new_pet
from petcheck.examples.sequences import Create, Look, Read, Step, sequences
from petcheck.exchange import Exchange, Operation
from petcheck.judging.interface import REMOVAL_DAY
from petcheck.judging.verdicts import Breach, Inconclusive
from petcheck.shares import Shares
from petcheck.target import Creation, Target
from petcheck.wire.api import page_call
from petcheck.wire.transport import Call

_WAITS = 3  # animals that are given their time to appear


class Teller(Protocol):
    """What sends the steps and judges each."""

    target: Target
    shares: Shares

    @property
    def ledger(self) -> Ledger:
        """What came of the examples."""
        ...

    @property
    def pets(self) -> Pets:
        """What the run's animals are made of."""
        ...

    def left(self, operation: Operation) -> int:
        """Requests that the examples may still take, for an operation."""
        ...

    def attempt(self, call: Call, *, fresh: bool = False) -> Exchange:
        """Send an example and judge it."""
        ...


class Stories:
    """The sequences of one target, within their share of the requests."""

    def __init__(self, teller: Teller) -> None:
        self._teller = teller
        self._posts = teller.shares.sequence_posts
        self._gets = teller.shares.sequence_gets
        self._waits = _WAITS
        self._names = names_beyond_ascii(teller.pets)
        self._bold = True
        self._sequences = sequences(teller.target.seed)

    def carry_out_another(self) -> bool:
        """Carry out one sequence; false where the share of the requests is spent. Raises `NotSent`."""
        return self._carried_out(next(self._sequences))

    def _carried_out(self, steps: Sequence[Step]) -> bool:
        animals: dict[int, Creation] = {}
        for step in steps:
            match step:
                case Create(place, status):
                    if self._posts <= 0 or self._teller.left(Operation.CREATE_PET) <= 0:
                        return False
                    self._posts -= 1
                    made = self._create(status)
                    if made.accepted and made.id is not None:
                        animals[place] = made
                case _ if self._gets <= 0 or self._teller.left(Operation.LIST_PETS) <= 0:
                    return False
                case Look(limit, status):
                    self._gets -= 1
                    self._teller.attempt(page_call(limit, status), fresh=True)
                case Read(place):
                    if place in animals and self._teller.target.as_of < REMOVAL_DAY:
                        self._gets -= 1
                        self._read(animals[place])
        return True

    def _create(self, status: str | None) -> Creation:
        """An animal with a name of another script each time, as long as the service takes such."""
        pets = self._teller.pets
        name = next(self._names) if self._bold else named(pets.run, 8 + self._posts % 40)
        body = new_pet(pets, name, status)
        exchange = self._teller.attempt(Call(Operation.CREATE_PET, body=body), fresh=True)
        self._bold = self._bold and exchange.status != 400
        return Creation("sequence", json.loads(body), exchange)

    def _read(self, made: Creation) -> None:
        ledger = self._teller.ledger
        exchange = self._teller.attempt(Call(Operation.GET_PET, pet_id=str(made.id)), fresh=True)
        if exchange.status == 404:
            self._waits -= 1
        if "CREATE-12" in ledger.failures or "CREATE-12" in ledger.known or self._waits < 0:
            return
        try:
            expect_read_as_created(self._teller.target, made, made.id or 0, exchange)
        except Breach as breach:
            last = breach.decisive[-1]
            problem = breach.message.rstrip(".")
            ledger.failures["CREATE-12"] = Failure("CREATE-12", "4.2", problem, last, last, breach.decisive)
        except Inconclusive:
            return
        ledger.note("CREATE-12", exchange)
