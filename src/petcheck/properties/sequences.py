"""Sends sequences of requests: create, read, list and filter in any order. Rules judge the recorded exchanges."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from petcheck.call import Call, page_call, read_call
from petcheck.judging.creations import creations_in
from petcheck.properties.streams import named, names_beyond_ascii, new_pet
from petcheck.spec.figures import LIMIT_MAX, LIMIT_MIN, REMOVAL_DAY, STATUSES
from petcheck.spec.operations import Operation

if TYPE_CHECKING:
    from petcheck.properties.examples import Examples

_STEPS = 12
_ANY_STATUS = (*STATUSES, None)


class Sequences:
    """The sequences for one target, within their share of the requests; the same seed draws the same steps."""

    def __init__(self, examples: Examples) -> None:
        self._examples = examples
        self._posts = examples.shares.sequence_posts
        self._gets = examples.shares.sequence_gets
        self._names = names_beyond_ascii(examples.pets)
        self._extreme = True
        self._drawn = random.Random(f"{examples.target.seed}/sequences")  # noqa: S311 - repeatable, not secret

    def send_another(self) -> bool:
        """Send one sequence, which begins with an animal; false if the share is spent. Raises `NotSent`."""
        made: list[int] = []
        steps = ["create", *self._drawn.choices(("create", "read", "look"), k=_STEPS - 1)]
        for step in steps:
            operation = Operation.CREATE_PET if step == "create" else Operation.LIST_PETS
            if (self._posts if step == "create" else self._gets) <= 0 or self._examples.left(operation) <= 0:
                return False
            if step == "create":
                self._posts -= 1
                made += self._create()
            elif step == "look" or not made or self._examples.target.as_of >= REMOVAL_DAY:
                self._gets -= 1
                limit = self._drawn.choice((None, LIMIT_MAX, self._drawn.randint(LIMIT_MIN, LIMIT_MAX)))
                self._examples.attempt(page_call(limit, self._drawn.choice(_ANY_STATUS)), fresh=True)
            else:
                self._gets -= 1
                self._examples.attempt(read_call(self._drawn.choice(made)), fresh=True)
        return True

    def _create(self) -> list[int]:
        """Create an animal with a name in another script each time, as long as the service accepts such names.

        Returns its id, unless it has none.
        """
        pets = self._examples.pets
        name = next(self._names) if self._extreme else named(pets.run, 8 + self._posts % 40)
        body = new_pet(pets, name, self._drawn.choice(_ANY_STATUS))
        exchange = self._examples.attempt(Call(Operation.CREATE_PET, body=body), fresh=True)
        self._extreme = self._extreme and exchange.status != 400
        return [one.id for one in creations_in([exchange])]
