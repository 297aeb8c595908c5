"""The ways to a server on real sockets: client certificates, and forward proxies for http and https."""

from __future__ import annotations

import base64
import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from petcheck.exchange import NoAnswer, Response, Silence
from petcheck.wire.client import HttpClient, Outgoing
from tests.support.certificates import issue, showing
from tests.support.once import folder_made_once
from tests.support.peers import JSON, Behaviour, Caller, Peer, closed_port, peer
from tests.support.proxies import LOGIN_DEMANDED, forwarding

LOGIN = "ann:p@ss-word/7"
IN_URL = "ann:p%40ss-word%2F7"
KEY = [("Authorization", "Bearer k-123")]


@pytest.fixture(scope="module")
def certificates() -> Path:
    return folder_made_once("certificates", issue)


def https(up: Peer) -> str:
    return up.url.replace("http:", "https:")


def through(up: Peer, login: str = "") -> str:
    return f"http://{login}{'@' if login else ''}{up.host}:{up.port}"


def sent(url: str, deadline: float = 5.0, **how: Any) -> Response | NoAnswer:
    with HttpClient(deadline=deadline, **how) as client:
        return client.send(Outgoing("GET", url, KEY, None), new_connection=False)


def good(caller: Caller) -> bool:
    caller.answer(b"[]", headers=JSON)
    return True


def demanding(certificates: Path, version: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3) -> ssl.SSLContext:
    """A server's context that accepts only clients with a certificate of our authority."""
    context = showing(certificates, "here")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(certificates / "ca.pem")
    context.minimum_version = context.maximum_version = version
    return context


def burst(url: str, number: int, **how: Any) -> list[Response | NoAnswer]:
    with HttpClient(deadline=5, **how) as client:
        going = [Outgoing("GET", url, KEY, None)] * number
        return [one.answer for one in client.send_together(going, lambda: (datetime.now(UTC), time.monotonic()))]


# ---- certificates


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("in_one_file", [True, False])
def test_a_client_certificate_opens_the_server(
    version: ssl.TLSVersion, in_one_file: bool, certificates: Path, tmp_path: Path
) -> None:
    both = tmp_path / "both.pem"
    both.write_bytes((certificates / "here.key").read_bytes() + (certificates / "here.pem").read_bytes())
    files: dict[str, Any] = {"client_cert": both} if in_one_file else {"client_cert": certificates / "here.pem"}
    files |= {} if in_one_file else {"client_key": certificates / "here.key"}
    with peer(good, tls=demanding(certificates, version)) as up:
        answer = sent(https(up), ca_bundle=str(certificates / "ca.pem"), **files)
        several = burst(https(up), 4, ca_bundle=str(certificates / "ca.pem"), **files)
    assert [one.status for one in (answer, *several) if isinstance(one, Response)] == [200] * 5


@pytest.mark.parametrize("name", ["elsewhere", "expired"])
def test_a_client_certificate_that_the_server_refuses(name: str, certificates: Path, tmp_path: Path) -> None:
    context = demanding(certificates)
    if name == "elsewhere":  # of an authority that the server does not know
        issue(tmp_path)
        context = demanding(tmp_path)
    with peer(good, tls=context) as up:
        authority = tmp_path if name == "elsewhere" else certificates
        answer = sent(
            https(up),
            ca_bundle=str(authority / "ca.pem"),
            client_cert=certificates / f"{name}.pem",
            client_key=certificates / f"{name}.key",
        )
    assert isinstance(answer, NoAnswer)
    assert answer.kind is Silence.TLS
    assert answer.detail.endswith(
        "; the server refuses the client certificate; give one that it accepts with --client-cert"
    )


# ---- proxies


def test_a_proxy_forwards_http() -> None:
    with peer(good) as up, peer(forwarding(LOGIN)) as proxy:
        answer = sent(f"{up.url}/pets", proxy=through(proxy, IN_URL))
    assert isinstance(answer, Response)
    assert proxy.heads[0].startswith(f"GET {up.url}/pets HTTP/1.1\r\n".encode())
    assert base64.b64encode(LOGIN.encode()) in proxy.heads[0]
    assert b"Bearer k-123" in up.heads[0]


