"""Section 8: limits. The rate limit headers of every response, how they change, and how the limit is enforced."""

from petcheck.toolkit import (
    RequestKind,
    Target,
    requirement,
    sends,
    settle_with_quota_used_up,
    stage,
)


@requirement("RATE-1")
@stage("record")
def test_limit_header(target: Target) -> None:
    """`X-RateLimit-Limit`: an integer, 1 or more."""
    target.settle("RATE-1")


@requirement("RATE-2")
@stage("record")
def test_remaining_header(target: Target) -> None:
    """`X-RateLimit-Remaining`: an integer, from 0 to the limit."""
    target.settle("RATE-2")


@requirement("RATE-3")
@stage("end")  # as long as a request is left for a doubt
def test_reset_header(target: Target) -> None:
    """`X-RateLimit-Reset`: a Unix timestamp, not past and at most a day ahead."""
    target.settle("RATE-3")


@requirement("RATE-4")
@stage("end")  # as long as a request is left for a doubt
def test_remaining_counts_down(target: Target) -> None:
    """`X-RateLimit-Remaining` never rises within a window, and falls by what is spent."""
    target.settle("RATE-4")


@requirement("RATE-5")
@stage("record")
def test_limit_is_the_plans(target: Target) -> None:
    """`X-RateLimit-Limit` is the figure in the plan's row."""
    target.settle("RATE-5")


# ---- with the quota used up, last of all that is sent


@requirement("RATE-6")
@sends(RequestKind.EXHAUSTION)
@stage("exhaust")
def test_request_over_the_limit_is_429(target: Target) -> None:
    """A request over the limit gets 429: not another status, not a dropped connection, not a 200."""
    settle_with_quota_used_up(target, "RATE-6")


@requirement("RATE-8")
@sends(RequestKind.EXHAUSTION)
@stage("exhaust")
def test_no_429_while_requests_are_left(target: Target) -> None:
    """The server never returns 429 while Remaining says that requests are left."""
    settle_with_quota_used_up(target, "RATE-8")


@requirement("RATE-9")
@sends(RequestKind.EXHAUSTION)
@stage("exhaust")
def test_served_after_retry_after(target: Target) -> None:
    """After Retry-After the next request is served."""
    settle_with_quota_used_up(target, "RATE-9")


@requirement("RATE-7")
@stage("record")
def test_retry_after(target: Target) -> None:
    """A 429 has Retry-After, in whole seconds or as an HTTP date, at most a day ahead."""
    target.settle("RATE-7")
