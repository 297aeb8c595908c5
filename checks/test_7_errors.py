"""Section 7: errors. The shape of every Error that came, and that no request was answered with a 5xx."""

from collections.abc import Iterator

from petcheck.exchange import GATEWAY_TROUBLE, Exchange, Response
from petcheck.judging.matchers import quoted
from petcheck.judging.overall import hold_everywhere
from petcheck.judging.rules import RULE, error_in, judged
from petcheck.judging.verdicts import Inconclusive
from petcheck.marks import observes, requirement, stage
from petcheck.target import Target

pytestmark = stage("record")


@requirement("ERROR-1")
def test_error_is_an_object(target: Target) -> None:
    """A 400, 401 or 404 carries a JSON object."""
    target.hold("ERROR-1")


@requirement("ERROR-2")
def test_error_has_a_code(target: Target) -> None:
    """`code`: string, required."""
    target.hold("ERROR-2")


@requirement("ERROR-3")
def test_error_has_a_message(target: Target) -> None:
    """`message`: string, required."""
    target.hold("ERROR-3")


@requirement("ERROR-4")
def test_error_has_the_status(target: Target) -> None:
    """`status`: integer, required, the HTTP status code."""
    target.hold("ERROR-4")


@requirement("ERROR-5")
def test_no_server_error(target: Target) -> None:
    """No well-formed request is answered with a 5xx; a gateway's 502, 503 or 504 counts where it comes twice."""

    def rows() -> Iterator[tuple[Exchange, str | None]]:
        for exchange, problem in judged(RULE["ERROR-5"], target.record, target.grounds):
            if exchange.status not in GATEWAY_TROUBLE:
                yield exchange, problem
            elif not recovered(exchange, target.record):
                yield exchange, "a 5xx is never documented"

    target.expect_examples("ERROR-5")
    hold_everywhere(target.api, rows(), section="7", nothing="No response came.")


def recovered(exchange: Exchange, record: list[Exchange]) -> bool:
    """Whether the same request was answered otherwise later, or never got a second try."""
    again = [other for other in record if other.index > exchange.index and other.request == exchange.request]
    answers = [other.answer.status for other in again if isinstance(other.answer, Response)]
    earlier = any(
        other.index < exchange.index
        and other.request == exchange.request
        and isinstance(other.answer, Response)
        and other.answer.status in GATEWAY_TROUBLE
        for other in record
    )
    return any(status < 500 for status in answers) or not (answers or earlier)


@observes("error-codes")
def test_error_codes(target: Target) -> None:
    """Observed: the values of `code`."""
    codes: dict[str, set[str]] = {}
    for value, response in filter(None, (error_in(exchange, target.as_of) for exchange in target.record)):
        if isinstance(value, dict) and isinstance(value.get("code"), str):
            codes.setdefault(str(response.status), set()).add(quoted(value["code"]))
    if not codes:
        raise Inconclusive("No Error came.")
    said = "; ".join(f"{status}: {', '.join(sorted(values)[:5])}" for status, values in sorted(codes.items()))
    target.observe("error-codes", said)
