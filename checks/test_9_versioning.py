"""Section 9: versioning."""

from urllib.parse import urlsplit

from petcheck.exchange import Response
from petcheck.judging.interface import BASE_SEGMENT
from petcheck.judging.verdicts import Breach, Inconclusive
from petcheck.marks import requirement
from petcheck.target import Target


@requirement("VERSION-1")
def test_base_url_ends_in_v1(target: Target) -> None:
    """The base URL ends in the path segment `/v1`."""
    exchange = target.api.list_pets()
    if not isinstance(exchange.answer, Response):
        raise Inconclusive("Nothing answered below the base URL.")
    path = urlsplit(target.config.base_url).path
    if path.rpartition("/")[2] != BASE_SEGMENT:
        raise Breach(
            f"The base URL {target.config.base_url} ends in {path or 'no path'!r}; section 9 ends it in /v1.", exchange
        )
