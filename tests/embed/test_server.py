"""What a caller may give as a server."""

from __future__ import annotations

import httpx
import pytest

from petcheck.embed.process import check
from petcheck.embed.server import Server, masked, server
from petcheck.errors import BadUrl


@pytest.mark.parametrize(
    ("address", "base_path", "url"),
    [
        ("http://127.0.0.1:8000/v1", None, "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/", "/v1/", "http://127.0.0.1:8000/v1"),
        (httpx.URL("http://127.0.0.1:8000"), "shop/v1", "http://127.0.0.1:8000/shop/v1"),
    ],
)
def test_a_url_or_what_has_one_as_its_text(address: object, base_path: str | None, url: str) -> None:
    with Server(address, None, base_path).running() as up:
        assert (up.base_url, up.raised) == (url, None)


async def application(scope: object, receive: object, send: object) -> None:
    """Has no lifespan, and is asked for nothing else."""


@pytest.mark.parametrize(("base_path", "path"), [(None, "/v1"), ("", ""), ("shop/v1", "/shop/v1")])
def test_an_application_is_served_while_the_block_lasts(base_path: str | None, path: str) -> None:
    with Server(application, None, base_path).running() as up:
        url = httpx.URL(up.base_url)
        assert up.raised == []
    assert (url.host, url.path.rstrip("/")) == ("127.0.0.1", path)
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)


def test_text_that_is_no_url_is_refused_as_one() -> None:
    for text in ("localhost:8000", "htp:/foo"):
        with pytest.raises(BadUrl, match="not an http or https URL"):
            check(text, key="own-key-12")


def test_a_message_has_the_names_that_options_have_in_python() -> None:
    with pytest.raises(BadUrl, match="allow it with insecure_http=True"):
        check("http://shop.example/v1", key="own-key-12")


def test_a_pair_has_the_key_of_its_own() -> None:
    own = server(("http://127.0.0.1/v1", "own-key-12"), masked("other-key-1"), None)
    assert own.key == masked("own-key-12")
    assert "own-key-12" not in repr(own)
    assert server("http://127.0.0.1/v1", masked("other-key-1"), None).key == masked("other-key-1")
