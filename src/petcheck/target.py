"""One target during a run: its API, what was recorded and observed of it, and what the run has made there."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar, cast

from petcheck.config import TargetConfig
from petcheck.exchange import Credential, Exchange, NoAnswer, Operation, Response
from petcheck.judging.interface import PLANS
from petcheck.judging.jsontext import INT64_MAX, INT64_MIN, NotJson, integer, parse
from petcheck.judging.matchers import Animal, came, value_of
from petcheck.judging.overall import hold
from petcheck.judging.rules import RULE, Grounds
from petcheck.judging.sightings import animals_in
from petcheck.judging.verdicts import Breach, NotRun
from petcheck.probes import Body, Defect, ValidPet, defects, valid_pets
from petcheck.wire.api import Api
from petcheck.wire.transport import NotSent, Transport

Seen = TypeVar("Seen")
READING_BUDGET, WRITING_BUDGET = 40, 60
VISIBLE_WITHIN_S = 10.0


class Untestable(Exception):
    """The target as a whole cannot be tested; the message says why and what to do, in one line."""


@dataclass(frozen=True, slots=True)
class Creation:
    """A POST that was sent: the probe's name, what was sent, and the exchange."""

    label: str
    body: dict[str, object]
    exchange: Exchange

    @property
    def status(self) -> int | None:
        """The status of the answer; None where none came."""
        return self.exchange.status

    @property
    def accepted(self) -> bool:
        """Whether it was answered 201."""
        return self.status == 201

    @property
    def animal(self) -> Animal:
        """The animal in the 201; empty where there is none."""
        value = value_of(self.exchange.answer) if self.accepted and isinstance(self.exchange.answer, Response) else None
        return dict(value) if isinstance(value, dict) else {}

    @property
    def id(self) -> int | None:
        """The id that the service gave the animal."""
        return integer(self.animal.get("id"))


@dataclass(frozen=True, slots=True)
class Observed:
    """What a target does where the document is silent."""

    id: str
    value: str
    exchanges: tuple[int, ...]


