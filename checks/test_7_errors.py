"""Section 7: errors. The shape of every Error, and that no request gets a 5xx."""

from petcheck.toolkit import Target, requirement, stage

pytestmark = stage("record")


@requirement("ERROR-1")
def test_error_is_an_object(target: Target) -> None:
    """The body of a 400, 401 or 404 is a JSON object."""
    target.settle("ERROR-1")


@requirement("ERROR-2")
def test_error_has_a_code(target: Target) -> None:
    """`code`: string, required."""
    target.settle("ERROR-2")


@requirement("ERROR-3")
def test_error_has_a_message(target: Target) -> None:
    """`message`: string, required."""
    target.settle("ERROR-3")


@requirement("ERROR-4")
def test_error_has_the_status(target: Target) -> None:
    """`status`: integer, required, the HTTP status code."""
    target.settle("ERROR-4")


@requirement("ERROR-5")
def test_no_server_error(target: Target) -> None:
    """No well-formed request gets a 5xx; a gateway's 502, 503 or 504 counts only if it is repeated."""
    target.settle("ERROR-5")
