"""One target during a run: its API, its exchanges, and the animals created on it. It asks, and judges nothing."""

from __future__ import annotations

import json
import random
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import InitVar, dataclass, field, replace
from datetime import date
from functools import cached_property, partial

from petcheck.call import Call, Credential, Form, Members, new_pet_call, page_call
from petcheck.config.targets import TargetConfig
from petcheck.errors import BudgetSpent, Inconclusive, NotRun, NotSent, Untestable
from petcheck.exchange import Exchange, NoAnswer, Response
from petcheck.json_values import integer
from petcheck.judging.apply import decide_from_tries
from petcheck.judging.creations import categories_in, creations_in
from petcheck.judging.decided import grounds_of
from petcheck.judging.decision import Ask, Decision, Failed, Held, Rule, Undecided
from petcheck.judging.frequency import to_ask_again
from petcheck.judging.judgement import Grounds
from petcheck.judging.matchers import answer_text
from petcheck.judging.once import Once, WholeRecord
from petcheck.judging.rules import RULE
from petcheck.judging.rules.authentication import INVALID, REQUIREMENT_OF
from petcheck.judging.rules.get_pet import whether_removed
from petcheck.judging.suspects import forms_in, in_plain_form
from petcheck.plan.bodies import Defect, ValidPet, chunked_pet, defects, valid_pets
from petcheck.plan.ending import ending, widest_after_posts
from petcheck.plan.keys import KeyCell, KeyPlan, key_plan
from petcheck.plan.pages import Parameters, first_pages
from petcheck.plan.together import pages_beside
from petcheck.spec.figures import LIMIT_MAX, REMOVAL_DAY
from petcheck.spec.operations import REMOVED, Operation, allowed_operations
from petcheck.toolkit.budget import RESERVED, Budget
from petcheck.toolkit.feeds import Choice
from petcheck.toolkit.front import elsewhere, has_rate_headers, in_front, is_strange, no_answer, no_api
from petcheck.wire.api import Api
from petcheck.wire.tally import SPENT
from petcheck.wire.transport import Transport

_QUESTIONS = 6  # most questions that a rule may ask for one decision
_SAME_QUESTIONS = 3  # that it may ask for the same requests in a run: where an animal never stops changing


