"""Which requirements the examples of one target break: it decides which of them are worth simplifying."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from petcheck.exchange import Exchange
from petcheck.judging.decision import judged
from petcheck.judging.judgement import Grounds, Problem
from petcheck.judging.rules import RULES
from petcheck.judging.statuses import status_judgement
from petcheck.spec.operations import Operation

_IF_PLAIN = {"CREATE-14": "CREATE-1"}


@dataclass
class Failures:
    """The requirements that examples break, each with its simplest example, so that no other is simplified for it.

    `listed` are ids of existing animals. `known` are the requirements that the run found broken before any example: no
    example needs to show them again.
    """

    grounds: Grounds
    listed: set[int]
    known: set[str] = field(default_factory=set)
    failures: dict[str, Exchange] = field(default_factory=dict)

    def problems(self, exchange: Exchange) -> dict[str, Problem]:
        """What is wrong with an exchange, by requirement."""
        grounds = replace(self.grounds, listed=frozenset(self.listed))
        found = {rule.requirement: problem for rule in RULES for _, problem in judged(rule, [exchange], grounds)}
        requirement, judgement = status_judgement(exchange, grounds)
        if isinstance(judgement, Problem):
            found[requirement] = judgement
        return {name: problem for name, problem in found.items() if problem is not None}

    def settled(self, exchange: Exchange, problems: dict[str, Problem]) -> bool:
        """Whether an example shows nothing new."""
        return all(
            requirement in self.known
            or requirement in self.failures
            or (
                self._of_status(requirement, exchange)
                and any(_received_alike(simplest, exchange) for simplest in self.failures.values())
            )
            for requirement in problems
        )

    def register(self, simplest: Exchange, *, tried: bool) -> None:
        """Note the requirements that the simplest form of an example breaks.

        If no simpler form was `tried`, two parameters that were refused together prove nothing about either.
        """
        for requirement in self.problems(simplest):
            recorded = self.known | self.failures.keys()
            doubtful = requirement == "LIST-6" and not tried and not recorded.isdisjoint({"LIST-1", "LIST-2"})
            if requirement not in recorded and not doubtful:
                self.failures[requirement] = simplest

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
