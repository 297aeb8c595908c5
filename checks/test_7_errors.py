"""Section 7: errors. The shape of every Error that came, and that no request was answered with a 5xx."""

from collections.abc import Callable, Iterator

from petcheck.exchange import GATEWAY_TROUBLE, Exchange, Response
from petcheck.judging.interface import REMOVAL_DAY, body_due, documented
from petcheck.judging.jsontext import kind
from petcheck.judging.matchers import Animal, problem_of_error_status, problem_of_string, quoted, value_of
from petcheck.judging.overall import hold_everywhere
from petcheck.judging.verdicts import Inconclusive
from petcheck.marks import observes, requirement, stage
from petcheck.target import Target

pytestmark = stage("record")


def errors(target: Target) -> Iterator[tuple[Exchange, Response]]:
    """Every response that must carry an Error, where its body is JSON."""
    for exchange in target.record:
        if body_due(exchange, target.as_of) != "error" or not isinstance(exchange.answer, Response):
            continue
        if value_of(exchange.answer) is not None or exchange.answer.body.strip() == b"null":
            yield exchange, exchange.answer


def hold_for_every_error(target: Target, problem: Callable[[Animal, int], str | None]) -> None:
    """Judge every Error that is an object."""

    def judged() -> Iterator[tuple[Exchange, str | None]]:
        for exchange, response in errors(target):
            value = value_of(response)
            if isinstance(value, dict):
                yield exchange, problem(value, response.status)

    hold_everywhere(target.api, judged(), section="7", nothing="No Error came.")


@requirement("ERROR-1")
def test_error_is_an_object(target: Target) -> None:
    """A 400, 401 or 404 carries a JSON object."""

    def judged() -> Iterator[tuple[Exchange, str | None]]:
        for exchange, response in errors(target):
            value = value_of(response)
            yield exchange, None if isinstance(value, dict) else f"the body is {kind(value)}, {quoted(value)}"

    hold_everywhere(target.api, judged(), section="7", nothing="No Error came.")


@requirement("ERROR-2")
def test_error_has_a_code(target: Target) -> None:
    """`code`: string, required."""
    hold_for_every_error(target, lambda error, _: problem_of_string("the Error", "code", error))


@requirement("ERROR-3")
def test_error_has_a_message(target: Target) -> None:
    """`message`: string, required."""
    hold_for_every_error(target, lambda error, _: problem_of_string("the Error", "message", error))


@requirement("ERROR-4")
def test_error_has_the_status(target: Target) -> None:
    """`status`: integer, required, the HTTP status code."""
    hold_for_every_error(target, problem_of_error_status)


@requirement("ERROR-5")
def test_no_server_error(target: Target) -> None:
    """No well-formed request is answered with a 5xx; a gateway's 502, 503 or 504 counts where it comes twice."""

    def judged() -> Iterator[tuple[Exchange, str | None]]:
        for exchange in target.record:
            if not isinstance(exchange.answer, Response) or removed(exchange, target):
                continue
            status = exchange.answer.status
            if status in GATEWAY_TROUBLE and recovered(exchange, target.record):
                continue
            yield exchange, "a 5xx is never documented" if status >= 500 else None

    hold_everywhere(target.api, judged(), section="7", nothing="No response came.")


def removed(exchange: Exchange, target: Target) -> bool:
    """Whether the operation no longer is one on the day that is judged for."""
    return target.as_of >= REMOVAL_DAY and not documented(exchange, target.as_of)


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
    for _, response in errors(target):
        value = value_of(response)
        if isinstance(value, dict) and isinstance(value.get("code"), str):
            codes.setdefault(str(response.status), set()).add(quoted(value["code"]))
    if not codes:
        raise Inconclusive("No Error came.")
    said = "; ".join(f"{status}: {', '.join(sorted(values)[:5])}" for status, values in sorted(codes.items()))
    target.observe("error-codes", said)
