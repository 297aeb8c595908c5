"""Sends sequences of requests: create, read, list and filter in any order. Rules judge the recorded exchanges."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from petcheck.call import Call, page_call, read_call
from petcheck.exchange import Exchange
from petcheck.judging.creations import creations_in
from petcheck.properties.new_pets import Pets, named, new_pet
from petcheck.properties.pet_examples import names_beyond_ascii
from petcheck.spec.figures import LIMIT_MAX, LIMIT_MIN, STATUSES
from petcheck.spec.operations import Operation
from petcheck.toolkit.shares import Shares

_STEPS = 12
_ANY_STATUS = (*STATUSES, None)


@dataclass
class Sequences:
    """The sequences for one target, within their share of the requests; the same seed draws the same steps.

    `reads` says whether GET /pets/{petId} exists. `left` gives the requests that are left for an operation, and
    `attempt` sends one.
    """

    pets: Pets
    shares: Shares
    seed: int
    reads: bool
    left: Callable[[Operation], int]
    attempt: Callable[[Call], Exchange]

    def __post_init__(self) -> None:
        self._posts = self.shares.sequence_posts
        self._gets = self.shares.sequence_gets
        self._names = names_beyond_ascii(self.pets)
        self._extreme = True
        self._drawn = random.Random(f"{self.seed}/sequences")  # noqa: S311 - repeatable, not secret

    def send_another(self) -> bool:
        """Send one sequence, which begins with an animal; false if the share is spent. Raises `NotSent`."""
        made: list[int] = []
        steps = ["create", *self._drawn.choices(("create", "read", "look"), k=_STEPS - 1)]
        for step in steps:
            operation = Operation.CREATE_PET if step == "create" else Operation.LIST_PETS
            if (self._posts if step == "create" else self._gets) <= 0 or self.left(operation) <= 0:
                return False
            if step == "create":
                self._posts -= 1
                made += self._create()
            elif step == "look" or not made or not self.reads:
                self._gets -= 1
                limit = self._drawn.choice((None, LIMIT_MAX, self._drawn.randint(LIMIT_MIN, LIMIT_MAX)))
                self.attempt(page_call(limit, self._drawn.choice(_ANY_STATUS)))
            else:
                self._gets -= 1
                self.attempt(read_call(self._drawn.choice(made)))
        return True

    def _create(self) -> list[int]:
        """Create an animal with a name in another script each time, as long as the service accepts such names.

        Returns its id, unless it has none.
        """
        name = next(self._names) if self._extreme else named(self.pets.run, 8 + self._posts % 40)
        body = new_pet(self.pets, name, self._drawn.choice(_ANY_STATUS))
        exchange = self.attempt(Call(Operation.CREATE_PET, body=body))
        self._extreme = self._extreme and exchange.status != 400
        return [one.id for one in creations_in([exchange])]
