"""The results of one target's examples: for each requirement, where it held and the example that breaks it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace

from petcheck.exchange import Exchange
from petcheck.judging.apply import sentence
from petcheck.judging.judgement import WHOLE, Grounds, Part, Problem, judged
from petcheck.judging.matchers import described, shortened
from petcheck.judging.rules import RULES
from petcheck.judging.statuses import status_judgement
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import CONTENT_TYPE
from petcheck.spec.operations import Operation
from petcheck.words import plural

_EVIDENCE = 40  # exchanges kept for each requirement that held
_SHOWN = 160
_IF_PLAIN = {"CREATE-14": "CREATE-1"}


@dataclass(frozen=True, slots=True)
class Failure:
    """An example that breaks a requirement: as it was found, in its simplest form, and the exchanges beside it."""

    requirement: str
    problem: Problem
    found: Exchange
    simplest: Exchange
    beside: tuple[Exchange, ...] = ()


@dataclass
class Failures:
    """Judges exchanges and keeps the results.

    `listed` are ids of existing animals. `known` are the requirements that the run found broken before any example: no
    example needs to show them again.
    """

    grounds: Grounds
    listed: set[int]
    known: set[str] = field(default_factory=set)
    failures: dict[str, Failure] = field(default_factory=dict)
    held: dict[str, list[Exchange]] = field(default_factory=dict)
    _alike: Counter[str] = field(default_factory=Counter)

    def problems(self, exchange: Exchange) -> dict[str, Problem]:
        """What is wrong with an exchange, by requirement."""
        return {name: problem for name, problem in self._judgements(exchange).items() if problem is not None}

    def judge(self, exchange: Exchange) -> dict[str, Problem]:
        """The same; it also notes for which requirements the exchange held."""
        judgements = self._judgements(exchange)
        for requirement, problem in judgements.items():
            if problem is None:
                self.note(requirement, exchange)
        return {name: problem for name, problem in judgements.items() if problem is not None}

    def _judgements(self, exchange: Exchange) -> dict[str, Problem | None]:
        """For each requirement that concerns an exchange, its problem, or None if it holds."""
        grounds = replace(self.grounds, listed=frozenset(self.listed))
        found = {rule.requirement: problem for rule in RULES for _, problem in judged(rule, [exchange], grounds)}
        requirement, judgement = status_judgement(exchange, grounds)
        if isinstance(judgement, Problem):
            found[requirement] = judgement
        return found

    def note(self, requirement: str, exchange: Exchange) -> None:
        """Count an exchange as evidence that a requirement held."""
        held = self.held.setdefault(requirement, [])
        if len(held) < _EVIDENCE:
            held.append(exchange)

    def settled(self, exchange: Exchange, problems: dict[str, Problem]) -> bool:
        """Whether an example shows nothing new; it is then counted with the failure that it resembles."""
        settled = True
        for requirement in problems:
            like = requirement if requirement in self.failures else None
            if like is None and self._of_status(requirement, exchange):
                like = next((name for name, f in self.failures.items() if _received_alike(f.simplest, exchange)), None)
            if like is not None:
                self._alike[like] += 1
            elif requirement not in self.known:
                settled = False
        return settled

    def register(self, found: Exchange, simplest: Exchange, *, tried: bool, earlier: Exchange | None = None) -> None:
        """Record the problems of the simplest form of an example; `earlier` created an animal with the same name.

        If no simpler form was `tried`, two parameters that were refused together prove nothing about either.
        """
        beside = (earlier,) if earlier is not None and simplest.status != 201 else ()
        for requirement, problem in self.problems(simplest).items():
            recorded = self.known | self.failures.keys()
            doubtful = requirement == "LIST-6" and not tried and not recorded.isdisjoint({"LIST-1", "LIST-2"})
            if requirement not in recorded and not doubtful:
                self.failures[requirement] = Failure(requirement, problem, found, simplest, beside)

    def in_words(self, failure: Failure) -> str:
        """A failure in words."""
        simple = failure.simplest
        said = sentence(catalogue()[failure.requirement].section, simple, replace(failure.problem, sent=""))
        text = f"{said.replace(described(simple), _with_what_decides(simple, failure.problem), 1)}."
        if failure.found is not simple:
            text += f" Simplified from {posted_words(failure.found)}."
        if failure.beside:
            text += f" An earlier {Operation.CREATE_PET} with the same name returned 201."
        more = self._alike[failure.requirement]
        if more:
            text += f" {plural(more, 'more example')} failed the same way."
        return text

    def part_of(self, failure: Failure, exchange: Exchange) -> Part:
        """The part of an exchange that shows a failure."""
        if exchange.status == failure.simplest.status:
            return failure.problem.part
        problem = self.problems(exchange).get(failure.requirement)
        return problem.part if problem is not None else WHOLE

    def alike(self, attempt: Exchange, exchange: Exchange) -> bool:
        """Whether an exchange fails as another did: with the same status and by the same rules."""
        wanted, found = self.problems(exchange), self.problems(attempt)
        if "CREATE-1" in found:  # a plain animal fails as a doubtful one did: the doubt is not the reason
            wanted = {_IF_PLAIN.get(name, name): problem for name, problem in wanted.items()}
        rules = {name for name in wanted if not self._of_status(name, exchange)}
        if len(rules) < len(wanted):
            badly = any(self._of_status(name, attempt) for name in found)
            return badly and attempt.status == exchange.status and rules <= found.keys()
        return bool(wanted) and wanted.keys() <= found.keys()

    def _of_status(self, requirement: str, exchange: Exchange) -> bool:
        """Whether simpler requests may share the problem: it is the status, and the answer is not to a POST's body."""
        posted = exchange.request.operation is Operation.CREATE_PET and exchange.status is not None
        return not posted and status_judgement(exchange, self.grounds)[0] == requirement


def _received_alike(known: Exchange, exchange: Exchange) -> bool:
    return known.request.operation is exchange.request.operation and known.status == exchange.status


def _with_what_decides(exchange: Exchange, problem: Problem) -> str:
    words = posted_words(exchange)
    return f"{words} ({problem.sent})" if problem.sent and problem.sent not in words else words


def posted_words(exchange: Exchange) -> str:
    """A request in a few words, with the body of a POST."""
    body = exchange.request.body
    if exchange.request.operation.safe:
        return described(exchange)
    if not body:
        return f"{described(exchange)} with {f'neither a body nor a {CONTENT_TYPE}' if body is None else 'no body'}"
    text = json.dumps(body.decode("utf-8", "backslashreplace"))[1:-1].replace('\\"', '"')
    text = shortened(text)
    return f"{described(exchange)} with the body {text if len(text) <= _SHOWN else text[:_SHOWN] + '…'}"
