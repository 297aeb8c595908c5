"""Section 7: errors. The shape of every Error, and that no request gets a 5xx."""

from petcheck.toolkit import Inconclusive, Target, error_in, observes, quoted, requirement, stage

pytestmark = stage("record")


@requirement("ERROR-1")
def test_error_is_an_object(target: Target) -> None:
    """The body of a 400, 401 or 404 is a JSON object."""
    target.judge("ERROR-1")


@requirement("ERROR-2")
def test_error_has_a_code(target: Target) -> None:
    """`code`: string, required."""
    target.judge("ERROR-2")


@requirement("ERROR-3")
def test_error_has_a_message(target: Target) -> None:
    """`message`: string, required."""
    target.judge("ERROR-3")


@requirement("ERROR-4")
def test_error_has_the_status(target: Target) -> None:
    """`status`: integer, required, the HTTP status code."""
    target.judge("ERROR-4")


@requirement("ERROR-5")
def test_no_server_error(target: Target) -> None:
    """No well-formed request gets a 5xx; a gateway's 502, 503 or 504 counts only if it is repeated."""
    target.judge("ERROR-5")


@observes("error-codes")
def test_error_codes(target: Target) -> None:
    """Observed: the values of `code`."""
    codes: dict[str, set[str]] = {}
    grounds = target.grounds
    for value, response in filter(None, (error_in(exchange, grounds) for exchange in target.record)):
        if isinstance(value, dict) and isinstance(value.get("code"), str):
            codes.setdefault(str(response.status), set()).add(quoted(value["code"]))
    if not codes:
        raise Inconclusive("No 400, 401 or 404 with a `code` was returned.")
    said = "; ".join(f"{status}: {', '.join(sorted(values)[:5])}" for status, values in sorted(codes.items()))
    target.observe("error-codes", said)
