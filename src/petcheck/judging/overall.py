"""Requirements that every response must meet: judged over all that was recorded, whatever a request was sent for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from petcheck.exchange import Exchange
from petcheck.judging.matchers import came, described
from petcheck.judging.verdicts import Breach, Inconclusive

_NAMED = 3


class Examiner(Protocol):
    """What keeps the evidence of the running check."""

    def examine(self, exchange: Exchange) -> Exchange:
        """Count an exchange as evidence."""
        ...


def hold_everywhere(
    examiner: Examiner, judged: Iterable[tuple[Exchange, str | None]], *, section: str, nothing: str
) -> None:
    """Pass where every exchange holds, given each with its problem or None.

    `Breach` names the first problem and the number of requests that show one; `Inconclusive` says `nothing` where
    there was no exchange to judge.
    """
    rows = [(examiner.examine(exchange), problem) for exchange, problem in judged]
    if not rows:
        raise Inconclusive(nothing)
    wrong = [(exchange, problem) for exchange, problem in rows if problem is not None]
    if not wrong:
        return
    first, problem = wrong[0]
    others = list(dict.fromkeys(described(exchange) for exchange, _ in wrong[1:]))
    others = [name for name in others if name != described(first)]
    raise Breach(
        f"{described(first)}, answered {came(first)}: {problem} (section {section}){_as_well(others)}.",
        *(exchange for exchange, _ in wrong[:10]),
    )


def _as_well(others: list[str]) -> str:
    if not others:
        return ""
    more = len(others) - _NAMED
    return f"; the like in {', '.join(others[:_NAMED])}{f' and {more} more' if more > 0 else ''}"
