"""Real sockets: the server starts and stops without delay, and sends exactly the intended bytes."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from petstore_reference import uvicorn_server
from petstore_reference.serve import LateStart, running, serve
from petstore_reference.server import create_app
from tests.support.ground import BEARER, client, settings

Send = Callable[[dict[str, Any]], Awaitable[None]]
REQUEST = f"GET /v1/pets/1 HTTP/1.1\r\nHost: x\r\nAuthorization: {BEARER}\r\n\r\n".encode()


def raw(url: str, request: bytes = REQUEST, until: bytes | None = None) -> bytes:
    """The bytes of the response, until the server closes the connection or `until` appears."""
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall(request)
        received = b""
        while piece := connection.recv(65536):
            received += piece
            if until and until in received:
                break
    return received


def test_started_and_stopped_at_once_with_a_connection_open() -> None:
    with running(create_app(settings())):
        pass  # this imports uvicorn
    began = time.perf_counter()
    with running(create_app(settings())) as url, client(f"{url}/v1") as http:
        assert http.get("/pets").status_code == 200
        served = time.perf_counter()
        ending = running(create_app(settings()))
        with ending as other:
            socket.create_connection(("127.0.0.1", int(other.rpartition(":")[2]))).close()
    assert served - began < 0.5
    assert time.perf_counter() - served < 0.2


def test_a_stopped_server_is_gone() -> None:
    with running(create_app(settings())) as url:
        pass
    with pytest.raises(httpx.ConnectError):
        httpx.get(url, trust_env=False)


def test_a_hanging_request_does_not_delay_the_end() -> None:
    async def hanging(scope: dict[str, Any], receive: Any, send: Send) -> None:
        if scope["type"] == "http":
            entered.set()
            await receive()
            await receive()

    entered = threading.Event()
    with running(hanging) as url:  # type: ignore[arg-type]
        host, _, port = url.removeprefix("http://").partition(":")
        connection = socket.create_connection((host, int(port)), timeout=5)
        connection.sendall(REQUEST)
        assert entered.wait(5)
        began = time.perf_counter()
    assert time.perf_counter() - began < 0.2
    connection.close()


def test_any_asgi_application_with_its_lifespan() -> None:
    seen = []

    async def application(scope: dict[str, Any], receive: Any, send: Send) -> None:
        if scope["type"] == "lifespan":
            for event in ("startup", "shutdown"):
                await receive()
                seen.append(event)
                await send({"type": f"lifespan.{event}.complete"})
        else:
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})

    with running(application) as url:  # type: ignore[arg-type]
        response = httpx.get(url, trust_env=False)
        assert (response.status_code, "date" in response.headers) == (204, True)
    assert seen == ["startup", "shutdown"]


def test_an_application_that_does_not_start() -> None:
    async def broken(scope: dict[str, Any], receive: Any, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no"})

    with pytest.raises(RuntimeError, match="the application did not start"), running(broken):  # type: ignore[arg-type]
        pytest.fail("it runs")


def blocked(seconds: float) -> Callable[[], Awaitable[None]]:
    async def block() -> None:
        time.sleep(seconds)  # not asyncio's: the application blocks its loop

    return block


async def for_ever() -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("waits", [for_ever, blocked(0.5)])
def test_an_application_that_does_not_start_in_time(
    waits: Callable[[], Awaitable[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(scope: dict[str, Any], receive: Any, send: Send) -> None:
        await receive()
        await waits()

    monkeypatch.setattr(uvicorn_server, "START_S", 0.1)
    monkeypatch.setattr("petstore_reference.serve._BLOCKED_S", 0.1)
    with pytest.raises(LateStart, match=r"^the application did not start within 0\.1 s$"), running(slow):  # type: ignore[arg-type]
        pytest.fail("it runs")


@pytest.mark.parametrize("waits", [for_ever, blocked(3)])
def test_an_application_that_does_not_end_in_time(
    waits: Callable[[], Awaitable[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(scope: dict[str, Any], receive: Any, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await waits()

    monkeypatch.setattr(uvicorn_server, "END_S", 0.1)
    monkeypatch.setattr("petstore_reference.serve._BLOCKED_S", 0.4)
    with running(slow):  # type: ignore[arg-type]
        began = time.perf_counter()
    assert time.perf_counter() - began < 2


def test_two_servers_side_by_side() -> None:
    with running(create_app(settings(animals=1))) as one, running(create_app(settings(animals=2))) as two:
        assert [len(client(f"{url}/v1").get("/pets").json()) for url in (one, two)] == [1, 2]


def test_nothing_is_logged(capfd: pytest.CaptureFixture[str]) -> None:
    async def failing(scope: dict[str, Any], receive: Any, send: Send) -> None:
        raise ZeroDivisionError

    with running(failing) as url:  # type: ignore[arg-type]
        assert httpx.get(url, trust_env=False).status_code == 500
        assert raw(url, b"not HTTP\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert capfd.readouterr() == ("", "")


def test_serving_until_interrupted() -> None:
    program = (
        "from petstore_reference.serve import serve\n"
        "from petstore_reference.server import ReferenceSettings, create_app\n"
        "serve(create_app(ReferenceSettings({'k': 'free'})), port=0, announce=lambda url: print(url, flush=True))\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdout is not None
        url = server.stdout.readline().decode().strip()
        assert httpx.get(f"{url}/v1/pets", trust_env=False).status_code == 401
        server.send_signal(2)
        out, err = server.communicate(timeout=5)
    assert (server.returncode, out, err) == (0, b"", b"")


def test_a_port_that_is_taken() -> None:
    with running(create_app(settings())) as url, pytest.raises(OSError, match="in use"):
        serve(create_app(settings()), port=int(url.rpartition(":")[2]))


def test_imports_happen_when_needed() -> None:
    program = (
        "import sys, petstore_reference.server, petstore_reference.serve\n"
        "print(sorted(sys.modules.keys() & {'uvicorn', 'h11', 'httpx', 'pytest', 'yaml'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# ---- variations and faults below HTTP


def test_header_names_keep_their_letter_case() -> None:
    with running(create_app(settings())) as url:
        assert b"\r\nX-RateLimit-Limit: 60\r\n" in raw(url, until=b"}")
    with running(create_app(settings(variations=("headers-upper-case",)))) as url:
        assert b"\r\nX-RATELIMIT-LIMIT: 60\r\n" in raw(url, until=b"}")


def test_http_1_0() -> None:
    with running(create_app(settings(variations=("http-1.0",)))) as url:
        received = raw(url)
    assert received.startswith(b"HTTP/1.0 200 OK\r\n")
    assert received.endswith(b"}")


def test_closed_without_notice() -> None:
    with running(create_app(settings(variations=("close-without-notice",)))) as url:
        received = raw(url)
    assert received.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"connection" not in received.lower()


def test_closed_with_notice() -> None:
    with running(create_app(settings(variations=("close-with-notice",)))) as url:
        assert b"\r\nConnection: close\r\n" in raw(url)


def test_chunked() -> None:
    with running(create_app(settings(variations=("chunked",)))) as url:
        head, _, body = raw(url, until=b"\r\n0\r\n\r\n").partition(b"\r\n\r\n")
        assert b"chunked" in head.lower()
        assert b"content-length" not in head.lower()
        assert len(body.split(b"\r\n")) == 7  # two pieces, each with its length, and the end
        assert client(f"{url}/v1").get("/pets/1").json()["id"] == 1


def test_gzip() -> None:
    with running(create_app(settings(variations=("gzip",)))) as url, client(f"{url}/v1") as http:
        response = http.get("/pets/1")
        assert (response.headers["content-encoding"], response.json()["id"]) == ("gzip", 1)
        assert "content-encoding" not in http.get("/pets/1", headers={"Accept-Encoding": "identity"}).headers


def test_reason_phrases() -> None:
    with running(create_app(settings(variations=("odd-reason-phrase",)))) as url:
        assert raw(url, until=b"}").startswith(b"HTTP/1.1 200 So Far So Good\r\n")
    with running(create_app(settings(variations=("no-reason-phrase",)))) as url:
        assert raw(url, until=b"}").startswith(b"HTTP/1.1 200 \r\n")


def test_early_hints() -> None:
    with running(create_app(settings(variations=("early-hints",)))) as url, client(f"{url}/v1") as http:
        assert raw(url, until=b"}").startswith(b"HTTP/1.1 103 Early Hints\r\n")
        assert [http.get("/pets/1").status_code for _ in range(2)] == [200, 200]


def test_slow() -> None:
    with running(create_app(settings(variations=("slow",)))) as url, client(f"{url}/v1") as http:
        began = time.perf_counter()
        assert http.get("/pets/1").status_code == 200
        assert time.perf_counter() - began >= 0.05


@pytest.mark.parametrize("variations", [(), ("early-hints",)])
def test_an_aborted_connection(variations: tuple[str, ...]) -> None:
    faulty = settings(faults=("get-aborted",), variations=variations)
    with running(create_app(faulty)) as url, client(f"{url}/v1") as http:
        assert raw(url) == b""
        assert http.get("/pets/0").status_code == 404
        assert http.get("/pets").status_code == 200


def test_a_skewed_clock() -> None:
    with running(create_app(settings(variations=("clock-ahead",)))) as url, client(f"{url}/v1") as http:
        headers = http.get("/pets/1").headers
        assert len(headers.get_list("date")) == 1
        assert 480 < int(headers["x-ratelimit-reset"]) - time.time() <= 541
