"""HTTP on real sockets: every exchange ends by its deadline, and is classified by what was seen on the wire."""

from __future__ import annotations

import gzip
import ssl
import sys
import time
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import truststore

from petcheck.errors import ConnectionLost
from petcheck.exchange import NoAnswer, Response, Silence
from petcheck.wire.client import BODY_CAP, KEPT_OF_MORE, HttpClient, Outgoing, _trusting
from petcheck.wire.httpx_without_cli import httpx
from petcheck.wire.silences import silence_of
from tests.support.certificates import NEW, issue, openssl, showing
from tests.support.once import folder_made_once
from tests.support.peers import JSON, Caller, Peer, closed_port, peer, rate_headers

DEADLINE = 0.5
# a busy machine may be slow, but a peer that is not cut off would hold a test for a minute
AT_MOST = 10.0


def ask(
    url: str,
    *,
    method: str = "GET",
    body: bytes | None = None,
    deadline: float = 10.0,
    times: int = 1,
    ca_bundle: Path | None = None,
    new_connection: bool = False,
) -> Response | NoAnswer:
    """The last of that many answers, all in time."""
    began = time.monotonic()
    with HttpClient(deadline=deadline, ca_bundle=str(ca_bundle) if ca_bundle else None) as client:
        for _ in range(times):
            send = partial(client.send, Outgoing(method, url, [("Authorization", "Bearer k")], body))
            try:
                answer = send(new_connection=new_connection)
            except ConnectionLost:  # the peer closes each connection, and the end of this one came late
                answer = send(new_connection=True)
    assert time.monotonic() - began < times * deadline + AT_MOST
    return answer


def answered(url: str, **how: object) -> Response:
    answer = ask(url, **how)  # type: ignore[arg-type]
    assert isinstance(answer, Response), answer
    return answer


def silent(url: str, **how: object) -> NoAnswer:
    answer = ask(url, **how)  # type: ignore[arg-type]
    assert isinstance(answer, NoAnswer), answer.status
    return answer


# ---- what comes


def test_a_response_is_kept_as_received() -> None:
    head = b"HTTP/1.1 404 Nowhere To Be Found\r\nX-B: 1\r\nx-a:  \xe9\r\nX-b: 2\r\nContent-Length: 4\r\n\r\n\x00\xff{}"
    with peer(lambda caller: caller.send(head)) as up:
        answer = answered(up.url)
    assert answer == Response(
        404,
        "Nowhere To Be Found",
        "HTTP/1.1",
        (("X-B", "1"), ("x-a", "\xe9"), ("X-b", "2"), ("Content-Length", "4")),
        b"\x00\xff{}",
    )


def test_http_1_0_ends_with_the_connection() -> None:
    with peer(lambda caller: caller.send(b"HTTP/1.0 200 OK\r\n\r\n[1,2]")) as up:
        answer = answered(up.url)
    assert (answer.http_version, answer.body, answer.body_complete) == ("HTTP/1.0", b"[1,2]", True)


def test_chunks_are_put_together() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\n[1\r\n3\r\n,2]\r\n0\r\nX-T: 1\r\n\r\n"
    with peer(lambda caller: caller.send(chunked)) as up:
        assert answered(up.url).body == b"[1,2]"


def test_a_connection_closed_after_each_response_is_handled() -> None:
    """A request may meet the old connection before its end is noticed: then it is lost, and sent on a new one."""
    with peer(lambda caller: caller.answer(b"[]")) as up, HttpClient(deadline=30) as client:
        for _ in range(5):
            try:
                answer = client.send(Outgoing("GET", up.url, [], None), new_connection=False)
            except ConnectionLost:
                answer = client.send(Outgoing("GET", up.url, [], None), new_connection=True)
            assert isinstance(answer, Response)
            assert answer.body == b"[]"
        assert up.connections == 5


def test_a_connection_is_kept_if_the_target_keeps_it() -> None:
    def keeping(caller: Caller) -> bool:
        caller.answer(b"[]")
        return True

    with peer(keeping) as up:
        answered(up.url, times=5)
        assert up.connections == 1
        answered(up.url, times=3, new_connection=True)
        assert up.connections == 4


