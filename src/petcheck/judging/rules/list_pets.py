"""Section 4.1: which lists are accepted, each parameter alone and both together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from petcheck.call import Call
from petcheck.exchange import Exchange
from petcheck.judging.apply import failed_by, simplicity
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Record, Rule, Undecided
from petcheck.judging.judgement import HOLDS, NOT_CONCERNED, STATUS, WHOLE, Grounds, Judgement, Problem
from petcheck.judging.matchers import answer_text, described, one_of, silence_text
from petcheck.judging.pages import asked_with, lists_in
from petcheck.judging.statuses import answered, query_is_valid
from petcheck.spec.figures import LIMITS_NAMED
from petcheck.spec.operations import Operation


def is_200(requirement: str, exchange: Exchange, grounds: Grounds) -> Judgement:
    """Whether a list got a 200; for LIST-2 and LIST-6 a refusal alone decides nothing."""
    judgement = answered(requirement, exchange, grounds)
    return judgement if requirement == "LIST-1" or judgement is HOLDS else NOT_CONCERNED


def each_is_accepted(
    requirement: str, parameter: str, values: Sequence[str], record: Record, grounds: Grounds
) -> Decision:
    """Each value gets a 200, alone or with the other parameter; undecided if GET /pets without parameters does not."""
    valid = [e for e in lists_in(record) if query_is_valid(e)]
    tried = [e for e in valid if parameter in dict(e.request.query)]
    examined = tuple(e for e in tried if e.status == 200)
    refused = ((e, answered(requirement, e, grounds)) for e in tried if len(e.request.query) == 1)
    wrong = [(e, said) for e, said in refused if isinstance(said, Problem)]
    accepted = {dict(e.request.query)[parameter] for e in examined}
    missing = [value for value in values if value not in accepted]
    plain = asked_with(record)
    if (wrong or missing) and plain and not any(e.status == 200 for e in plain):
        answer = answer_text(plain[-1])
        said = f"{Operation.LIST_PETS} does not return 200 without parameters either ({answer}); see LIST-1."
        return Undecided(said, None, examined)
    if wrong:
        return replace(failed_by(None, wrong), examined=(*examined, *(e for e, _ in wrong)))
    # LIST-2 judges the limit of a pair alone
    together = _refused_together(valid) if parameter == "status" and not missing else ()
    if together:
        return _failed_together(together, examined)
    untried = [value for value in missing if not asked_with(record, (parameter, value))]
    otherwise = Undecided(f"No answer shows whether `{parameter}` {one_of(missing)} is accepted.", None, examined)
    if untried:
        # one at a time: the first answer may decide the others
        return Ask((Call(Operation.LIST_PETS, query=((parameter, untried[0]),)),), otherwise)
    return otherwise if missing else Held(examined)


def _refused_together(valid: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """The requests with both parameters that were refused although each is accepted in other requests."""
    accepted = {pair for e in valid if e.status == 200 for pair in e.request.query}
    pairs = (e for e in valid if len(e.request.query) > 1 and e.status not in (200, 401, 429))
    return tuple(e for e in pairs if accepted.issuperset(e.request.query))


def _failed_together(pairs: tuple[Exchange, ...], examined: tuple[Exchange, ...]) -> Failed:
    """The failure of requests with both parameters, described by the simplest."""
    pair = min(pairs, key=simplicity)
    silent = pair.status is None
    # a request that was accepted another time does not fail by its combination
    another_time = any(e.request.query == pair.request.query for e in examined)
    cause = "" if another_time else " (each parameter alone is accepted)"
    got = silence_text(pair) if silent else answer_text(pair)
    said = f"{described(pair)}{cause}: expected 200 (section 4.1), got {got}."
    proofs = (Proof(pair, WHOLE if silent else STATUS),)
    return Failed(said, proofs, (*examined, *pairs), silent, "200", wrong=pairs)


_NO_PLAIN_ANSWER = f"No {Operation.LIST_PETS} without parameters got a conclusive answer; see AUTH-7."

RULES = (
    Rule("LIST-1", partial(is_200, "LIST-1"), nothing=_NO_PLAIN_ANSWER),
    Rule(
        "LIST-2",
        partial(is_200, "LIST-2"),
        partial(each_is_accepted, "LIST-2", "limit", [str(limit) for limit in LIMITS_NAMED]),
    ),
)
