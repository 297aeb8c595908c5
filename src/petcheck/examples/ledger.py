"""What the examples of one target have come to: for each requirement where it held, and the example that breaks it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field

from petcheck.examples.second_opinion import second_opinion
from petcheck.exchange import Exchange
from petcheck.judging.matchers import came, described
from petcheck.judging.reception import received, requirement_of, section_for
from petcheck.judging.rules import HOLDS, RULE, RULES, Grounds

_EVIDENCE = 40  # exchanges kept for each requirement that held
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Failure:
    """An example that breaks a requirement: as it was found, as simple as it could be made, and what belongs to it."""

    requirement: str
    section: str
    problem: str
    found: Exchange
    simplest: Exchange
    beside: tuple[Exchange, ...] = ()


@dataclass
class Ledger:
    """Judges exchanges and keeps what came of it.

    `listed` are ids that an animal has. `known` is what the run had found broken before any example: none is needed to
    show that again.
    """

    grounds: Grounds
    listed: set[int]
    known: set[str] = field(default_factory=set)
    failures: dict[str, Failure] = field(default_factory=dict)
    held: dict[str, list[Exchange]] = field(default_factory=dict)
    _alike: Counter[str] = field(default_factory=Counter)

    def problems(self, exchange: Exchange, *, opinion: bool = True) -> dict[str, str]:
        """What is wrong with an exchange, by requirement: by the rules and in how it was received, else, where an
        `opinion` is wanted, by what schemathesis says.
        """
        found = {name: problem for name, problem in self._judgements(exchange).items() if problem}
        return found or (second_opinion(exchange, self.grounds) if opinion else {})

    def judge(self, exchange: Exchange) -> dict[str, str]:
        """The same, noting for which requirements the exchange held."""
        judgements = self._judgements(exchange)
        problems = {name: problem for name, problem in judgements.items() if problem}
        problems = problems or second_opinion(exchange, self.grounds)
        for requirement in judgements.keys() - problems.keys():
            self.note(requirement, exchange)
        return problems

    def _judgements(self, exchange: Exchange) -> dict[str, str]:
        """What each requirement that an exchange concerns says of it."""
        found = {}
        for rule in RULES:
            judgement = rule.judge(exchange, self.grounds)
            if judgement is not None:
                found[rule.requirement] = f"{judgement} (section {rule.section})" if judgement else HOLDS
        reception = received(exchange, self.grounds)
        if reception is not None:
            requirement = requirement_of(exchange, self.grounds, self.listed)
            found[requirement] = reception or found.get(requirement, HOLDS)
        return found

    def note(self, requirement: str, exchange: Exchange) -> None:
        """Count an exchange as evidence that a requirement held."""
        held = self.held.setdefault(requirement, [])
        if len(held) < _EVIDENCE:
            held.append(exchange)

    def settled(self, exchange: Exchange, problems: dict[str, str]) -> bool:
        """Whether an example shows nothing that is not on record already; it is counted with what it is like."""
        reception = bool(received(exchange, self.grounds))
        settled = True
        for requirement in problems:
            like = requirement if requirement in self.failures else None
            if like is None and reception and requirement not in RULE:
                like = next((name for name, f in self.failures.items() if _received_alike(f.simplest, exchange)), None)
            if like is not None:
                self._alike[like] += 1
            elif requirement not in self.known:
                settled = False
        return settled

    def register(self, found: Exchange, simplest: Exchange, *, tried: bool) -> None:
        """Put on record what is wrong with the simplest form of an example.

        Where no simpler form was `tried`, two parameters that were refused together tell nothing of either.
        """
        for requirement, problem in self.problems(simplest).items():
            recorded = self.known | self.failures.keys()
            doubtful = requirement == "LIST-6" and not tried and not recorded.isdisjoint({"LIST-1", "LIST-2"})
            if requirement not in recorded and not doubtful:
                section = RULE[requirement].section if requirement in RULE else section_for(simplest)
                self.failures[requirement] = Failure(requirement, section, problem, found, simplest)

    def told(self, failure: Failure) -> str:
        """A failure in words."""
        simple = failure.simplest
        text = f"{shown(simple)}, answered {came(simple)}: {failure.problem}."
        if failure.found is not simple:
            text += f" Found with {shown(failure.found)}."
        more = self._alike[failure.requirement]
        if more:
            text += f" {more} more example{'s' if more > 1 else ''} failed like it."
        return text


def alike(attempt: Exchange, exchange: Exchange, ledger: Ledger) -> bool:
    """Whether an exchange fails as another did: in how it was received, and in the same rules."""
    wanted, found = ledger.problems(exchange), ledger.problems(attempt)
    rules = {name for name in wanted if name in RULE}
    if received(exchange, ledger.grounds):
        same = bool(received(attempt, ledger.grounds)) and attempt.status == exchange.status
        return same and rules <= found.keys()
    return bool(wanted) and wanted.keys() <= found.keys()


def _received_alike(known: Exchange, exchange: Exchange) -> bool:
    return known.request.operation is exchange.request.operation and known.status == exchange.status


def shown(exchange: Exchange) -> str:
    """A request in a few words, with what it posts."""
    body = exchange.request.body
    if body is None:
        return described(exchange) + (" without a body" if exchange.request.method == "POST" else "")
    text = json.dumps(body.decode("utf-8", "backslashreplace"))[1:-1].replace('\\"', '"')
    return f"{described(exchange)} of {text if len(text) <= _SHOWN else text[:_SHOWN] + '…'}"
