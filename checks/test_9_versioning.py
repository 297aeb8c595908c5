"""Section 9: versioning."""

from petcheck.toolkit import RequestKind, Target, requirement, sends


@requirement("VERSION-1")
@sends(RequestKind.PAGES)
def test_base_url_ends_in_v1(target: Target) -> None:
    """The base URL ends in the path segment `/v1`."""
    target.api.list_pets()
    target.settle("VERSION-1")
