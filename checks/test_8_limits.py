"""Section 8: limits. The rate limit headers of every response that came, and how they moved."""

from petcheck.exchange import Credential, Response
from petcheck.exhaustion import Exhaustion, exhaust, nothing_left, reset_of, told
from petcheck.judging import ratelimits
from petcheck.judging.interface import documented
from petcheck.judging.jsontext import kind
from petcheck.judging.matchers import came, described, value_of
from petcheck.judging.overall import hold_everywhere
from petcheck.judging.verdicts import Breach, Inconclusive, NotRun
from petcheck.marks import observes, requirement, stage
from petcheck.target import Target


@requirement("RATE-1")
@stage("record")
def test_limit_header(target: Target) -> None:
    """`X-RateLimit-Limit`: an integer, 1 or more."""
    target.hold("RATE-1")


@requirement("RATE-2")
@stage("record")
def test_remaining_header(target: Target) -> None:
    """`X-RateLimit-Remaining`: an integer, from 0 to the limit."""
    target.hold("RATE-2")


@requirement("RATE-3")
@stage("record")
def test_reset_header(target: Target) -> None:
    """`X-RateLimit-Reset`: a Unix timestamp, not past and at most a day ahead."""
    target.hold("RATE-3")


@requirement("RATE-4")
@stage("record")
def test_remaining_counts_down(target: Target) -> None:
    """Within a window the requests left never become more, and become fewer as requests are sent."""
    keyed = [e for e in target.record if e.request.credential is Credential.VALID and documented(e, target.as_of)]
    groups = ratelimits.same_window(keyed)
    for group in groups:
        for exchange in group:
            target.api.examine(exchange)
        problem = ratelimits.problem_of_course(group)
        if problem is not None:
            raise Breach(f"{described(problem.exchanges[-1])}: {problem.text} (section 8).", *problem.exchanges)
    if not any(ratelimits.tells_course(group) for group in groups):
        raise Inconclusive("No window was seen often enough to compare: X-RateLimit-Reset moves, or is not readable.")


@requirement("RATE-5")
@stage("record")
def test_limit_is_the_plans(target: Target) -> None:
    """`X-RateLimit-Limit` is what the plan's row says."""
    if target.config.plan is None:
        raise NotRun("The key's plan is not known, so any figure is right.", "--plan")
    target.hold("RATE-5")


# ---- with the quota used up


def exhaustion(target: Target) -> Exhaustion:
    """What using up the quota showed; done once, last of all that is sent."""
    return target.exhausted(lambda: exhaust(target))


@requirement("RATE-6")
@stage("exhaust")
def test_request_over_the_limit_is_429(target: Target) -> None:
    """A request over the limit gets 429: not another status, not a dropped connection, not a 200."""
    seen = exhaustion(target)
    evidence = [exchange for exchange in (seen.before, seen.refusal) if exchange]
    if seen.over:
        raise Breach(
            f"{seen.excess} more were served after a response had said that none was left: {told(seen)}; "
            "section 8 answers a request over the limit 429.",
            *evidence,
        )
    if seen.limited:
        return
    if seen.refusal is None and seen.obstacle:
        raise Inconclusive(f"The quota could not be used up, {seen.obstacle}: {told(seen)}.")
    if seen.refusal is None:
        raise Breach(
            f"The limit of {seen.limit} is not enforced: {told(seen)}; section 8 answers a request over the limit 429.",
            *evidence,
        )
    if not nothing_left(seen) and seen.served < seen.limit:
        raise Inconclusive(f"The quota could not be used up: {told(seen)}.")
    raise Breach(f"{told(seen)}; section 8 answers a request over the limit 429.", *evidence)


@requirement("RATE-8")
@stage("exhaust")
def test_no_429_while_requests_are_left(target: Target) -> None:
    """No 429 comes while Remaining said that requests were left."""
    seen = exhaustion(target)
    if not seen.limited or seen.refusal is None:
        raise Inconclusive("The quota was not answered with 429; RATE-6 tells more.")
    own = ratelimits.remaining_of(seen.refusal)
    if ratelimits.asks_for_more_than_a_minute(seen.refusal):
        raise Inconclusive("The 429 asks for more than a minute: it belongs to another quota, the day's.")
    if own is not None and own > 0:
        raise Breach(f"A 429 came that says itself that {own} requests are left (section 8).", seen.refusal)
    if seen.left == 0:
        return
    if seen.again is None or seen.foreign or seen.again.foreign:
        raise Inconclusive(
            f"A 429 came right after a response that said {seen.left} were left, which others who share the key may "
            f"have used. {seen.obstacle or ''}".strip(),
            "--max-requests",
        )
    evidence = [e for e in (seen.before, seen.refusal, seen.again.before, seen.again.refusal) if e]
    if seen.again.left > 0:
        raise Breach(
            f"A 429 came right after a response that said {seen.left} requests were left, and in the next window after "
            f"{seen.again.left} (section 8).",
            *evidence,
        )


@requirement("RATE-9")
@stage("exhaust")
def test_served_after_retry_after(target: Target) -> None:
    """After Retry-After the next request is served."""
    seen = exhaustion(target)
    if not seen.limited or seen.refusal is None:
        raise Inconclusive("The quota was not answered with 429; RATE-6 tells more.")
    if not seen.after:
        raise Inconclusive(f"Nothing was sent after the 429: {seen.obstacle}.", "--max-wait")
    first = seen.after[0]
    if first.status == 200:
        return
    stated = seen.refusal.answer.header("Retry-After") if isinstance(seen.refusal.answer, Response) else None
    waited = f"after the Retry-After of the 429 ({stated}) had passed"
    if seen.foreign and reset_of(first) != reset_of(seen.refusal):
        raise Inconclusive("The next window was used up at once, which another client may have done.")
    if ratelimits.problem_of_retry_after(seen.refusal) is not None and first.status == 429:
        raise Inconclusive("The 429 did not say how long to wait; RATE-7 tells more.")
    raise Breach(f"{came(first)} came {waited}; section 8 lets the client retry then.", seen.refusal, *seen.after)


@requirement("RATE-7")
@stage("record")
def test_retry_after(target: Target) -> None:
    """A 429 carries Retry-After, in whole seconds or as an HTTP date."""
    refusals = [e for e in target.record if isinstance(e.answer, Response) and e.answer.status == 429]
    if not refusals:
        raise NotRun("No 429 came; the quota is used up only on request.", "--exhaust-rate-limit")
    hold_everywhere(
        target.api, ((e, ratelimits.problem_of_retry_after(e)) for e in refusals), section="8", nothing="No 429 came."
    )


@observes("rate-limit-body")
@stage("record")
def test_body_of_a_429(target: Target) -> None:
    """Observed: what a 429 carries."""
    for exchange in target.record:
        if isinstance(exchange.answer, Response) and exchange.answer.status == 429:
            value = value_of(exchange.answer)
            media = exchange.answer.header("Content-Type") or "no media type"
            what = kind(value) if value is not None else f"{len(exchange.answer.body)} bytes"
            target.observe("rate-limit-body", f"{media}, {what}", exchange)
            return
    target.observe("rate-limit-body", "not observed: no 429 came")
