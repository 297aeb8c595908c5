"""A key that must appear nowhere: not in a report, on the terminal or in a traceback, in no encoding."""

from __future__ import annotations

import base64
import gzip
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from petcheck.results.load import recording_in
from petcheck.spec.files import suite_root
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support import command
from tests.support.command import KEY, Ran
from tests.support.core import slow_outside
from tests.support.forked import petcheck
from tests.support.peers import peer
from tests.system.test_hostile_peers import echo, store

VERBOSITIES = {
    "quiet": ["-q"],
    "usual": [],
    "verbose": ["-v", "-v"],
    "tracebacks": ["--tb=long", "--showlocals", "-s"],
}


def encodings_of(key: str) -> set[bytes]:
    """The key, its halves, and both as a URL, base64 and hex would have them."""
    half = len(key) // 2
    plain = {key.encode(), key[:half].encode(), key[half:].encode(), key[half // 2 : half // 2 + half].encode()}
    found = set(plain)
    for part in plain:
        found |= {quote(part.decode(), safe="").encode(), part.hex().encode(), part[::1].upper(), part.lower()}
        found.add(b"".join(b"%%%02X" % byte for byte in part))
        for before in range(3):
            inner = base64.b64encode(b"\0" * before + part).rstrip(b"=")
            found |= {inner[4:-1], inner[4:-1].replace(b"+", b"-").replace(b"/", b"_")}
    return found


FILES = frozenset({"result.json", "exchanges.har", "junit.xml", "report.html", "pytest.html"})


def assert_no_key(ran: Ran, key: str = KEY, files: frozenset[str] = FILES) -> None:
    searched = ran.written()
    assert files <= set(searched)
    assert [
        (name, encoding) for name, content in searched.items() for encoding in encodings_of(key) if encoding in content
    ] == []


# what says least comes with property examples, what says most is searched in the core too
CORE = ("quiet", "tracebacks")


@pytest.mark.parametrize("verbosity", slow_outside(CORE, VERBOSITIES))
def test_a_peer_that_echoes_it(verbosity: str, tmp_path: Path) -> None:
    with peer(echo) as up:
        examples = verbosity == next(iter(VERBOSITIES))
        ran = petcheck(tmp_path, "--target", up.url, "--allow-writes", *VERBOSITIES[verbosity], as_it_comes=examples)
        assert any(KEY.encode() in head for head in up.heads)
    assert ran.code == 1
    assert_no_key(ran)
    assert b"[redacted-key]" in ran.written()["exchanges.har"]


def test_many_peers_that_echo_it(tmp_path: Path) -> None:
    with peer(echo) as up:
        named = [word for name in "abcde" for word in ("--target", f"{name}={up.url}")]
        ran = petcheck(tmp_path, *named, *VERBOSITIES["tracebacks"], "-n", "3", "-k", "test_9 or test_page_is")
        assert any(KEY.encode() in head for head in up.heads)
    assert ran.code == 0, ran.out + ran.err
    assert_no_key(ran, files=frozenset({"result.json", "report.html", "targets/e/exchanges.har"}))
    assert b"[redacted-key]" in ran.written()["targets/e/exchanges.har"]


def test_a_peer_that_refuses_it_with_a_message(tmp_path: Path) -> None:
    percent = "".join(f"%{byte:02X}" for byte in KEY.encode())
    packed = base64.b64encode(f"Bearer {KEY}".encode()).decode()
    shapes = (KEY, packed, KEY[:17] + "…", KEY[9:], percent, percent[:60], KEY.encode().hex(), KEY.upper())
    said = f"no such key: {', '.join(shapes)}".encode()
    with peer(lambda caller: caller.answer(said, status=f"401 {KEY}")) as up:
        ran = petcheck(tmp_path, "--target", up.url, *VERBOSITIES["tracebacks"])
    assert ran.code == 6
    assert_no_key(ran)


def test_a_peer_that_shows_half_of_a_key_of_digits(tmp_path: Path) -> None:
    key = "482913750264819375026481"
    with peer(lambda caller: caller.answer(b"no such key: " + key[:12].encode(), status="401 Unauthorized")) as up:
        ran = petcheck(tmp_path, "AUTH-7", "--target", up.url, key=key)
    assert ran.code == 6, ran.out + ran.err
    assert_no_key(ran, key)


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def own(body: bytes) -> bytes:
    """An encoding that nobody knows."""
    return bytes(255 - byte for byte in body)


def often(body: bytes) -> bytes:
    """Packed four times."""
    for _ in range(4):
        body = gzip.compress(body)
    return body


# each with the header that announces it, if any
PACKED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "gzip that is not announced": (gzip.compress, ""),
    "deflate without a header": (raw_deflate, "deflate"),
    "gzip that is cut": (lambda body: gzip.compress(body)[:-9], "gzip"),
    "gzip that is called Brotli": (gzip.compress, "br"),
    "an encoding that nobody knows": (own, "own"),
    "more of it than is read": (lambda body: own(body) + bytes(9_000_000), "own"),
    "gzip of more of it than is read": (lambda body: gzip.compress(own(body) + bytes(9_000_000)), "own, gzip"),
    "gzip more often than is undone": (often, "gzip, gzip, gzip, gzip"),
}


@pytest.mark.parametrize("how", PACKED)
def test_a_peer_that_echoes_it_compressed(how: str, tmp_path: Path) -> None:
    pack, named = PACKED[how]
    headers = f"Content-Encoding: {named}\r\n".encode() if named else b""
    with peer(lambda caller: caller.answer(pack(caller.head), status="404 Not Found", headers=headers)) as up:
        ran = petcheck(tmp_path, "LIST-1", "--target", up.url)
    bodies = {one.heard.body for one in recording_in(ran.reports).exchanges if one.request.has_valid_key}
    unread = b"[not kept: it cannot be decoded, and may contain the key]"
    assert bodies == {unread if named else b"\x1f\x8b[redacted-key]"}
    assert_no_key(ran)
    assert petcheck(tmp_path, "verify", "reports").code == 0


def test_a_peer_that_echoes_it_without_http(tmp_path: Path) -> None:
    with peer(lambda caller: caller.send(b"EHLO " + KEY.encode() + b"\r\n\r\n")) as up:
        ran = petcheck(tmp_path, "--target", up.url, "-v", "--tb=long")
    assert ran.code == 6
    assert_no_key(ran)


@pytest.mark.parametrize("verbosity", [pytest.param("quiet", marks=pytest.mark.slow), "tracebacks"])
def test_a_server_that_obeys(verbosity: str, tmp_path: Path) -> None:
    settings = ReferenceSettings(keys={KEY: "business"}, anonymous_limit=10_000)
    with running(create_app(settings)) as url:
        ran = petcheck(tmp_path, "--target", f"{url}/v1", "--allow-writes", *VERBOSITIES[verbosity])
    assert ran.code == 0, ran.out
    assert_no_key(ran)
    assert "sha256:" in ran.written()["result.json"].decode()


def test_a_broken_suite_with_all_output_shown(tmp_path: Path) -> None:
    # a module that replaces part of the wire, so that it breaks with the key in its hands
    (tmp_path / "breaking.py").write_text(
        "import runpy\n"
        "from petcheck.wire.client import HttpClient\n"
        "def send(self, outgoing, **how):\n"
        "    authorization = dict(outgoing.headers).get('Authorization')\n"
        "    print('captured', authorization)\n"
        "    if outgoing.url.endswith('/store/orders'):\n"
        "        raise ZeroDivisionError(f'broken with {authorization}')\n"
        "    return real(self, outgoing, **how)\n"
        "real, HttpClient.send = HttpClient.send, send\n"
        "runpy.run_module('petcheck', run_name='__main__', alter_sys=True)\n"
    )
    settings = ReferenceSettings(keys={KEY: "business"}, anonymous_limit=10_000)
    with running(create_app(settings)) as url:
        arguments = ["--target", f"{url}/v1", "--tb=long", "--showlocals", "-v"]
        ran = command.petcheck(tmp_path, *arguments, program="breaking")
    assert ran.code == 3
    assert "ZeroDivisionError" in ran.out
    assert "headers" in ran.out
    assert_no_key(ran)


# what WHERE names breaks with the key in its message
BROKEN = """
import os, pkgutil, runpy
owner, _, name = os.environ["WHERE"].rpartition(".")
def breaks(*_, **__):
    raise RuntimeError(f"broken with Bearer {os.environ['PETSTORE_API_KEY']}")
setattr(pkgutil.resolve_name(owner), name, breaks)
runpy.run_module("petcheck", run_name="__main__", alter_sys=True)
"""


def broken(where: str, folder: Path) -> Ran:
    (folder / "broken.py").write_text(BROKEN)
    with peer(store) as up:
        return command.petcheck(folder, "--target", up.url, program="broken", more={"WHERE": where})


@pytest.mark.parametrize(
    "where", ["petcheck.toolkit.target:Target.probe", "petcheck.runner.session:Session._answering"]
)
def test_a_suite_that_breaks_while_it_opens_a_target(where: str, tmp_path: Path) -> None:
    ran = broken(where, tmp_path)
    assert (ran.code, ran.err) == (3, "")
    assert "RuntimeError: broken with Bearer [redacted-key]" in " ".join(ran.out.split())
    assert set(ran.outcomes.values()) == {"error", "not-run"}
    assert_no_key(ran)
    assert petcheck(tmp_path, "verify", "reports").code == 0


def test_a_suite_that_breaks_pytest(tmp_path: Path) -> None:
    ran = broken("petcheck.runner.session:Session.ended", tmp_path)
    assert (ran.code, ran.err.splitlines()[-1]) == (
        3,
        "petcheck: the suite broke: pytest had an internal error (RuntimeError)",
    )
    assert "RuntimeError: broken with Bearer [redacted-key]" in ran.err
    assert_no_key(ran)


def test_a_key_in_the_base_url_by_mistake(tmp_path: Path) -> None:
    with peer(echo) as up:
        ran = petcheck(tmp_path, "--target", f"{up.url}/{KEY}/v1")
        assert up.connections == 0
    assert ran.code == 4
    assert ran.last_line_of_trouble == (
        "petcheck: --target contains the API key; remove it and put it into PETSTORE_API_KEY"
    )


def test_the_canary_is_not_part_of_the_suite() -> None:
    assert KEY not in (suite_root() / "requirements.yaml").read_text(encoding="utf-8")