def test_a_proxy_opens_a_tunnel_for_https_and_sees_nothing_in_it(certificates: Path) -> None:
    how = {
        "ca_bundle": str(certificates / "ca.pem"),
        "client_cert": certificates / "here.pem",
        "client_key": certificates / "here.key",
    }
    with (
        peer(good, tls=demanding(certificates)) as up,
        peer(forwarding(LOGIN)) as proxy,
        HttpClient(deadline=5, proxy=through(proxy, IN_URL), **how) as client,  # type: ignore[arg-type]
    ):
        answers = [client.send(Outgoing("GET", https(up), KEY, None), new_connection=False) for _ in range(3)]
    assert [answer.status for answer in answers if isinstance(answer, Response)] == [200, 200, 200]
    assert [head.split(b"\r\n")[0] for head in proxy.heads] == [f"CONNECT 127.0.0.1:{up.port} HTTP/1.1".encode()]
    assert b"k-123" not in b"".join(proxy.heads)
    assert len(up.heads) == 3


@pytest.mark.parametrize("tls", [False, True])
def test_a_burst_through_a_proxy_meets_at_the_target(tls: bool, certificates: Path) -> None:
    under_way, most = [0], [0]

    def together(caller: Caller) -> None:
        under_way[0] += 1
        most[0] = max(most[0], under_way[0])
        caller.stopping.wait(0.3)
        under_way[0] -= 1
        caller.answer(b"[]", headers=JSON)

    context = showing(certificates, "here") if tls else None
    with peer(together, tls=context) as up, peer(forwarding()) as proxy:
        url = https(up) if tls else up.url
        answers = burst(url, 4, proxy=through(proxy), ca_bundle=str(certificates / "ca.pem"))
    assert [answer.status for answer in answers if isinstance(answer, Response)] == [200] * 4
    assert most[0] == 4


FAULTS: dict[str, tuple[Behaviour, bool, str]] = {
    "that wants a login": (
        lambda caller: caller.send(LOGIN_DEMANDED),
        False,
        "refuses the request (407 Proxy Authentication Required)",
    ),
    "that wants a login for a tunnel": (
        lambda caller: caller.send(LOGIN_DEMANDED),
        True,
        "refuses to connect to pets.example (407 Proxy Authentication Required)",
    ),
    "that cannot connect": (
        lambda caller: caller.send(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"),
        True,
        "refuses to connect to pets.example (502 Bad Gateway)",
    ),
    **{
        f"that {fault}{' a tunnel' if tls else ''}": (behaviour, tls, said)
        for tls in (False, True)
        for fault, behaviour, said in (
            (
                "speaks no HTTP",
                lambda caller: caller.send(b"SSH-2.0-OpenSSH_9.0\r\n\r\n"),
                "gives no connection (not HTTP",
            ),
            ("closes", lambda caller: None, "gives no connection (reset: the connection was closed"),
        )
    },
    "that hangs": (Caller.hang, True, "gives no connection within 0.5 s"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_proxy_is_named_as_the_cause(fault: str) -> None:
    behaviour, tls, said = FAULTS[fault]
    url = f"http{'s' * tls}://pets.example/v1"
    with peer(behaviour) as proxy:
        answer = sent(url, 0.5 if "hangs" in fault else 5, proxy=through(proxy, IN_URL))
        assert isinstance(answer, NoAnswer)
        assert (answer.kind, answer.detail.startswith(f"the proxy {through(proxy)} {said}")) == (Silence.PROXY, True), (
            answer
        )


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_is_not_there(scheme: str) -> None:
    with closed_port() as port:
        proxy = f"http://127.0.0.1:{port}"
        answer = sent(f"{scheme}://pets.example/v1", proxy=proxy)
    assert isinstance(answer, NoAnswer)
    assert answer.kind is Silence.PROXY
    assert answer.detail.startswith(f"the proxy {proxy} gives no connection (unreachable: ")


HANGS: dict[str, Callable[[Caller], object]] = {"hangs": Caller.hang, "resets": Caller.reset}


@pytest.mark.parametrize("fault", HANGS)
def test_silence_of_the_server_behind_a_proxy_is_not_the_proxys(fault: str, certificates: Path) -> None:
    def at_second(caller: Caller) -> object:
        return HANGS[fault](caller) if caller.path.endswith("/2") else good(caller)

    with peer(at_second, tls=showing(certificates, "here")) as up, peer(forwarding()) as proxy:
        how = {"deadline": 0.5, "proxy": through(proxy), "ca_bundle": str(certificates / "ca.pem")}
        with HttpClient(**how) as client:  # type: ignore[arg-type]
            first, second = (
                client.send(Outgoing("GET", f"{https(up)}/{number}", KEY, None), new_connection=True)
                for number in (1, 2)
            )
    assert isinstance(first, Response)
    assert isinstance(second, NoAnswer)
    assert second.kind in (Silence.TIMEOUT, Silence.RESET)
