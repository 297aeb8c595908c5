"""What pages show of earlier POSTs: what was created as it was created, and nothing that was refused."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from petcheck.examples.ledger import Failure, Ledger, shown
from petcheck.exchange import Exchange, Operation, Response
from petcheck.judging.jsontext import Json, NotJson, integer, parse
from petcheck.judging.matchers import Animal, differences, quoted, value_of
from petcheck.judging.newpets import Due, asked_for
from petcheck.judging.sightings import Page, page_in

_REMEMBERED = 2_000


@dataclass
class Posted:
    """Remembers the latest POSTs of the examples and compares every page with them."""

    ledger: Ledger
    refused: dict[str, Exchange] = field(default_factory=dict)
    made: dict[int, tuple[Exchange, Animal]] = field(default_factory=dict)

    def watch(self, exchange: Exchange, again: Callable[[Page], Exchange | None]) -> None:
        """Take note of a POST, or compare a page; `again` asks for a page once more, or says None where it may not."""
        if exchange.request.operation is Operation.CREATE_PET and isinstance(exchange.answer, Response):
            self._remember(exchange, exchange.answer)
        page = page_in(exchange)
        if page is None or not (self.refused or self.made):
            return
        numbered = ((integer(animal.get("id")), animal) for animal in page.animals)
        seen = {number: animal for number, animal in numbered if number is not None and number in self.made}
        self._look_for_refused(page, seen)
        for number, animal in seen.items():
            self._compare(page, number, animal, again)

    def _remember(self, exchange: Exchange, answer: Response) -> None:
        name = _member(exchange.request.body, "name")
        value = value_of(answer)
        number = integer(value.get("id")) if isinstance(value, dict) else None
        due = asked_for(exchange.request.body, self.ledger.grounds.categories).due
        if answer.status == 400 and isinstance(name, str) and due is Due.REFUSED:
            self.refused[name] = exchange
        elif answer.status == 201 and isinstance(value, dict) and number is not None:
            self.made[number] = exchange, value
            self.ledger.listed.add(number)
            if isinstance(name, str):
                self.refused.pop(name, None)
        _shorten(self.refused)
        _shorten(self.made)

    def _look_for_refused(self, page: Page, seen: Collection[int]) -> None:
        latest = max((self.made[number][0].index for number in seen), default=-1)
        if any(post.index < latest for post in self.refused.values()):
            # it shows what was created later, and so would what was refused
            self.ledger.note("CREATE-11", page.exchange)
        for animal in page.animals:
            name, number = animal.get("name"), integer(animal.get("id"))
            post = self.refused.get(name) if isinstance(name, str) else None
            if post is not None and number not in self.made:
                problem = f"it lists animal {quoted(animal.get('id'))}, although {shown(post)} was answered 400"
                self._fails("CREATE-11", problem, page.exchange, post)

    def _compare(self, page: Page, number: int, animal: Animal, again: Callable[[Page], Exchange | None]) -> None:
        """A difference is looked at once more before it counts."""
        post, made = self.made[number]
        changed = differences(made, animal)
        if not changed:
            self.ledger.note("CREATE-13", page.exchange)
        elif "CREATE-13" not in self.ledger.failures:
            second = again(page)
            other = page_in(second) if second else None
            same = [a for a in other.animals if integer(a.get("id")) == number] if other else []
            if same and differences(made, same[0]) == changed:
                problem = f"it shows animal {number} otherwise than it was created: {'; '.join(changed)}"
                self._fails("CREATE-13", problem, page.exchange, post)

    def _fails(self, requirement: str, problem: str, page: Exchange, post: Exchange) -> None:
        if requirement not in self.ledger.failures | dict.fromkeys(self.ledger.known):
            self.ledger.failures[requirement] = Failure(
                requirement, "4.2", f"{problem} (section 4.2)", page, page, (post,)
            )


def _shorten(memory: dict[Any, Any]) -> None:
    while len(memory) > _REMEMBERED:
        del memory[next(iter(memory))]


def _member(body: bytes | None, name: str) -> Json:
    try:
        value = parse(body or b"")
    except NotJson:
        return None
    return value.get(name) if isinstance(value, dict) else None
