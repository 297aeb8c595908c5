"""The curl line of a request, run in a real shell against a real server, sends the same request."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from petcheck.call import Credential
from petcheck.exchange import Request
from petcheck.stream.curl import curl_burst, curl_in_turn, curl_line
from petcheck.wire.credentials import ApiKey, authorization, shown
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


@contextmanager
def served(handler: type[Recorder], kind: type[HTTPServer] = ThreadingHTTPServer) -> Iterator[str]:
    """The base URL of a server that answers with the handler, while the block lasts."""
    with kind(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


@pytest.fixture
def base() -> Iterator[str]:
    with served(Recorder, HTTPServer) as url:
        yield url


JSON = ("Content-Type", "application/json")
KEY = ("Authorization", "Bearer $PETSTORE_API_KEY")
ACCEPT = ("Accept", "application/json")

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
    "long runs": (
        samples.request(
            base="", method="POST", body=b"{%s%s}%s" % (b"[" * 3_000, b"%" * 200, b"'" * 400), headers=(JSON,)
        ),
        {"content-type": "application/json"},
    ),
    "one long run": (samples.request(base="", method="POST", body=b"9" * 5_000, headers=(JSON,)), {}),
    "lines": (samples.request(base="", method="POST", body=b"\r\n\na\\n%s%d\\055\n\n", headers=(JSON,)), {}),
    "like an option": (samples.request(base="", method="POST", body=b"-n \x00", headers=(JSON,)), {}),
}


@pytest.mark.parametrize("random_key", ["petcheck_9f31c07d", "petcheck_9f31c07e"])
@pytest.mark.parametrize("credential", [one for one in Credential if one is not Credential.UNKNOWN])
def test_the_line_inserts_every_kind_of_key(credential: Credential, random_key: str, base: str) -> None:
    program("curl")
    key = ApiKey("petcheck_0c5b2a19")
    written, sent = shown(credential, key, random_key), authorization(credential, key, random_key)
    headers = () if written is None else (("Authorization", written),)
    Recorder.seen.clear()
    subprocess.run(
        ["sh", "-c", curl_line(samples.request(base=base, headers=headers))],
        env={"PATH": "/usr/bin:/bin", "PETSTORE_API_KEY": key.secret},
        check=True,
        timeout=20,
        stdout=subprocess.DEVNULL,
    )
    [(_, _, came, _)] = Recorder.seen
    got = came.get("authorization")
    assert got == sent


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("case", CASES)
def test_the_line_sends_the_same_request(case: str, shell: str, base: str) -> None:
    program("curl")
    sent, headers = CASES[case]
    line = curl_line(Request(sent.operation, sent.method, base + sent.url, sent.headers, sent.body, sent.credential))
    assert line.isascii()
    assert line.isprintable()
    assert len(line) < 3_000
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
    assert curl_line(samples.request(headers=(KEY, ACCEPT))) == (
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


BURST = [case for case in CASES if case not in ("every byte", "lines", "like an option")]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_burst_is_sent_at_the_same_time(shell: str, tmp_path: Path) -> None:
    program("curl")
    together = threading.Barrier(len(BURST), timeout=15)

    class Slow(Recorder):
        def answer(self) -> None:
            together.wait()  # breaks unless all requests are under way at once
            super().answer()

        do_GET = do_POST = answer  # noqa: N815

    Recorder.seen.clear()
    with served(Slow) as base:
        requests = {11 + n: replace(CASES[case][0], url=base + CASES[case][0].url) for n, case in enumerate(BURST)}
        command = curl_burst(requests)
        ran = subprocess.run(
            [shell, "-c", command],
            env={"PATH": "/usr/bin:/bin", "PETSTORE_API_KEY": "k3y", "HOME": "/home/reader", "TMPDIR": str(tmp_path)},
            check=True,
            timeout=30,
            capture_output=True,
            text=True,
        )
    sent = [(one.method, one.url.removeprefix(base), one.body or b"") for one in requests.values()]
    assert sorted((method, path.removeprefix("/v1"), body) for method, path, _, body in Recorder.seen) == sorted(sent)
    assert sum(headers.get("authorization") == "Bearer k3y" for _, _, headers, _ in Recorder.seen) == sum(
        KEY in one.headers for one in requests.values()
    )
    assert [line for line in ran.stdout.splitlines() if line.startswith("==>")] == [f"==> {n} <==" for n in requests]
    assert ran.stdout.count("HTTP/1.0 200 OK") == len(requests)
    assert ran.stderr == ""


def test_a_burst_is_one_command_that_holds_no_key() -> None:
    body = '{"name": "Ž"}'.encode()
    requests = {
        7: samples.request(headers=(KEY, ACCEPT)),
        9: samples.request("/pets", method="POST", body=body, headers=(KEY, JSON)),
    }
    key = '-H "Authorization: Bearer $PETSTORE_API_KEY"'
    assert curl_burst(requests) == (
        '(cd "$(mktemp -d)" && curl --no-progress-meter --parallel --parallel-immediate \\\n'
        f"  -isS 'https://staging.pets.example/v1/pets?limit=5' {key} -H 'Accept: application/json' -o 7 \\\n"
        f"  --next -isS 'https://staging.pets.example/v1/pets' {key} -H 'Content-Type: application/json' "
        '--data-raw "$(printf \'{"name": "\\305\\275"}\')" -o 9; tail -n +1 *)'
    )


@pytest.mark.parametrize("body", [b"a\x00b", b"{}\n"])
def test_a_body_that_is_no_argument_leaves_no_command(body: bytes) -> None:
    assert curl_burst({1: samples.request(), 2: samples.request(method="POST", body=body)}) == ""
    assert curl_in_turn([samples.request(method="POST", body=body), samples.request()]) == ""


@pytest.mark.parametrize("shell", SHELLS)
def test_requests_in_turn_use_one_connection(shell: str) -> None:
    program("curl")
    ports: list[int] = []

    class Keeping(Recorder):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            ports.append(self.client_address[1])
            super().answer()

        do_GET = do_POST = answer  # noqa: N815

    Recorder.seen.clear()
    with served(Keeping) as base:
        requests = [replace(sent, url=base + sent.url) for sent in (CASES["long runs"][0], CASES["odd url"][0])]
        subprocess.run(
            [shell, "-c", curl_in_turn(requests)],
            env={"PATH": "/usr/bin:/bin", "PETSTORE_API_KEY": "k3y"},
            check=True,
            timeout=20,
            stdout=subprocess.DEVNULL,
        )
    sent = [(one.method, one.url.removeprefix(base), one.body or b"") for one in requests]
    assert [(method, path.removeprefix("/v1"), body) for method, path, _, body in Recorder.seen] == sent
    assert len(ports) == 2
    assert len(set(ports)) == 1
