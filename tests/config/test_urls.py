"""Which base URLs are accepted, and how a message shows one."""

from __future__ import annotations

import pytest

from tests.config.configured import addresses, complaint, configured


@pytest.mark.parametrize(
    "url",
    [
        "https://host/v1",
        "https://host:8443/deep/er/v1",
        "HTTPS://host/v1",
        "http://localhost:8080/v1",
        "http://127.0.0.1/v1",
        "http://127.9.9.9/v1",
        "http://[::1]:8080/v1",
        "http://shop.localhost/v1",
    ],
)
def test_urls_that_are_accepted(url: str) -> None:
    assert addresses(configured(target=[url])) == [url]


def test_http_to_a_remote_host_on_request() -> None:
    config = configured(target=["http://far.example/v1"], insecure_http=True)
    assert addresses(config) == ["http://far.example/v1"]


def test_a_url_may_end_in_an_empty_query() -> None:
    assert addresses(configured(target=["https://h/v1/?"])) == ["https://h/v1"]


@pytest.mark.parametrize(
    ("url", "shown"), [("https://h/v1\\x", "https://h/v1\\x"), ("https://h/@x/v1", "https://…@x/v1")]
)
def test_a_url_that_no_recording_may_hold_is_refused_before_the_run(url: str, shown: str) -> None:
    said = "a URL must not have a backslash, or an @ in its path; write / and %40 instead"
    assert complaint(target=[url]) == f"--target {shown}: {said}"


@pytest.mark.parametrize(
    "url",
    [
        "https://SECRET@h/v1",
        "https://h/@SECRET@/v1",
        "https://u:SECRET@h/v1",
        "https://:SECRET@h/v1",
        "https://@SECRET@h/v1",
        "u:SECRET@h/v1",
        "https://h/v1?key=SECRET",
        "https://h/v1?key=SECRET@x",
        "https://h/v1#SECRET",
        "h/v1?SECRET",
        "https://h:SECRET/v1",
        "h:SECRET/v1",
        "https://[::1]:SECRET/v1",
        "a b=https://h/v1?SECRET",
        "ftp://SECRET:SECRET@h/v1?SECRET#SECRET",
        "https://SECRET\N{FULLWIDTH SOLIDUS}@h/v1",
    ],
)
def test_no_message_shows_a_key_put_into_a_url_by_mistake(url: str) -> None:
    assert "SECRET" not in complaint(target=[url])
    assert "SECRET" not in complaint(target=[f"a={url}", f"a={url}"])
    assert "SECRET" not in complaint(f'[targets.a]\nurl = "{url.rpartition("a b=")[2]}"')