@dataclass
class Target:
    """A target and its run.

    `run` is the run's id of 8 characters; `exhaust` allows to use up the quota; `repeats` tells that an earlier run may
    have had the same id, and posted the same.
    """

    config: TargetConfig
    api: Api
    run: str
    as_of: date
    seed: int
    exhaust: bool = False
    repeats: bool = False
    created: list[Creation] = field(default_factory=list)
    observed: dict[str, Observed] = field(default_factory=dict)
    examples_sent: int = 0
    breaches: dict[str, Breach] = field(default_factory=dict)
    untestable: str | None = None

    def __post_init__(self) -> None:
        drawn = random.Random(f"{self.seed}/{self.config.name}")  # noqa: S311 - to be repeatable, not secret
        self.unknown_ids = [drawn.randrange(2**40, 2**62) for _ in range(2)]
        self._number = drawn.randrange(10**8, 10**9)
        self._category: int | None = None
        self._exhausted: object = None
        self._exhausted_from = 0
        self._found: dict[str, Exchange] = {}
        self._left: list[tuple[int, int | None, str]] = []

    @property
    def transport(self) -> Transport:
        """The door to the network."""
        return self.api.transport

    @property
    def record(self) -> list[Exchange]:
        """All exchanges so far."""
        return self.transport.recorded

    # ---- the start

    def knock(self) -> None:
        """Find out in a few requests whether the target can be tested at all; `Untestable` where it cannot."""
        try:
            answers = [self.api.list_pets()]
            if _refused(answers[0]) or isinstance(answers[0].answer, NoAnswer):
                answers.append(self.api.store_orders())
        except NotSent as obstacle:
            last = self.record[-1] if self.record else None
            if last is not None and isinstance(last.answer, NoAnswer):
                reason = f"{self.config.base_url} does not answer ({last.answer.kind.value}: {last.answer.detail})"
                raise Untestable(f"{reason}; check the URL, and that the server runs and can be reached") from None
            raise Untestable(f"{self.config.base_url} serves no request now: {obstacle.reason}") from None
        if all(_refused(answer) for answer in answers):
            raise Untestable(
                f"{self.config.base_url} refuses the key {self.config.key.fingerprint} everywhere "
                f"({came(answers[0])}); check PETSTORE_API_KEY"
            )

    # ---- what is known

    @property
    def category(self) -> int:
        """A category that exists, as far as is known: one that a listed animal has, else the one given, else 1.

        It stays the same for the whole run.
        """
        if self._category is None:
            self._category = next(iter(self.listed_categories()), self.config.category_id or 1)
        return self._category

    @property
    def category_known(self) -> bool:
        """Whether that category is known to exist."""
        return self.config.category_id is not None or self.category in self.listed_categories()

    def listed_categories(self) -> list[int]:
        """The categories of listed animals, those first that most systems take without trouble."""
        found = (integer(animal.get("categoryId")) for animal in animals_in(self.record).values())
        usable = {number for number in found if number is not None and INT64_MIN <= number <= INT64_MAX}
        return sorted(usable, key=lambda number: (number < 0, abs(number)))

    @property
    def grounds(self) -> Grounds:
        """What is known of the target when a rule is held against an exchange."""
        known = {self.config.category_id} if self.config.category_id is not None else set()
        return Grounds(self.as_of, PLANS.get(self.config.plan or ""), frozenset({*known, *self.listed_categories()}))

    def hold(self, requirement: str) -> None:
        """`Breach` where a rule does not hold in all that was recorded, `Inconclusive` where it concerns nothing.

        What property examples alone have found is told as they tell it.
        """
        self.expect_examples(requirement)
        hold(self.api, RULE[requirement], self.record, Grounds(self.as_of, PLANS.get(self.config.plan or "")))

    def expect_examples(self, requirement: str) -> None:
        """`Breach` where property examples have found a requirement broken that held until then."""
        if requirement in self.breaches:
            raise self.breaches[requirement]

    def spare(self) -> int:
        """Requests that are left of the number that a whole run may take."""
        return (WRITING_BUDGET if self.config.writes else READING_BUDGET) - self.transport.tally.sent

    def observe(self, name: str, value: str, *exchanges: Exchange) -> None:
        """Note what the target does at an open point of the catalogue."""
        self.observed[name] = Observed(name, value, tuple(exchange.index for exchange in exchanges))

    # ---- what the run makes

    def need_writes(self) -> None:
        """`NotRun` where POST may not be sent."""
        if not self.config.writes:
            raise NotRun("It takes a POST, which is sent only where writes are allowed.", "--allow-writes")

    def valid_pets(self) -> tuple[ValidPet, ...]:
        """The animals that the run creates."""
        return valid_pets(self.run, self.category)

    def defects(self) -> tuple[Defect, ...]:
        """The bodies that must be refused."""
        return defects(self.run, self.category, self._number)

    def post(self, label: str, body: dict[str, object]) -> Creation:
        """Create an animal, once in a run."""
        known = next((creation for creation in self.created if creation.label == label), None)
        if known is not None:
            self.api.examine(known.exchange)
            return known
        self.need_writes()
        creation = Creation(label, body, self.api.create_pet(body))
        self.created.append(creation)
        return creation

    def refuse(self, body: Body, credential: Credential = Credential.VALID) -> Exchange:
        """Post what must be refused, once in a run."""
        self.need_writes()
        return self.api.create_pet(body, credential=credential)

    def once(self, name: str, find: Callable[[], Exchange]) -> Exchange:
        """The exchange that `find` comes to, found once in a run and evidence of every check that asks for it."""
        if name not in self._found:
            self._found[name] = find()
        return self.api.examine(self._found[name])

    def exhausted(self, use_up: Callable[[], Seen]) -> Seen:
        """What using up the quota showed, done once in a run; what keeps it from being done is raised every time."""
        if self._exhausted is None:
            first = len(self.record)
            self._exhausted = use_up()
            self._exhausted_from = first
        for exchange in [*self.record[self._exhausted_from :][:1], *self.record[-4:]]:
            self.api.examine(exchange)
        return cast("Seen", self._exhausted)

    def left_behind(self, first: int = 0) -> list[tuple[int | None, str]]:
        """Ids and names of animals that the run may have left on the target; the id is None where it is not known.

        Of those made in exchange `first` and after it.
        """
        left = [*self._left, *_left_by(self.record)]
        return [(number, name) for index, number, name in left if index >= first]

    def forget(self, indices: Collection[int]) -> None:
        """Drop exchanges from the record; the animals that they made stay on the list of what is left behind."""
        self._left += _left_by([exchange for exchange in self.record if exchange.index in indices])
        self.transport.forget(indices)

    @contextmanager
    def on_behalf_of(self, section: str) -> Iterator[None]:
        """Attribute what is sent meanwhile to a section of the document, and collect it as evidence."""
        self.transport.section = section
        self.api.examined.clear()
        yield
        self.transport.section = ""

    def await_visible(self, creation: Creation, looked: float) -> bool:
        """Wait until a created animal has had its 10 s to appear; false where it had them when last `looked` for."""
        due = creation.exchange.finished + VISIBLE_WITHIN_S
        if looked >= due:
            return False
        left = due - self.transport.clock.monotonic()
        if left > 0:
            self.transport.wait(left, "an animal that was created is looked for again")
        return True


def _left_by(exchanges: Iterable[Exchange]) -> Iterator[tuple[int, int | None, str]]:
    for exchange in exchanges:
        if exchange.request.operation is not Operation.CREATE_PET:
            continue
        if isinstance(exchange.answer, Response) and exchange.answer.status >= 300:
            continue
        value = value_of(exchange.answer) if isinstance(exchange.answer, Response) else None
        made = value if isinstance(value, dict) else {}
        yield exchange.index, integer(made.get("id")), _sent_name(exchange)


def _refused(exchange: Exchange) -> bool:
    return isinstance(exchange.answer, Response) and exchange.answer.status in (401, 403)


def _sent_name(exchange: Exchange) -> str:
    try:
        sent = parse(exchange.request.body or b"")
    except NotJson:
        return ""
    name = sent.get("name") if isinstance(sent, dict) else None
    return name if isinstance(name, str) else ""
