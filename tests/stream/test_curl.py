"""The curl line of a request, run in a real shell against a real server, sends the same request."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest

from petcheck.exchange import Request
from petcheck.stream.curl import curl_line
from tests.support import samples
from tests.support.programs import program

SHELLS = [shell for shell in ("bash", "dash", "sh") if shutil.which(shell)]


class Recorder(BaseHTTPRequestHandler):
    seen: ClassVar[list[tuple[str, str, dict[str, str], bytes]]] = []

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.seen.append((self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST = answer  # noqa: N815  (the names that the standard library calls)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def base() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Recorder)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


JSON = ("Content-Type", "application/json")
KEY = ("Authorization", "Bearer $PETSTORE_API_KEY")

CASES: dict[str, tuple[Request, dict[str, str | None]]] = {
    "plain": (samples.request(base=""), {"authorization": "Bearer k3y", "accept": "application/json"}),
    "no key": (samples.request(base="", headers=()), {"authorization": None}),
    "key cut": (
        samples.request(base="", headers=(("Authorization", "Bearer ${PETSTORE_API_KEY%?}"),)),
        {"authorization": "Bearer k3"},
    ),
    "key extended": (
        samples.request(base="", headers=(("Authorization", "Bearer ${PETSTORE_API_KEY}x"),)),
        {"authorization": "Bearer k3yx"},
    ),
    "no scheme": (
        samples.request(base="", headers=(("Authorization", "$PETSTORE_API_KEY"),)),
        {"authorization": "k3y"},
    ),
    "no expression of ours": (
        samples.request(base="", headers=(("Authorization", 'Bearer $(echo x) `id` "y" $HOME'),)),
        {"authorization": 'Bearer $(echo x) `id` "y" $HOME'},
    ),
    "odd url": (samples.request("/pets/[1]{2}?a='$(id)`id`\"&b=!!", base="", headers=(KEY,)), {}),
    "dots in the path": (samples.request("/pets/../x", base="", headers=(KEY,)), {}),
    "odd header": (
        samples.request(base="", headers=(("X-Odd", 'it\'s $HOME `id` "q" \\ !!'), ("X-Empty", ""))),
        {"x-odd": 'it\'s $HOME `id` "q" \\ !!', "x-empty": ""},
    ),
    "json body": (
        samples.request("/pets", base="", method="POST", body=b'{"name": "O\'Hara $HOME `id`"}', headers=(KEY, JSON)),
        {"content-type": "application/json"},
    ),
    "body like a file": (samples.request(base="", method="POST", body=b"@/etc/hostname", headers=(JSON,)), {}),
    "no content type": (samples.request(base="", method="POST", body=b"{}", headers=()), {"content-type": None}),
    "empty body": (samples.request(base="", method="POST", body=b"", headers=(JSON,)), {}),
    "post without body": (samples.request(base="", method="POST", headers=()), {"content-type": None}),
    "get with body": (samples.request(base="", method="GET", body=b"x", headers=(JSON,)), {}),
    "unicode": (samples.request(base="", method="POST", body='"Žofie 🐈"'.encode(), headers=(JSON,)), {}),
    "every byte": (samples.request(base="", method="POST", body=bytes(range(256)) * 2, headers=(JSON,)), {}),
    "lines": (samples.request(base="", method="POST", body=b"\r\n\na\\n%s%d\\055\n\n", headers=(JSON,)), {}),
    "like an option": (samples.request(base="", method="POST", body=b"-n \x00", headers=(JSON,)), {}),
}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("case", CASES)
def test_the_line_sends_the_same_request(case: str, shell: str, base: str) -> None:
    program("curl")
    sent, headers = CASES[case]
    line = curl_line(Request(sent.operation, sent.method, base + sent.url, sent.headers, sent.body, sent.credential))
    assert line.isascii()
    assert line.isprintable()
    Recorder.seen.clear()
    subprocess.run(
        [shell, "-c", line],
        env={"PATH": "/usr/bin:/bin", "PETSTORE_API_KEY": "k3y", "HOME": "/home/reader"},
        check=True,
        timeout=20,
        stdout=subprocess.DEVNULL,
    )
    [(method, path, came, body)] = Recorder.seen
    assert (method, path, body) == (sent.method, "/v1" + sent.url, sent.body or b"")
    assert {name: came.get(name) for name in headers} == headers


def test_the_line_is_short_if_the_request_is_plain() -> None:
    assert curl_line(samples.request()) == (
        "curl -isS 'https://staging.pets.example/v1/pets?limit=5' "
        "-H \"Authorization: Bearer $PETSTORE_API_KEY\" -H 'Accept: application/json'"
    )
    assert curl_line(samples.request("/pets", method="POST", body='{"name": "Ž"}'.encode(), headers=(KEY, JSON))) == (
        "printf '{\"name\": \"\\305\\275\"}' | curl -isS 'https://staging.pets.example/v1/pets' "
        "-H \"Authorization: Bearer $PETSTORE_API_KEY\" -H 'Content-Type: application/json' --data-binary @-"
    )


def test_headers_that_curl_sends_itself_are_left_out() -> None:
    headers = (("Host", "a"), ("Content-Length", "3"), ("Connection", "close"), ("Accept-Encoding", "gzip"))
    assert curl_line(samples.request(headers=headers)) == "curl -isS 'https://staging.pets.example/v1/pets?limit=5'"
