"""Applies a rule to a record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from petcheck.exchange import Exchange, Form, Request
from petcheck.judging.judgement import (
    STATUS,
    Decision,
    Failed,
    Grounds,
    Held,
    Problem,
    Proof,
    Record,
    Rule,
    Undecided,
    judged,
)
from petcheck.judging.matchers import answer_text, described, one_of
from petcheck.judging.once import Once, WholeRecord
from petcheck.spec.figures import GATEWAY_TROUBLE

_NAMED, _SHOWN = 3, 10


def decide(rule: Rule, record: Record, grounds: Grounds) -> Decision:
    """The decision over a whole record: `Failed` if a single exchange has a problem, otherwise the result of `over`.

    Without `over` each exchange decides by itself.
    """
    each = decide_each(rule, record, grounds)
    return each if rule.over is None or isinstance(each, Failed) else rule.over(record, grounds)


def decide_from_tries(rule: Rule, record: Record, grounds: Grounds) -> Decision:
    """`decide` without failed first tries, unless the rule needs them."""
    return decide(rule, record if rule.every_try else final_tries(record), grounds)


def decide_each(rule: Rule, exchanges: Sequence[Exchange], grounds: Grounds) -> Held | Failed | Undecided:
    """The decision over exchanges judged one by one. The simplest request with a problem describes the failure."""
    rows = judged(rule, exchanges, grounds)
    examined = tuple(exchange for exchange, _ in rows)
    wrong = [(exchange, problem) for exchange, problem in rows if problem is not None]
    if wrong:
        held = [exchange for exchange, problem in rows if problem is None]
        return replace(failed_by(rule.section, wrong, held), examined=examined)
    return Held(examined) if examined else Undecided(rule.nothing)


def failed_by(section: str, rows: Iterable[tuple[Exchange, Problem]], held: Sequence[Exchange] | None = None) -> Failed:
    """One failure from the problems of one or more exchanges, described by the simplest request.

    `held` are the exchanges without a problem, if they are known: if their statuses are others, the statuses name all
    that is wrong.
    """
    wrong = sorted(rows, key=lambda row: simplicity(row[0]))
    first, problem = wrong[0]
    named = dict.fromkeys(_named(row, wrong[0]) for row in wrong[1:])
    others = [name for name in named if name != described(first)]
    return Failed(
        f"{sentence(section, first, problem)}{_every_other([x for x, _ in wrong], problem, held) or _also_in(others)}.",
        tuple(Proof(exchange, problem.part) for exchange, problem in _each_status_first(wrong)[:_SHOWN]),
        unanswered=first.status is None,
        expected=problem.expected,
    )


def _each_status_first(rows: Sequence[tuple[Exchange, Problem]]) -> list[tuple[Exchange, Problem]]:
    """The same rows, first the first of each status: so those that are shown say which statuses are wrong."""
    firsts: dict[int | None, int] = {}
    for exchange, _ in rows:
        firsts.setdefault(exchange.status, exchange.index)
    return sorted(rows, key=lambda row: firsts[row[0].status] != row[0].index)


def sentence(section: str, exchange: Exchange, problem: Problem) -> str:
    """A problem as a sentence without a full stop. The text of a wrong status already says what the answer was."""
    if problem.part == STATUS or exchange.status is None:
        return f"{_request_words(exchange, problem)}: {problem.text}"
    return f"{described(exchange)} returned {answer_text(exchange)}: {problem.text} (section {section})"


def _request_words(exchange: Exchange, problem: Problem) -> str:
    return f"{described(exchange)} with {problem.sent}" if problem.sent else described(exchange)


def _named(row: tuple[Exchange, Problem], first: tuple[Exchange, Problem]) -> str:
    """A further request with a problem in words: what was sent with it and its wrong status only if they differ."""
    exchange, problem = row
    words = described(exchange) if problem.sent == first[1].sent else _request_words(exchange, problem)
    other = problem.part == STATUS and exchange.status != first[0].status
    return f"{words} ({answer_text(exchange)})" if other else words


def simplicity(exchange: Exchange) -> tuple[bool, bool, int, bool, int]:
    """The sort key that puts the request first that is easiest to understand.

    It has the valid key and the plain form, then is the shortest, then the last form of a simplified example, then the
    earliest.
    """
    request, found = exchange.request, exchange.simplifies is None
    length = len(request.url) + len(request.body or b"")
    odd = not request.has_valid_key, request.form is not Form.PLAIN
    return *odd, length, found, exchange.index if found else -exchange.index


def _every_other(wrong: Sequence[Exchange], problem: Problem, held: Sequence[Exchange] | None) -> str:
    """That all responses with some statuses are wrong, in words; empty if others with these statuses are right."""
    statuses = {exchange.status for exchange in wrong}
    right = {exchange.status for exchange in held or ()}
    more = len(wrong) - 1
    if held is None or problem.part == STATUS or statuses & right or None in statuses or more < _NAMED:
        return ""
    if len(statuses) > _NAMED:
        return f"; also in every other response ({more})" if not right else ""
    names = one_of([str(status) for status in sorted(status for status in statuses if status is not None)])
    return f"; also on every other {names} ({more} responses)"


def _also_in(others: Sequence[str]) -> str:
    if not others:
        return ""
    more = len(others) - _NAMED
    return f"; also in {', '.join(others[:_NAMED])}{f' and {more} more' if more > 0 else ''}"


def _final_tries(record: Record) -> WholeRecord:
    """The record without failed first tries: silence and a gateway's 502, 503 or 504 count only on a second try.

    Without a second try they prove nothing.
    """
    kept = []
    troubled: set[Request] = set()
    for exchange in record:
        if not _in_trouble(exchange):
            troubled.discard(exchange.request)
            kept.append(exchange)
        elif exchange.request in troubled:
            kept.append(exchange)
        else:
            troubled.add(exchange.request)
    return WholeRecord(kept)


final_tries = Once(_final_tries)


def _in_trouble(exchange: Exchange) -> bool:
    return exchange.status is None or exchange.status in GATEWAY_TROUBLE
