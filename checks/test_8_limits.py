"""Section 8: limits. The rate limit headers of every response, how they change, and how the limit is enforced."""

from petcheck.toolkit import (
    Response,
    Target,
    Traffic,
    judge_with_quota_used_up,
    kind,
    observes,
    requirement,
    sends,
    stage,
)


@requirement("RATE-1")
@stage("record")
def test_limit_header(target: Target) -> None:
    """`X-RateLimit-Limit`: an integer, 1 or more."""
    target.judge("RATE-1")


@requirement("RATE-2")
@stage("record")
def test_remaining_header(target: Target) -> None:
    """`X-RateLimit-Remaining`: an integer, from 0 to the limit."""
    target.judge("RATE-2")


@requirement("RATE-3")
@stage("record")
def test_reset_header(target: Target) -> None:
    """`X-RateLimit-Reset`: a Unix timestamp, not past and at most a day ahead."""
    target.judge("RATE-3")


@requirement("RATE-4")
@stage("record")
def test_remaining_counts_down(target: Target) -> None:
    """`X-RateLimit-Remaining` never rises within a window, and falls by what is spent."""
    target.judge("RATE-4")


@requirement("RATE-5")
@stage("record")
def test_limit_is_the_plans(target: Target) -> None:
    """`X-RateLimit-Limit` is the figure in the plan's row."""
    target.judge("RATE-5")


# ---- with the quota used up, last of all that is sent


@requirement("RATE-6")
@sends(Traffic.EXHAUSTION)
@stage("exhaust")
def test_request_over_the_limit_is_429(target: Target) -> None:
    """A request over the limit gets 429: not another status, not a dropped connection, not a 200."""
    judge_with_quota_used_up(target, "RATE-6")


@requirement("RATE-8")
@sends(Traffic.EXHAUSTION)
@stage("exhaust")
def test_no_429_while_requests_are_left(target: Target) -> None:
    """The server never returns 429 while Remaining says that requests are left."""
    judge_with_quota_used_up(target, "RATE-8")


@requirement("RATE-9")
@sends(Traffic.EXHAUSTION)
@stage("exhaust")
def test_served_after_retry_after(target: Target) -> None:
    """After Retry-After the next request is served."""
    judge_with_quota_used_up(target, "RATE-9")


@requirement("RATE-7")
@stage("record")
def test_retry_after(target: Target) -> None:
    """A 429 has Retry-After, in whole seconds or as an HTTP date, at most a day ahead."""
    target.judge("RATE-7")


@observes("rate-limit-body")
@stage("record")
def test_body_of_a_429(target: Target) -> None:
    """Observed: the body of a 429."""
    for exchange in target.record:
        if isinstance(exchange.answer, Response) and exchange.answer.status == 429:
            value = exchange.json
            media = exchange.answer.header("Content-Type") or "no media type"
            what = kind(value) if value is not None else f"{len(exchange.answer.body)} bytes"
            target.observe("rate-limit-body", f"{media}, {what}", exchange)
            return
    target.observe("rate-limit-body", "not observed: no 429 was returned", seen=False)
