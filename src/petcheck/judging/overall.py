"""Requirements that every response must meet: judged over all that was recorded, whatever a request was sent for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from petcheck.exchange import Exchange
from petcheck.judging.matchers import came, described
from petcheck.judging.rules import Grounds, Rule, judged
from petcheck.judging.verdicts import Breach, Inconclusive

_NAMED = 3


class Examiner(Protocol):
    """What keeps the evidence of the running check."""

    def examine(self, exchange: Exchange) -> Exchange:
        """Count an exchange as evidence."""
        ...


def hold(examiner: Examiner, rule: Rule, exchanges: Iterable[Exchange], grounds: Grounds) -> None:
    """Pass where a rule holds in every exchange that it concerns; else as `hold_everywhere`."""
    hold_everywhere(examiner, judged(rule, exchanges, grounds), section=rule.section, nothing=rule.nothing)


def hold_everywhere(
    examiner: Examiner, judged: Iterable[tuple[Exchange, str | None]], *, section: str, nothing: str
) -> None:
    """Pass where every exchange holds, given each with its problem or None.

    `Breach` names the simplest request that shows a problem, and others that do; `Inconclusive` says `nothing` where
    there was no exchange to judge.
    """
    rows = [(examiner.examine(exchange), problem) for exchange, problem in judged]
    if not rows:
        raise Inconclusive(nothing)
    wrong = [(exchange, problem) for exchange, problem in rows if problem is not None]
    if not wrong:
        return
    wrong.sort(key=lambda row: simplicity(row[0]))
    first, problem = wrong[0]
    others = list(dict.fromkeys(described(exchange) for exchange, _ in wrong[1:]))
    others = [name for name in others if name != described(first)]
    raise Breach(
        f"{described(first)}, answered {came(first)}: {problem} (section {section}){_as_well(others)}.",
        *(exchange for exchange, _ in wrong[:10]),
    )


def simplicity(exchange: Exchange) -> tuple[int, int]:
    """The size of a request, to put the one first that a person understands soonest."""
    return len(exchange.request.url) + len(exchange.request.body or b""), exchange.index


def _as_well(others: list[str]) -> str:
    if not others:
        return ""
    more = len(others) - _NAMED
    return f"; the like in {', '.join(others[:_NAMED])}{f' and {more} more' if more > 0 else ''}"
