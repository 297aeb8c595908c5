"""Applies a rule to a record."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from math import inf

from petcheck.call import Form
from petcheck.exchange import TO_PROBE, Exchange, NoAnswer, Request, Response, Silence
from petcheck.grouping import grouped
from petcheck.judging.decision import LIMITS, Decision, Failed, Held, Proof, Record, Rule, Settled, Undecided, judged
from petcheck.judging.judgement import STATUS, Grounds, Problem
from petcheck.judging.matchers import answer_text, described, one_of
from petcheck.judging.once import Once, WholeRecord, only
from petcheck.judging.overlap import crowded_in, is_in_excess
from petcheck.judging.request_bodies import Due, asked_of
from petcheck.judging.statuses import is_open
from petcheck.spec.figures import GATEWAY_TROUBLE
from petcheck.spec.operations import Operation
from petcheck.words import plural

_NAMED, _SHOWN = 3, 10
_LONG = 1_000  # bytes of a URL and a body


def decide(rule: Rule, record: Record, grounds: Grounds) -> Decision:
    """The decision over a whole record: `Failed` if a single exchange has a problem, otherwise the result of `over`.

    Without `over` each exchange decides by itself.
    """
    each = decide_each(rule, record, grounds)
    return each if rule.over is None or isinstance(each, Failed) else rule.over(record, grounds)


def decide_from_tries(rule: Rule, record: Record, grounds: Grounds) -> Decision:
    """`decide` without failed first tries, unless the rule needs them."""
    if rule.section != LIMITS:  # what is open counts against a quota all the same
        record = stated(record)
    return decide(rule, record if rule.every_try else final_tries(record), grounds)


def decide_each(rule: Rule, exchanges: Sequence[Exchange], grounds: Grounds) -> Settled:
    """The decision over exchanges judged one by one. The simplest request with a problem describes the failure."""
    rows = judged(rule, exchanges, grounds)
    examined = tuple(exchange for exchange, _ in rows)
    wrong = [(exchange, problem) for exchange, problem in rows if problem is not None]
    if wrong:
        held = [exchange for exchange, problem in rows if problem is None]
        return replace(failed_by(rule.section, wrong, held), examined=examined)
    return Held(examined) if examined else Undecided(rule.nothing)


def failed_by(
    section: str | None, rows: Iterable[tuple[Exchange, Problem]], held: Sequence[Exchange] | None = None
) -> Failed:
    """One failure from the problems of one or more exchanges; `section` as below.

    The simplest request describes it: first of those accepted by mistake, then of those whose status is always wrong.
    `held` are the exchanges without a problem, if they are known: if their statuses are others, the statuses name all
    that is wrong.
    """
    right = None if held is None else {exchange.status for exchange in held}

    def order(row: tuple[Exchange, Problem]) -> tuple[object, ...]:
        exchange, of_status = row[0], row[1].part == STATUS
        accepted = of_status and 200 <= exchange.heard.status < 300  # by mistake
        # of a status that other responses have rightly, only some requests are wrong
        return not accepted, not of_status and exchange.status in (right or ()), simplicity(exchange)

    every = sorted(rows, key=order)
    # what was asked again says how often it fails, and proves nothing more
    wrong = [row for row in every if row[0].again is None or row[0].burst is not None] or every
    first, problem = wrong[0]
    # the example that the first is a simpler form of is named by the verdict
    named = dict.fromkeys(_named(row, wrong[0]) for row in wrong[1:] if row[0].index != first.simplifies)
    others = [name for name in named if name != described(first)]
    also = _every_other(wrong, right) or _also_in(others)
    return Failed(
        f"{sentence(section, first, problem)}{also}.",
        tuple(Proof(exchange, problem.part) for exchange, problem in _each_status_first(wrong)[:_SHOWN]),
        unanswered=first.status is None,
        expected=problem.expected,
        wrong=tuple(sorted((x for x, _ in every), key=lambda exchange: exchange.index)),
    )


def _each_status_first(rows: Sequence[tuple[Exchange, Problem]]) -> list[tuple[Exchange, Problem]]:
    """The same rows, first the first of each status: so those that are shown say which statuses are wrong."""
    firsts: dict[int | None, int] = {}
    for exchange, _ in rows:
        firsts.setdefault(exchange.status, exchange.index)
    return sorted(rows, key=lambda row: firsts[row[0].status] != row[0].index)


def sentence(section: str | None, exchange: Exchange, problem: Problem) -> str:
    """A problem as a sentence without a full stop.

    The text of a wrong status already says what the answer was, and the section: `section` may then be None.
    """
    if problem.part == STATUS or exchange.status is None:
        return f"{_request_words(exchange, problem)}: {problem.text}"
    return f"{_request_words(exchange, problem)} returned {answer_text(exchange)}: {problem.text} (section {section})"


def _request_words(exchange: Exchange, problem: Problem) -> str:
    """The request in a few words, with what was sent, as far as the answer depends on it: bodies to be refused do."""
    sent = problem.sent
    if not sent and exchange.request.operation is Operation.CREATE_PET and exchange.request.has_valid_key:
        asked = asked_of(exchange.request, ())
        sent = asked.what if asked.due is Due.REFUSED else ""
    return f"{described(exchange)} with {sent}" if sent else described(exchange)


def _named(row: tuple[Exchange, Problem], first: tuple[Exchange, Problem]) -> str:
    """A further request with a problem in words: what was sent with it and its wrong status only if they differ."""
    exchange, problem = row
    words = described(exchange) if problem.sent == first[1].sent else _request_words(exchange, problem)
    other = problem.part == STATUS and exchange.status != first[0].status
    return f"{words} ({answer_text(exchange)})" if other else words


def simplicity(exchange: Exchange) -> tuple[bool, bool, bool, bool, bool, int, bool, int]:
    """The sort key that puts the request first that is easiest to understand.

    It is not very long, was sent alone, got no 5xx, of which ERROR-5 tells, has the valid key and the plain form, then
    is the shortest, then the last form of a simplified example, then the earliest.
    """
    request, found = exchange.request, exchange.simplifies is None
    length = len(request.url) + len(request.body or b"")
    failing = exchange.status is not None and exchange.status >= 500
    odd = not request.has_valid_key, request.form is not Form.PLAIN
    order = exchange.index if found else -exchange.index
    return length > _LONG, exchange.burst is not None, failing, *odd, length, found, order


def _every_other(wrong: Sequence[tuple[Exchange, Problem]], right: Collection[int | None] | None) -> str:
    """That all responses with some statuses are wrong, in words; empty if few are. The first is named already.

    `right` are the statuses of responses without the problem, None if they are not known.
    """
    if right is None:
        return ""
    whole = [(exchange, problem) for exchange, problem in wrong if exchange.status not in right]
    kinds = grouped((tuple(_DIGITS.split(problem.text)), (exchange, problem)) for exchange, problem in whole)
    more, some = len(whole) - 1, [exchange for exchange, _ in wrong if exchange.status in right]
    silent = any(exchange.status is None for exchange, _ in wrong)
    if wrong[0][1].part == STATUS or silent or more < _NAMED or (len(_statuses(whole)) > _NAMED and right):
        return ""
    if len(kinds) != _TWO:
        return f"; also in all {more} other responses{_with_statuses(whole)}{_and_in(some)}"
    alike, others = kinds.values()
    same = f"; also in {plural(len(alike) - 1, 'other response')}{_with_statuses(alike)}" if len(alike) > 1 else ""
    unlike = f"; {others[0][1].text} in {plural(len(others), 'response')}{_with_statuses(others)}"
    return f"{same}{unlike}{_and_in(some)}"


_DIGITS = re.compile(r"\d+")
_TWO = 2  # kinds of problems that a sentence tells apart: a header that is wrong here, and missing there


def _statuses(rows: Sequence[tuple[Exchange, Problem]]) -> list[int]:
    return sorted({exchange.status for exchange, _ in rows if exchange.status is not None})


def _with_statuses(rows: Sequence[tuple[Exchange, Problem]]) -> str:
    """The statuses of responses in words; empty if there are many."""
    statuses = _statuses(rows)
    return f" with {one_of([str(status) for status in statuses])}" if len(statuses) <= _NAMED else ""


def _and_in(some: Sequence[Exchange]) -> str:
    """How many other responses are wrong, and which; they may have another cause."""
    if not some:
        return ""
    kinds = list(dict.fromkeys(f"{exchange.status} to {exchange.request.operation}" for exchange in some))
    others = ", …" * (len(kinds) > _NAMED)
    return f", and in {len(some)} more ({', '.join(kinds[:_NAMED])}{others})"


def _also_in(others: Sequence[str]) -> str:
    if not others:
        return ""
    more = len(others) - _NAMED
    apart = "; " if any("," in other for other in others[:_NAMED]) else ", "
    return f"; also in {apart.join(others[:_NAMED])}{f' and {more} more' if more > 0 else ''}"


_OF_NO_SERVER = (Silence.PROXY, Silence.UNREACHABLE, Silence.UNREAD, Silence.INTERRUPTED)


def _final_tries(record: Record) -> WholeRecord:
    """The record without failed tries that do not count.

    Silence and a gateway's 502, 503 or 504 count only on a second try, sent after the first had failed; without one
    they prove nothing, unless the target never answered again: then the last request that was sent alone may have ended
    it. The second try of a request in a burst is the same burst again, and silence there counts only if
    the request was then sent alone, too. What may only limit connections never counts,
    nor does what a proxy in between did, nor a request that nothing listened to, nor headers too long to read, nor an
    answer that petcheck did not wait for, nor a probe: it is sent because others got no answer either.
    """
    first: dict[int, int] = {}
    for exchange in record:
        first[exchange.index] = exchange.index if exchange.again is None else first.get(exchange.again, exchange.again)
    alone: dict[Request | int, float] = {first[one.index]: one.sent for one in record if one.burst is None}
    crowded = crowded_in(record)
    last = last_before_the_end(record)
    kept = []
    failed: dict[Request | int, float] = {}  # when the first try of a request had failed
    for exchange in record:
        if exchange is last:
            kept.append(exchange)
            continue
        if (id(exchange) in crowded and is_in_excess(exchange)) or _silent_as(exchange, *_OF_NO_SERVER):
            continue
        if exchange.cause == TO_PROBE and exchange.status is None:
            continue
        tried = exchange.request if exchange.burst is None else first[exchange.index]
        again = exchange.sent >= failed.get(tried, inf)
        if not _in_trouble(exchange):
            kept.append(exchange)
            if again:
                del failed[tried]
        elif not again:
            failed[tried] = min(exchange.finished, failed.get(tried, inf))
        elif tried is exchange.request or exchange.status is not None or alone.get(tried, -inf) >= exchange.finished:
            kept.append(exchange)
    count = {id(exchange) for exchange in kept}
    return only(record, lambda exchange: id(exchange) in count)


def last_before_the_end(record: Record) -> Exchange | None:
    """The first request after the last response, if it was sent alone and reached a target that was gone after it.

    One that was lost on a kept connection has reached it, too.
    """
    answered = max((place for place, one in enumerate(record) if isinstance(one.answer, Response)), default=-1)
    unanswered = record[answered + 1 :]
    if len(unanswered) < 2 or unanswered[0].burst is not None or not _silent_as(unanswered[-1], Silence.UNREACHABLE):
        return None
    elsewhere = (Silence.UNREACHABLE, Silence.PROXY, Silence.INTERRUPTED)
    reached = unanswered[0].resent or not _silent_as(unanswered[0], *elsewhere)
    return unanswered[0] if reached else None


final_tries = Once(_final_tries)


def _stated(record: Record) -> WholeRecord:
    """The record without exchanges that the document leaves open as a whole."""
    return only(record, lambda exchange: not is_open(exchange))


stated = Once(_stated)


def _silent_as(exchange: Exchange, *kinds: Silence) -> bool:
    return isinstance(exchange.answer, NoAnswer) and exchange.answer.kind in kinds


def _in_trouble(exchange: Exchange) -> bool:
    return exchange.status is None or exchange.status in GATEWAY_TROUBLE