def test_a_connection_that_cannot_be_closed_keeps_nothing_else_open(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    async def breaks(transport: httpx.AsyncHTTPTransport) -> None:
        closed.append(transport)
        raise OSError("broken")

    with peer(lambda caller: caller.answer(b"[]")) as up:
        monkeypatch.setattr(httpx.AsyncHTTPTransport, "aclose", breaks)
        with HttpClient(deadline=10) as client:
            for new_connection in (True, False):
                client.send(Outgoing("GET", up.url, [], None), new_connection=new_connection)
        assert len(closed) == 2
        assert client._loop.is_closed()


def goodbye(caller: Caller, *, reset: bool) -> bool:
    """Keep the first connection until its second request, then close it without an answer."""
    first = not caller.served
    if first:
        caller.answer(b"[]")
        return True
    if reset:
        caller.reset()
    return False


@pytest.mark.parametrize("reset", [True, False], ids=["reset", "closed"])
def test_a_request_lost_on_a_kept_connection_is_neither_an_answer_nor_silence(reset: bool) -> None:
    with peer(lambda caller: goodbye(caller, reset=reset)) as up, HttpClient(deadline=10) as client:
        assert isinstance(client.send(Outgoing("GET", up.url, [], None), new_connection=False), Response)
        with pytest.raises(ConnectionLost):
            client.send(Outgoing("GET", up.url, [], None), new_connection=False)
        assert isinstance(client.send(Outgoing("GET", up.url, [], None), new_connection=False), Response)
        assert (len(up.heads), up.connections) == (3, 2)


def test_a_reply_that_is_cut_short_on_a_kept_connection_is_silence() -> None:
    def cutting(caller: Caller) -> bool:
        caller.answer(b"[]", length=99 if caller.served else 2)
        return not caller.served

    with peer(cutting) as up:
        assert silent(up.url, times=2).kind is Silence.CUT_SHORT


def test_silence_on_a_kept_connection_is_silence() -> None:
    def hanging(caller: Caller) -> bool:
        if caller.served:
            caller.hang()
        caller.answer(b"[]")
        return True

    with peer(hanging) as up:
        assert silent(up.url, times=2, deadline=DEADLINE).kind is Silence.TIMEOUT


def test_a_post_without_a_body_says_so() -> None:
    with peer(lambda caller: caller.answer(b"{}")) as up:
        answered(up.url, method="POST")
        answered(up.url, method="POST", body=b'{"a":1}')
    assert [b"content-length: 0" in head.lower() for head in up.heads] == [True, False]
    assert b"content-length: 7" in up.heads[1].lower()


def test_a_body_goes_out_in_chunks() -> None:
    headers = [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")]
    arrived = bytearray()

    def receiving(caller: Caller) -> None:
        arrived.extend(caller.body)
        while not arrived.endswith(b"0\r\n\r\n"):
            arrived.extend(caller.sock.recv(1000))
        caller.answer(b"{}")

    with peer(receiving) as up, HttpClient(deadline=10) as client:
        outgoing = Outgoing("POST", up.url, headers, b'{"name":"Rex"}', in_chunks=True)
        assert isinstance(client.send(outgoing, new_connection=True), Response)
    assert arrived == b'7\r\n{"name"\r\n7\r\n:"Rex"}\r\n0\r\n\r\n'
    assert b"content-length" not in up.heads[0].lower()
    assert up.heads[0].lower().count(b"transfer-encoding: chunked") == 1


def test_informational_answers_are_skipped() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
    with peer(lambda caller: caller.send(early + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")) as up:
        assert answered(up.url).status == 200


def test_a_switch_of_protocols_that_nobody_asked_for_is_not_http() -> None:
    switch = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"
    with peer(lambda caller: caller.send(switch)) as up:
        assert silent(up.url, deadline=DEADLINE).kind is Silence.NOT_HTTP


def test_redirects_are_not_followed() -> None:
    with peer(lambda caller: caller.answer(b"stolen")) as other:
        elsewhere = f"Location: {other.url}\r\n".encode()
        with peer(lambda caller: caller.answer(b"", status="302 Found", headers=elsewhere)) as up:
            assert answered(up.url).status == 302
        assert other.heads == []


def test_proxies_and_cookies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    cookie = b"Set-Cookie: a=b\r\n"
    with peer(lambda caller: caller.answer(b"proxied")) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        with peer(lambda caller: caller.answer(b"direct", headers=cookie)) as up:
            assert answered(up.url, times=2).body == b"direct"
            assert b"cookie" not in up.heads[1].lower()
        assert proxy.heads == []


def test_a_netrc_does_not_replace_the_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password something\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with peer(lambda caller: caller.answer(b"[]")) as up:
        answered(up.url)
    assert b"authorization: bearer k" in up.heads[0].lower()


# ---- sizes


def packed(data: bytes, encoding: str) -> bytes:
    return {
        "gzip": gzip.compress(data),
        "x-gzip": gzip.compress(data),
        "GZIP": gzip.compress(data),
        "deflate": zlib.compress(data),
        "gzip, deflate": zlib.compress(gzip.compress(data)),
        "identity": data,
        "members": gzip.compress(data[:3]) + gzip.compress(data[3:]),
        "padded": gzip.compress(data) + b"\0" * 9,
    }[encoding]


@pytest.mark.parametrize(
    "encoding",
    [
        "gzip",
        "x-gzip",
        "GZIP",
        "deflate",
        "gzip, deflate",
        "identity",
        "members",
        "padded",
    ],
)
def test_compressed_bodies_are_decompressed(encoding: str) -> None:
    named = {"members": "gzip", "padded": "gzip"}.get(encoding, encoding)
    body = packed(b'[{"id":1}]', encoding)
    with peer(lambda caller: caller.answer(body, headers=f"Content-Encoding: {named}\r\n".encode())) as up:
        answer = answered(up.url)
    assert (answer.body, answer.body_complete, answer.encoding_broken) == (b'[{"id":1}]', True, None)


@pytest.mark.parametrize(
    ("named", "body", "why"),
    [
        ("gzip", b"[]", "Content-Encoding is gzip, but the body cannot be decoded: "),
        ("gzip", zlib.compress(b"[]"), "Content-Encoding is gzip, but the body cannot be decoded: "),
        ("deflate", gzip.compress(b"[]"), "Content-Encoding is deflate, but the body cannot be decoded: "),
        ("deflate", b"[]", "Content-Encoding is deflate, but the body cannot be decoded: "),
        ("deflate", zlib.compress(b"[]")[2:-4], "Content-Encoding is deflate, but the body cannot be decoded: "),
        (
            "gzip",
            gzip.compress(b"[" * 99)[:-4],
            "Content-Encoding is gzip, but the body cannot be decoded: it ends too early",
        ),
        ("gzip, gzip", gzip.compress(b"[]"), "Content-Encoding is gzip, but the body cannot be decoded: "),
        ("deflate, gzip", gzip.compress(b""), "Content-Encoding is deflate, but the body cannot be decoded: it ends"),
        ("deflate", zlib.compress(b"[]")[:1], "Content-Encoding is deflate, but the body cannot be decoded: it ends"),
        ("br", b"[]", "Content-Encoding is br; the request accepts only gzip, deflate"),
        ("zstd, gzip", gzip.compress(b"[]"), "Content-Encoding is zstd; the request accepts only gzip, deflate"),
        ("utf-8", b"[]", "Content-Encoding is utf-8; the request accepts only gzip, deflate"),
    ],
    ids=[
        "plain",
        "zlib as gzip",
        "gzip as deflate",
        "plain as deflate",
        "deflate without the header of zlib",
        "cut",
        "gzip once",
        "nothing",
        "a byte",
        "br",
        "zstd",
        "charset",
    ],
)
def test_a_body_that_does_not_match_its_encoding_is_kept_as_received(named: str, body: bytes, why: str) -> None:
    with peer(lambda caller: caller.answer(body, headers=f"Content-Encoding: {named}\r\n".encode())) as up:
        answer = answered(up.url)
    assert (answer.body, answer.body_complete) == (body, True)
    assert (answer.encoding_broken or "").startswith(why)


def test_an_empty_body_needs_no_encoding() -> None:
    with peer(lambda caller: caller.answer(b"", headers=b"Content-Encoding: gzip\r\n")) as up:
        assert answered(up.url).encoding_broken is None


@pytest.mark.parametrize("layers", [1, 2])
def test_a_bomb_is_decompressed_only_to_the_cap(layers: int) -> None:
    bomb = gzip.compress(b"\0" * (3 * BODY_CAP))
    for _ in range(layers - 1):
        bomb = gzip.compress(bomb)
    encodings = f"Content-Encoding: {', '.join(['gzip'] * layers)}\r\n".encode()
    with peer(lambda caller: caller.answer(bomb, headers=encodings)) as up:
        answer = answered(up.url)
    assert len(bomb) < BODY_CAP
    assert (len(answer.body), answer.body_complete) == (KEPT_OF_MORE, False)


def test_thousands_of_encodings_and_members_cost_little() -> None:
    body = gzip.compress(b"") * 100_000
    for encodings in (b"Content-Encoding: " + b"gzip, " * 5_000 + b"gzip\r\n", b"Content-Encoding: gzip\r\n"):
        with peer(lambda caller, headers=encodings: caller.answer(body, headers=headers)) as up:  # type: ignore[misc]
            answer = answered(up.url)
        assert (answer.body_complete, answer.encoding_broken) == (False, None)


@pytest.mark.parametrize(("size", "kept", "whole"), [(BODY_CAP, BODY_CAP, True), (BODY_CAP + 1, KEPT_OF_MORE, False)])
def test_a_body_is_read_up_to_the_cap(size: int, kept: int, whole: bool) -> None:
    with peer(lambda caller: caller.answer(b"x" * size)) as up:
        answer = answered(up.url)
    assert (len(answer.body), answer.body_complete) == (kept, whole)


def test_an_endless_body_is_cut_at_the_cap() -> None:
    def endless(caller: Caller) -> None:
        caller.send(b"HTTP/1.1 200 OK\r\n" + rate_headers() + b"\r\n")
        while not caller.stopping.is_set():
            caller.send(b"x" * 65536)

    with peer(endless) as up:
        answer = answered(up.url)
    assert (len(answer.body), answer.body_complete) == (KEPT_OF_MORE, False)


# ---- silence

BEGINNING = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"


def test_nothing_at_all_times_out() -> None:
    with peer(Caller.hang) as up:
        assert silent(up.url, deadline=DEADLINE) == NoAnswer(
            Silence.TIMEOUT, "no complete answer within 0.5 s: nothing was received"
        )


@pytest.mark.parametrize(
    ("beginning", "drop", "seen"),
    [
        (b"", b"HTTP/1.1 200 OK\r\nX: " + b"y" * 1000, "nothing was received"),
        (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 1000, "nothing was received"),
        (BEGINNING, b"x" * 99, "status 200 was received, but its body did not end"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100, "nothing was received"),
    ],
    ids=["status line", "headers", "body", "informational answers"],
)
def test_occasional_bytes_do_not_extend_the_deadline(beginning: bytes, drop: bytes, seen: str) -> None:
    def dripping(caller: Caller) -> None:
        caller.send(beginning)
        caller.drip(drop, every=0.05)

    with peer(dripping) as up:
        assert silent(up.url, deadline=DEADLINE) == NoAnswer(
            Silence.TIMEOUT, f"no complete answer within 0.5 s: {seen}"
        )


def test_an_endless_row_of_informational_answers_times_out() -> None:
    def endless(caller: Caller) -> None:
        while not caller.stopping.is_set():
            caller.send(b"HTTP/1.1 102 Processing\r\n\r\n" * 50)

    with peer(endless) as up:
        assert silent(up.url, deadline=DEADLINE).kind is Silence.TIMEOUT


def test_a_connection_closed_at_once() -> None:
    with peer(lambda caller: None) as up:
        assert silent(up.url) == NoAnswer(Silence.RESET, "the connection was closed without an answer")


def test_a_reset_before_the_answer() -> None:
    with peer(Caller.reset) as up:
        assert silent(up.url).kind is Silence.RESET


def test_a_reset_within_the_body() -> None:
    def resetting(caller: Caller) -> None:
        caller.send(BEGINNING + b"x" * 10)
        time.sleep(0.2)
        caller.reset()

    with peer(resetting) as up:
        answer = silent(up.url)
    assert answer.kind in (Silence.RESET, Silence.CUT_SHORT)
    assert "status 200 was received, but its body did not end" in answer.detail


def test_a_body_that_is_shorter_than_its_length() -> None:
    with peer(lambda caller: caller.send(BEGINNING + b"x" * 10)) as up:
        answer = silent(up.url)
    assert answer.kind is Silence.CUT_SHORT
    assert answer.detail.startswith("status 200 was received, but its body did not end: ")
    assert "received 10 bytes, expected 100" in answer.detail


def test_chunks_that_stop_short() -> None:
    with peer(lambda caller: caller.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")) as up:
        assert silent(up.url).kind is Silence.CUT_SHORT


def test_bytes_after_the_length_are_not_part_of_the_answer() -> None:
    with peer(lambda caller: caller.answer(b'[] {"id":7}', length=2)) as up:
        assert answered(up.url).body == b"[]"
        # on the same connection, if the peer has not closed it yet, it would be mistaken for the next answer
        again = ask(up.url, times=2)
        assert again.body == b"[]" if isinstance(again, Response) else again.kind is Silence.NOT_HTTP


@pytest.mark.parametrize(
    "garbage",
    [
        b"SSH-2.0-OpenSSH_9.0\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,
        b"\x00" * 1000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",
    ],
    ids=lambda garbage: repr(garbage[:40]) + str(len(garbage)),
)
def test_what_is_not_http(garbage: bytes) -> None:
    with peer(lambda caller: caller.send(garbage)) as up:
        assert silent(up.url).kind is Silence.NOT_HTTP


@pytest.mark.parametrize(
    "long", [b"X-Filler: yyyyyyyyyyyyyyyyyyyyyyyy\r\n" * 50_000 + b"\r\n", b"X-Filler: " + b"y" * 500_000]
)
def test_headers_that_are_too_long_to_read(long: bytes) -> None:
    with peer(lambda caller: caller.send(b"HTTP/1.1 200 OK\r\n" + long)) as up:
        assert str(silent(up.url)) == "unread: its headers are longer than 100 KiB, the most that petcheck reads"


def test_nobody_listens() -> None:
    with closed_port() as port:
        assert silent(f"http://127.0.0.1:{port}/v1").kind is Silence.UNREACHABLE


@pytest.mark.parametrize(
    "url",
    ["http://no-such-host.invalid/v1", "http://a..b/v1", "http://xn--/v1", "http://①.example/v1", "http://[v1.x]/"],
)
def test_a_host_that_cannot_be_found(url: str) -> None:
    assert silent(url).kind is Silence.UNREACHABLE


# ---- TLS


@pytest.fixture(scope="module")
def certificates() -> Path:
    return folder_made_once("certificates", issue)


@pytest.fixture
def served_by(certificates: Path, request: pytest.FixtureRequest) -> Iterator[Peer]:
    with peer(lambda caller: caller.answer(b"[]", headers=JSON), tls=showing(certificates, request.param)) as up:
        yield up


def https(up: Peer) -> str:
    return up.url.replace("http:", "https:")


@pytest.mark.parametrize("served_by", ["here"], indirect=True)
def test_a_named_authority_is_trusted(served_by: Peer, certificates: Path) -> None:
    assert answered(https(served_by), ca_bundle=certificates / "ca.pem").body == b"[]"


@pytest.mark.parametrize("served_by", ["here"], indirect=True)
def test_an_authority_that_was_not_named_is_not_trusted(served_by: Peer) -> None:
    answer = silent(https(served_by))
    assert answer.kind is Silence.TLS
    assert answer.detail.endswith("; use --ca-bundle to name the authority that signed the certificate")
    assert served_by.heads == []


@pytest.fixture(params=["file", "folder"])
def stored(certificates: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The authority is in the store of the system, as far as OpenSSL can tell. truststore reads the folder."""
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "ca.pem").write_bytes((certificates / "ca.pem").read_bytes())
    openssl("rehash", ".", cwd=tmp_path / "store")
    there, absent = str(tmp_path / "store"), str(tmp_path / "absent")
    monkeypatch.setenv("SSL_CERT_FILE", f"{there}/ca.pem" if request.param == "file" else absent)
    monkeypatch.setenv("SSL_CERT_DIR", absent if request.param == "file" else there)


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("served_by", ["here"], indirect=True)
def test_the_authorities_of_the_system_are_trusted(served_by: Peer, request: pytest.FixtureRequest) -> None:
    assert answered(https(served_by), times=2).body == b"[]"
    by_truststore = isinstance(_trusting(None), truststore.SSLContext)
    assert by_truststore is (sys.platform in ("darwin", "win32") or "folder" in request.node.name)


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("served_by", ["here"], indirect=True)
def test_with_a_bundle_the_authorities_of_the_system_are_not_trusted(
    served_by: Peer, certificates: Path, tmp_path: Path
) -> None:
    openssl("req", "-x509", *NEW, "-keyout", "other.key", "-out", "other.pem", "-subj", "/CN=Other", cwd=tmp_path)
    assert silent(https(served_by), ca_bundle=tmp_path / "other.pem").kind is Silence.TLS
    assert served_by.heads == []


@pytest.mark.parametrize("served_by", ["here"], indirect=True)
def test_an_authority_that_other_programs_are_told_of_is_not_trusted(
    served_by: Peer, certificates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"):
        monkeypatch.setenv(variable, str(certificates / "ca.pem"))
    assert silent(https(served_by)).kind is Silence.TLS
    assert served_by.heads == []


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("served_by", ["here"], indirect=True)
def test_nothing_that_decrypts_the_connection_is_written(
    served_by: Peer, certificates: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: bool
) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "secrets"))
    assert answered(https(served_by), ca_bundle=certificates / "ca.pem" if named else None).status == 200
    assert not (tmp_path / "secrets").exists()


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("served_by", ["here"], indirect=True)
def test_a_proxy_of_the_environment_is_not_used_for_https(served_by: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    with peer(lambda caller: caller.answer(b"proxied")) as proxy:
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert answered(https(served_by)).body == b"[]"
        assert (proxy.heads, proxy.connections) == ([], 0)


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("served_by", ["elsewhere", "expired"], indirect=True)
def test_names_and_dates_are_verified_with_the_authorities_of_the_system(served_by: Peer) -> None:
    answer = silent(https(served_by))
    assert answer.kind is Silence.TLS
    assert "--ca-bundle" not in answer.detail
    assert served_by.heads == []


@pytest.mark.parametrize(
    ("code", "helps"),
    [(-67843, True), (0x800B0109, True), (0x800B010A, True), (-67818, False), (0x800B0101, False), (0x800B010F, False)],
    ids=["macOS", "Windows", "Windows, chain", "macOS, expired", "Windows, expired", "Windows, name"],
)
def test_what_other_systems_say_of_a_certificate_is_told_with_what_to_do(code: int, helps: bool) -> None:
    error = ssl.SSLCertVerificationError("the system says no")
    error.verify_code, error.verify_message = code, "the system says no"
    answer = silence_of(error, "nothing was received")
    assert answer.detail.startswith("the system says no")
    assert ("use --ca-bundle" in answer.detail) == helps


@pytest.mark.parametrize(
    ("served_by", "said"),
    [
        ("expired", "certificate has expired"),
        ("elsewhere", "'127.0.0.1'; put the name that the certificate has into the base URL"),
        ("alone", "unable to get local issuer certificate"),
    ],
    indirect=["served_by"],
)
def test_an_invalid_certificate(served_by: Peer, said: str, certificates: Path) -> None:
    answer = silent(https(served_by), ca_bundle=certificates / "ca.pem")
    assert answer.kind is Silence.TLS
    assert said in answer.detail
    assert ("--ca-bundle" in answer.detail) == ("issuer" in said)
    assert served_by.heads == []


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (
            ssl.TLSVersion.TLSv1_2,
            "the server may ask for a client certificate; give one that it accepts with --client-cert",
        ),
        (
            ssl.TLSVersion.TLSv1_3,
            "the server asks for a client certificate; give one that it accepts with --client-cert",
        ),
    ],
)
def test_a_required_client_certificate(version: ssl.TLSVersion, said: str, certificates: Path) -> None:
    context = showing(certificates, "here")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(certificates / "ca.pem")
    context.minimum_version = context.maximum_version = version
    with peer(lambda caller: caller.answer(b"[]"), tls=context) as up:
        answer = silent(https(up), ca_bundle=certificates / "ca.pem")
    assert answer.kind is Silence.TLS
    assert said in answer.detail
    assert up.heads == []


@pytest.mark.parametrize("served_by", ["here"], indirect=True)
def test_plain_http_to_a_port_that_speaks_tls(served_by: Peer) -> None:
    assert silent(served_by.url).kind in (Silence.NOT_HTTP, Silence.RESET)


def test_tls_to_a_port_that_speaks_plain_http() -> None:
    with peer(lambda caller: caller.send(b"HTTP/1.1 400 Bad Request\r\n\r\n"), on_accept=True) as up:
        assert silent(https(up)).kind is Silence.TLS