@dataclass
class Target:
    """A target and its run.

    `run` is the run's id of 8 characters; `repeats` is true if an earlier run may have had that id and posted the same.
    `choice` is what the run judges.
    """

    config: TargetConfig
    api: Api
    run: str
    as_of: date
    seed: int
    repeats: bool = False
    created: dict[str, Exchange] = field(default_factory=dict)  # by the label of the body
    examples_share: InitVar[int] = 0  # the most requests of property examples
    populate: int | None = None  # the number of animals to create up to
    choice: Choice = field(default_factory=Choice)
    unexplained: list[Exchange] = field(default_factory=list)  # of bursts in which nobody has looked for failures yet
    suspected: int = 0  # failures of bursts that were sent alone
    failing: set[str] = field(default_factory=set)  # requirements that failed after a burst
    repeated: set[bool] = field(default_factory=set)  # whether bursts that were sent again had created animals
    cut_off: deque[Call] = field(default_factory=deque)  # what the end had no requests left for
    untestable: str | None = None
    exhausted: tuple[Inconclusive | None, ...] = ()  # why using up the quota ended, once that was tried

    def __post_init__(self, examples_share: int) -> None:
        drawn = random.Random(f"{self.seed}/{self.config.name}")  # noqa: S311 - to be repeatable, not secret
        self.unknown_id = drawn.randrange(2**40, 2**62)
        self._number = drawn.randrange(10**8, 10**9)
        self.budget = Budget(
            self.transport.tally, self.config.writes, examples_share, has_end=self.choice.entries is None
        )
        self._categories: tuple[int, ...] = ()
        self._record = WholeRecord()
        self._asked: Counter[tuple[str, tuple[Call, ...]]] = Counter()
        self._grounds = Once(self._grounds_in)
        self._decisions = {name: Once(partial(self._decision, rule)) for name, rule in RULE.items()}

    @cached_property
    def keys(self) -> KeyPlan:
        """Which kinds of invalid key the run sends where (section 5)."""
        return key_plan(self.seed, allowed_operations(writes=self.config.writes, as_of=self.as_of))

    @cached_property
    def pages(self) -> tuple[Parameters, ...]:
        """The pages that the run asks for before anything else (section 4.1)."""
        return first_pages(self.seed)

    def accepts(self, requirement: str, operation: Operation) -> bool:
        """Whether an operation is known to break a requirement about invalid keys."""
        decision = self.decision(requirement)
        return isinstance(decision, Failed) and any(
            proof.exchange.request.operation is operation for proof in decision.proofs
        )

    @property
    def transport(self) -> Transport:
        """The door to the network."""
        return self.api.transport

    @property
    def record(self) -> WholeRecord:
        """All exchanges so far; rules search it once until the next one."""
        if len(self._record) != len(self.transport.recorded):
            self._record = WholeRecord(self.transport.recorded)
        return self._record

    # ---- the start

    def probe(self) -> None:
        """Find out in a few requests whether the target can be tested. Raises `Untestable` if it cannot."""
        url = self.transport.sender.base_url
        try:
            answers = [self.api.list_pets()]
            if not (is_strange(answers[0]) or isinstance(answers[0].answer, NoAnswer)):
                return
            answers.append(self.api.store_orders())
            # a server that refuses the key and sends the document's headers is the server itself
            refused = all(_refused(answer) and has_rate_headers(answer) for answer in answers)
            if all(is_strange(answer) for answer in answers) and not refused:
                answers.append(self.api.get_pet(self.unknown_id))
                keyless = self.api.list_pets(credential=Credential.MISSING)
                every = [*answers, keyless]
                obstacle = in_front(url, every) or elsewhere(url, answers) or no_api(url, every)
                if obstacle is not None:
                    raise Untestable(obstacle)
        except NotSent as error:
            last = self.record[-1] if self.record else None
            if last is not None and isinstance(last.answer, NoAnswer):
                raise Untestable(no_answer(url, last.answer)) from None
            if error.settled_by is not None:
                raise Untestable(f"{url} could not be tried: {error.reason}; raise {error.settled_by}") from None
            raise Untestable(f"{url} serves no requests now: {error.reason}") from None
        if all(_refused(answer) for answer in answers):
            key = self.transport.sender.key
            raise Untestable(
                f"{url} rejects the key {key.fingerprint} on every operation ({answer_text(answers[0])}); "
                f"check {key.variable}"
            )

    # ---- what is known

    @property
    def categories(self) -> tuple[int, ...]:
        """Categories that exist, as far as is known: those of listed animals, otherwise the one given, otherwise 1.

        They stay the same for the whole run.
        """
        if not self._categories:
            # prefer those that most systems accept without trouble
            listed = sorted(categories_in(self.record), key=lambda number: (number < 0, abs(number)))
            given = self.config.category_id
            self._categories = tuple(listed) or (1 if given is None else given,)
        return self._categories

    @property
    def category(self) -> int:
        """The category of most bodies that the run posts."""
        return self.categories[0]

    @property
    def takes_any_category(self) -> bool:
        """Whether an animal was created in a negative category, which nobody had seen."""
        taken = {integer(one.animal.get("categoryId")) for one in creations_in(self.record)}
        return any(number is not None and number < 0 for number in taken.difference(self.categories))

    @property
    def grounds(self) -> Grounds:
        """What is known about the target when a rule judges; computed again after each new exchange."""
        return self._grounds(self.record)

    def _grounds_in(self, record: WholeRecord) -> Grounds:
        return grounds_of(
            record,
            as_of=self.as_of,
            plan=self.config.plan,
            writes=self.config.writes,
            run=self.run,
            repeats=self.repeats,
        )

    def settle(self, requirement: str, send: Callable[[Call], object] | None = None, *, patient: bool = True) -> None:
        """Send the requests that would decide a requirement; the stream is judged later, by what it holds then.

        Nothing is sent for a requirement that was not chosen, unless a chosen one needs its questions. `send` sends a
        request; without it, the target's own operations do. Unless `patient`, a question that should wait is put at
        once, if it is the first: the answer may show a failure, and shows less if there is none.
        """
        if not self.choice.covers(requirement) and not self.choice.asks(requirement):
            return
        decision = self._decided(requirement, send or partial(self.api.call, fresh=True), patient)
        if isinstance(decision, Failed) and decision.unanswered and self.choice.entries is not None:
            # silence counts only while the target answers others, and a choice may have none
            with suppress(NotSent):
                self.api.list_pets(fresh=True)

    def decision(self, requirement: str) -> Decision:
        """What a requirement's rule says of the exchanges so far; decided again after each new exchange."""
        return self._decisions[requirement](self.record)

    def _decision(self, rule: Rule, record: WholeRecord) -> Decision:
        return decide_from_tries(rule, record, self._grounds(record))

    def _decided(self, requirement: str, send: Callable[[Call], object], patient: bool) -> Held | Failed | Undecided:
        """The rule's decision, after sending the requests that it asks for; no question is asked twice."""
        asked: set[tuple[tuple[Call, ...], float]] = set()
        while True:
            decision = self.decision(requirement)
            if not isinstance(decision, Ask):
                return decision
            question, same = (decision.calls, decision.not_before), (requirement, decision.calls)
            # what is asked before its time shows nothing new a second time
            early = asked and not patient and decision.not_before > self.transport.time.monotonic()
            if early or question in asked or len(asked) >= _QUESTIONS or self._asked[same] >= _SAME_QUESTIONS:
                return decision.otherwise
            asked.add(question)
            self._asked[same] += 1
            try:
                self._put(decision, send, patient)
            except NotSent:
                return decision.otherwise

    def _put(self, question: Ask, send: Callable[[Call], object], patient: bool) -> None:
        """Send the requests that a rule asks for, not before their time. Raises `BudgetSpent` if too few are left."""
        if self.budget.spare_in_all() < len(question.calls) + self._still_planned():
            raise BudgetSpent(SPENT)
        left = question.not_before - self.transport.time.monotonic()
        if left > 0 and patient:
            self.transport.wait(left, "checking an earlier answer again")
        for call in question.calls:
            beside = pages_beside(call, self.record)
            if beside and self.budget.examples_left() >= len(beside):
                self.budget.examples_sent += len(beside)  # they take the place of property examples
                self.api.ask_together([call, *beside])
            else:
                send(call)

    @property
    def keys_always_asked(self) -> tuple[KeyCell, ...]:
        """The cells of the plan of keys that the run asks whatever is left, unless their answers are known before."""
        every = self.keys.needed + (self.keys.likely if self.budget.examples_share else ())
        known = {kind for kind in {cell.key for cell in every} if self.accepts_others_like(kind)}
        return tuple(cell for cell in every if cell.key not in known)

    def accepts_others_like(self, kind: Credential) -> bool:
        """Whether each key so far that one requirement is about was accepted, on two operations at least.

        Then another kind of those shows nothing new. A missing key is asked on each operation all the same: a server
        may need one on some of them.
        """
        requirement = REQUIREMENT_OF.get(kind)
        if requirement is None or kind is Credential.MISSING or not isinstance(self.decision(requirement), Failed):
            return False
        answers = [one for one in self.record if one.request.credential in INVALID[requirement]]
        accepting = {one.request.operation for one in answers if one.status in (200, 201)}
        return len(accepting) > 1 and len(answers) > len(accepting) and not any(one.status == 401 for one in answers)

    def _still_planned(self) -> int:
        """Requests with invalid keys, and a few others, that a run of everything has yet to send."""
        if not self.budget.has_end or self.api.known(page_call(LIMIT_MAX + 1)):
            return 0
        planned = Counter(cell.pair for cell in self.keys_always_asked)
        sent = Counter((call.credential, call.operation) for call in {one.request.call for one in self.record})
        return (planned - sent).total() + RESERVED

    def ending(self) -> Iterator[Call]:
        """What the end of a run that judges everything asks again, as long as requests are left for it."""
        if not self.budget.has_end:
            return
        self.cut_off, self.budget.ended = deque(ending(self.record)[: self.budget.kept_for_the_end]), True
        while self.cut_off and self.spare_for_the_end() > 0:
            yield self.cut_off.popleft()

    def ask_after_the_last_post(self) -> None:
        """Read the widest page again in a run of everything, if a POST came after it and a request is left."""
        if self.budget.has_end and self.budget.spare_in_all() > 0:
            for call in widest_after_posts(self.record):
                self._send_again(call)

    def spare_for_the_end(self) -> int:
        """Requests that the end of the run may still use."""
        return self.budget.spare_for_the_end(may_be_gone=whether_removed(self.record) is not None)

    def ask_whether_removed(self) -> None:
        """Find out whether an animal is gone that was found before and no longer is, once in a run."""
        question, left = whether_removed(self.record), self.budget.spare_in_all()
        if question is not None and left and self.budget.has_end:
            with suppress(NotSent):
                fitting = replace(question, calls=question.calls[-left:])
                self._put(fitting, partial(self.api.call, fresh=True), patient=True)

    def repeat_in_plain_form(self) -> None:
        """Send what failed in some other form once in the plain one, to find out whether the form is the cause.

        And send what failed by itself again in the same form, to find out whether it always fails; first if it failed
        beside others only, as they may be the cause.
        """
        left = RESERVED - 1
        failing = {name: self.decision(name) for name in RULE if self.choice.covers(name)}
        forms = {name: forms_in(one) for name, one in failing.items() if isinstance(one, Failed)}
        for requirement in sorted(forms, key=lambda name: not forms[name]):
            while left and self.budget.spare_in_all():
                decision = self.decision(requirement)
                if not isinstance(decision, Failed):
                    break
                first, again = decision.proofs[0].exchange, to_ask_again(decision, self.record)
                if forms_in(decision) and in_plain_form(first, self.record) is None:
                    self._send_again(replace(first.request.call, form=Form.PLAIN))
                elif again:
                    with self.transport.serving(again=again[0].index):
                        self._send_again(again[0].request.same)
                else:
                    break
                left -= 1

    def _send_again(self, call: Call) -> None:
        with self.transport.serving(section=call.operation.section), suppress(NotSent):
            self.api.call(call, fresh=True)

    # ---- what the run makes

    def need_writes(self) -> None:
        """Raise `NotRun` if POST may not be sent."""
        if not self.config.writes:
            raise NotRun("POST requests were not allowed.", "--allow-writes")

    def need_reads(self) -> None:
        """Raise `NotRun` from the day on which `GET /pets/{petId}` is removed."""
        if self.as_of >= REMOVAL_DAY:
            raise NotRun(REMOVED)

    def valid_pets(self) -> tuple[ValidPet, ...]:
        """The animals that the run creates."""
        return valid_pets(self.run, self.categories, self.seed)

    def defects(self) -> tuple[Defect, ...]:
        """The bodies that must be refused."""
        return defects(self.run, self.category, self._number, self.seed)

    def post(self, label: str, body: dict[str, object], *, escaped: bool = False) -> Exchange:
        """Create an animal, once in a run for each label; `escaped` as in `ValidPet`.

        Raises `NotRun` if writes are not allowed.
        """
        if label not in self.created:
            self.need_writes()
            self.created[label] = self.api.call(valid_call(body, escaped=escaped))
        return self.created[label]

    def post_in_chunks(self) -> None:
        """Post an animal with its body in chunks, if a request is left for it. Raises `NotRun` without writes.

        Any answer is one, silence too: the document leaves it open.
        """
        self.need_writes()
        kept = self.budget.kept_for_chunks and self.budget.spare_in_all() > self.budget.kept_for_the_end
        if not (kept or self.budget.affords()):
            return
        call = new_pet_call(chunked_pet(self.run, self.category))
        self.transport.send_once(replace(call, form=Form.CHUNKED))

    def refuse(self, body: Members) -> Exchange:
        """Post a body that must be refused, once in a run. Raises `NotRun` if writes are not allowed."""
        self.need_writes()
        return self.api.create_pet(body)

    @contextmanager
    def on_behalf_of(self, section: str, *, on_top: bool = False) -> Iterator[None]:
        """Attribute the requests in this block to a section of the document; no requirement needs those `on_top`.

        Raises `Untestable` if the target cannot be tested; then nothing is sent.
        """
        if self.untestable:
            raise Untestable(self.untestable)
        with self.transport.serving(section=section, on_top=on_top):
            yield


def valid_call(body: dict[str, object], *, escaped: bool = False) -> Call:
    """`POST /pets` of an animal; `escaped` as in `ValidPet`."""
    return new_pet_call(json.dumps(body).encode() if escaped else body)


def _refused(exchange: Exchange) -> bool:
    return isinstance(exchange.answer, Response) and exchange.answer.status in (401, 403)
