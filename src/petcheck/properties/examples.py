"""Sends the property examples of one target. A failing one is simplified at once, in a few more requests."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial

from petcheck.call import Call, page_call, read_call
from petcheck.errors import NotRun, NotSent, OperationSilent
from petcheck.exchange import Exchange
from petcheck.judging.creations import creations_in, found_in, name_in, posts_in, taken
from petcheck.judging.decision import Failed
from petcheck.judging.judgement import Problem
from petcheck.judging.pages import animals_in, shown_in, widest_with_room
from petcheck.judging.request_bodies import Due, asked_for
from petcheck.properties.cases import cases_of
from petcheck.properties.failures import Failures
from petcheck.properties.get_examples import getting, ordering
from petcheck.properties.list_examples import listing
from petcheck.properties.new_pets import Pets
from petcheck.properties.pet_examples import UNSEEN, creating, spoiling
from petcheck.properties.sequences import Sequences
from petcheck.properties.shrink import simplest
from petcheck.spec.figures import GATEWAY_TROUBLE, LIMIT_MAX, REMOVAL_DAY
from petcheck.spec.operations import Operation
from petcheck.toolkit.feeds import RequestKind
from petcheck.toolkit.shares import DEEP, shares
from petcheck.toolkit.target import Target
from petcheck.toolkit.together import ask_ahead, explain_bursts
from petcheck.wire.circuit import is_ordinary

_FURTHER = 10  # most requests to simplify one example
_SIMPLIFIED = 6  # most failures of an operation that are simplified
_SEQUENCES, _AGAIN, _NEXT = "sequences", "read again", "the next id"
_COMPARED = ("CREATE-12", "CREATE-11", "CREATE-13", "LIST-8", "GET-2", "PET-5")
_SPOILING = 9


@dataclass(eq=False)
class _Part:
    """Some of the examples: `calls`, or `another` tries one and returns whether there may be more.

    Its turns are those of a part with the share `like`, if that is given, and begin once others have spent a share of
    `after`.
    """

    name: Operation | str
    share: int
    calls: Iterator[Call] = field(default_factory=lambda: iter(()))
    another: Callable[[], bool] | None = None
    like: int = 0
    after: float = 0.0
    spent: int = 0

    @property
    def turn(self) -> float:
        """How soon its next example comes."""
        return self.after + self.spent / (self.like or self.share)


@dataclass
class Examples:
    """The property examples of a target during a run; `number` is the value of `--examples`."""

    target: Target
    number: int

    def __post_init__(self) -> None:
        self.sent = 0
        self.shares = shares(self.number, writes=self.target.config.writes)
        self._posts = 0
        self._kept = _SPOILING if self.number > DEEP else 0  # requests for what may spoil a store
        self._done = False
        self._compared: list[str] = []  # what the examples may show to fail
        self._obstacles: dict[Operation | str, NotSent] = {}
        self._simplified: Counter[Operation] = Counter()
        self._refusal: int | None = None  # the status of a plain animal that was not created
        self._bodies: Iterator[Call] = iter(())  # what is POSTed next

    @cached_property
    def ledger(self) -> Failures:
        """The results of the examples; it starts with what the run found out before the first."""
        target = self.target
        ledger = Failures(target.grounds, set(target.grounds.listed))
        for exchange in target.record:
            # a request that met a gateway's trouble was sent again, and that answer is on record too
            if exchange.request.has_valid_key and exchange.status not in GATEWAY_TROUBLE:
                problems = ledger.problems(exchange)
                ledger.known |= problems.keys()
                if "CREATE-1" in problems:
                    self._refusal = exchange.status
        return ledger

    @cached_property
    def pets(self) -> Pets:
        """The run's id and the categories of its animals."""
        return Pets(self.target.run, self.target.categories, UNSEEN if self.target.takes_any_category else ())

    # ---- what a check asks

    def settle(self, operation: Operation) -> None:
        """Try the examples, once in a run. Raises the `NotSent` that prevented those of an operation, and `NotRun`."""
        if operation is Operation.CREATE_PET:
            self.target.need_writes()
        if operation is Operation.GET_PET:
            self.target.need_reads()
        self.run()
        if operation in self._obstacles:
            raise self._obstacles[operation]

    def spoil(self) -> None:
        """Post what a server may store and then fail to read, after everything else; then read the widest page.

        Raises `NotRun` unless the run tries more examples than the default.
        """
        self.target.need_writes()
        if self.number <= DEEP:
            raise NotRun("What may spoil a store is sent only with more examples than the default.", "--examples")
        self._kept = 0
        for call in (*(Call(Operation.CREATE_PET, body=body) for body in spoiling(self.pets)), page_call(LIMIT_MAX)):
            if self.left(call.operation) > 0:
                self.ask(call, fresh=True)

    def run(self) -> None:
        """Try the examples, once in a run: the operations take turns, so that a cap affects all of them."""
        if self._done:
            return
        self._done = True
        self._compared = [name for name in _COMPARED if not isinstance(self.target.decision(name), Failed)]
        parts, ready = self._parts(), deque[tuple[_Part, Call | None]]()
        while parts or ready:
            try:
                if not ready:
                    ready += self._sent_ahead(parts)
                    continue
                part, call = ready.popleft()
                self._try(part, call, parts)
            except NotSent as obstacle:
                self._obstacles |= {part.name: obstacle for part in parts}
                break
        with self._counted():
            explain_bursts(self.target)

    def compare(self) -> None:
        """Ask what decides the requirements that take several exchanges, once all examples were sent."""
        for name in self._compared:  # what decides them is counted for the examples
            # CREATE-11 waits only to clear a refused POST, and no pass needs what an example shows; others wait to fail
            self.target.settle(name, partial(self.ask, fresh=True), patient=name != "CREATE-11")

    def go_on(self) -> None:
        """Send more bodies that must be refused, as long as requests are left.

        One stays for the widest page, which is read after them, and one for a silence. No other page is read then, so
        the run creates no animal here.
        """
        for call in self._bodies:
            if self._posts >= self.shares.posts or self.target.budget.spare_in_all() <= 2:
                return
            if not call.body or asked_for(call.body, ()).due is Due.REFUSED:
                self.attempt(call)

    def _try(self, part: _Part, call: Call | None, parts: list[_Part]) -> None:
        """Try the next example of a part, which is no longer one of `parts` if it has no more. Raises `NotSent`."""
        first, more = self.sent, True
        try:
            if call is not None:
                first += not self.target.api.known(call)  # it was counted when its turn came
                self.attempt(call)
            elif part.another is not None:
                more = part.another()
        except OperationSilent as obstacle:
            self._obstacles[part.name] = obstacle
            more = False
        part.spent += max(self.sent - first, 0)
        if part in parts and (not more or part.spent >= part.share):
            parts.remove(part)

    def _sent_ahead(self, parts: list[_Part]) -> list[tuple[_Part, Call | None]]:
        """The next examples by turns, sent at the same time, as far as the run may; one without a call comes alone.

        So does one that no server expects to serve: if it ends the process, it is known which one did. A part without
        further calls is no longer one of `parts`.
        """
        target, chosen = self.target, list[tuple[_Part, Call]]()
        while parts and len(chosen) < target.transport.permissions.connections:
            part = min(parts, key=lambda part: part.turn)
            if part.another is not None:
                if chosen:
                    break
                return [(part, None)]
            planned = [one for _, one in chosen if not target.api.known(one)]
            # what is left of the bodies may still be sent after the end, so none is taken that is not sent
            affordable = self.left(part.name, planned) > 0 and part.spent < part.share
            call = next(part.calls, None) if affordable else None
            if call is None:
                parts.remove(part)
                continue
            part.spent += 1  # also for what a check has sent, so that all runs with this share try the same
            chosen.append((part, call))
            if not call.operation.safe and not is_ordinary(call):
                break  # which body comes next may depend on its answer
        with self._counted():
            ask_ahead(target, [call for _, call in chosen if is_ordinary(call)])
        return list(chosen)

    def _parts(self) -> list[_Part]:
        """The parts to try that serve what was chosen, each with its share of the requests."""
        share, seed, choice = self.shares, self.target.seed, self.target.choice
        cases = cases_of(self.number)
        parts = [_Part(Operation.STORE_ORDERS, share.ordering, ordering())]
        if share.posts:
            posted = [e.request.body for e in self.target.record if e.request.operation is Operation.CREATE_PET]
            before = [body for body in posted if body]
            bodies = creating(self.pets, seed, before, cases, self._created, self._plainest(), self._failed)
            self._bodies = (call for call in bodies if choice.posts(call.body, self.target.grounds.categories))
            # sooner than pages: bodies find most, and a server that fails leaves few requests for examples
            parts.append(_Part(Operation.CREATE_PET, share.creating, self._bodies, like=share.listing * 3 // 2))
            if share.sequence_posts and RequestKind.NEW in choice.examples:
                reads = self.target.as_of < REMOVAL_DAY
                attempt = partial(self.attempt, fresh=True)
                sequences = Sequences(self.pets, share, seed, reads, self.left, attempt)
                parts.append(
                    _Part(_SEQUENCES, share.sequence_posts + share.sequence_gets, another=sequences.send_another)
                )
        parts.append(_Part(Operation.LIST_PETS, share.listing, listing(seed, cases)))
        if self.target.as_of < REMOVAL_DAY:
            again = share.reading_again if choice.calls(Operation.GET_PET) else 0
            record = self.target.record
            whole = widest_with_room(record) is not None
            created = {made.id for made in creations_in(record)}
            known = {*animals_in(record), *created}
            ids = getting(seed, cases, known, whole=whole, newest=whole or bool(created))
            # before an animal gets the id after the last one
            parts.insert(0, _Part(_NEXT, min(share.getting, 1), another=partial(self._read_alone, next(ids))))
            parts.append(_Part(Operation.GET_PET, share.getting - again - 1, ids))
            # ids and segments show more
            parts.append(_Part(_AGAIN, again, another=self._read_again, after=0.6))
        return [
            part
            for part in parts
            if part.share > 0 and (not isinstance(part.name, Operation) or choice.calls(part.name))
        ]

    def _plainest(self) -> int | None:
        """The id of the first animal that the run created on purpose."""
        return next((one.id for one in creations_in(self.target.created.values())), None)

    def _created(self, body: bytes) -> bool:
        return 201 in self._statuses(body)

    def _failed(self, body: bytes) -> bool:
        return any(status is None or status >= 500 for status in self._statuses(body))

    def _statuses(self, body: bytes) -> list[int | None]:
        return [e.status for e in posts_in(self.target.record) if e.request.body == body]

    def _read_alone(self, call: Call) -> bool:
        if self.target.choice.calls(call.operation) and self.left(call.operation) > 0:
            self.attempt(call)
        return False

    def _read_again(self) -> bool:
        """Read an animal a second time: a cache may answer then, in another form."""
        found = found_in(self.target.record)
        if found and self.left(Operation.GET_PET) > 0:
            self.attempt(read_call(found[0]), fresh=True)
        return False

    # ---- one example

    def left(self, operation: Operation | str, planned: Collection[Call] = ()) -> int:
        """Requests that the examples may still use for an operation or another part, after those `planned`."""
        left = min(self.shares.total - self.sent, self.target.budget.spare_for_examples()) - self._kept - len(planned)
        posts = self._posts + self._kept + sum(not call.operation.safe for call in planned)
        return min(left, self.shares.posts - posts) if operation is Operation.CREATE_PET else left

    def ask(self, call: Call, *, fresh: bool = False) -> Exchange:
        """Send a call and count it for the examples; a call that a check has sent is reused unless `fresh`."""
        with self._counted():
            return self.target.transport.send(call) if fresh else self.target.api.sample(call)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count what is sent in this block for the examples."""
        transport = self.target.transport
        first, sent = transport.tally.spent, len(transport.recorded)
        try:
            with transport.serving(section="", example=True), self.target.budget.of_examples():
                yield
        finally:
            self.sent += transport.tally.spent - first
            self._posts += sum(not one.request.operation.safe for one in transport.recorded[sent:])

    def attempt(self, call: Call, *, fresh: bool = False) -> Exchange:
        """Send an example and judge it."""
        ledger = self.ledger
        exchange = self.ask(call, fresh=fresh)
        problems = ledger.problems(exchange)
        if problems and not ledger.settled(exchange, problems) and not self._plain_is_no_better(exchange, problems):
            self._simplify(call, exchange)
        ledger.listed.update(shown_in(exchange))
        return exchange

    def _simplify(self, call: Call, exchange: Exchange) -> None:
        """Look for a simpler example that fails in the same way, and record it."""
        operation = call.operation
        self._simplified[operation] += 1
        worth_it = self._simplified[operation] <= _SIMPLIFIED
        last = self.sent + (min(_FURTHER, self.left(operation) // 2) if worth_it else 0)
        asked = {call: exchange}

        def fails(attempt: Call) -> bool:
            if not self.target.api.known(attempt) and self.sent >= last:
                return False
            name = name_in(attempt.body)
            if name != name_in(call.body) and taken(name, self.target.record) is not None:
                return False  # a name that is taken would be another cause
            asked[attempt] = self.ask(attempt)
            return self.ledger.alike(asked[attempt], exchange)

        with self.target.transport.serving(simplifies=exchange.index):
            simple = asked[simplest(call, self.pets, fails)]
        self.ledger.register(simple, tried=len(asked) > 1)

    def _plain_is_no_better(self, exchange: Exchange, problems: dict[str, Problem]) -> bool:
        """Whether a doubtful animal gets the same status as a plain one, so that the doubt is not the cause."""
        return problems.keys() == {"CREATE-14"} and exchange.status == self._refusal
