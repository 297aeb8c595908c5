"""Runs on servers that are reached as staging is: with more headers, client certificates and a proxy."""

from __future__ import annotations

import json
import re
import ssl
import subprocess
from pathlib import Path

import pytest

import petcheck as public
from tests.support.certificates import issue, showing
from tests.support.command import KEY, Ran, environment
from tests.support.forked import petcheck
from tests.support.once import folder_made_once
from tests.support.peers import Caller, Peer, closed_port, peer
from tests.support.proxies import forwarding
from tests.system.test_hostile_peers import echo, store
from tests.system.test_key_canary import assert_no_key

TOKEN = "gateway-T0k3n/Hq8vXw2TzR9mPb"
PASSWORD = "pr0xy-Pa55word+Lc4YdHs3"
LOGIN, IN_URL = f"ann:{PASSWORD}", "ann:pr0xy-Pa55word%2BLc4YdHs3"
EXCHANGES = "exchanges.jsonl"


@pytest.fixture(scope="module")
def certificates() -> Path:
    return folder_made_once("certificates", issue)


def through(up: Peer, login: str = IN_URL) -> str:
    return f"http://{login}@{up.host}:{up.port}"


def entries(ran: Ran, file: str = EXCHANGES) -> list[dict[str, object]]:
    return [one for one in map(json.loads, (ran.reports / file).read_text().splitlines()) if "request" in one]


def guarded(caller: Caller) -> None:
    """A store behind a gateway that wants two headers."""
    if (caller.header("X-Environment"), caller.header("X-Gateway-Token")) != ("blue", TOKEN):
        caller.send(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
    else:
        store(caller)


HEADERS = ("--header", "X-Environment=blue", "--header", f"X-Gateway-Token={TOKEN}")


def test_what_is_secret_beside_the_key_appears_nowhere(tmp_path: Path) -> None:
    with peer(echo) as up, peer(forwarding(LOGIN)) as proxy:
        given = ["--target", up.url, "--allow-writes", *HEADERS, "--proxy", through(proxy)]
        ran = petcheck(tmp_path, *given, "--tb=long", "--showlocals", "-v", "-s")
        assert all(TOKEN.encode() in head for head in up.heads)
        assert any(b"Proxy-Authorization: Basic " in head for head in proxy.heads)
    assert ran.code == 1
    for secret in (KEY, TOKEN, PASSWORD):
        assert_no_key(ran, secret)
    head = json.loads((ran.reports / EXCHANGES).read_text().splitlines()[0])["petcheck"]
    assert head["options"]["header"] == ["X-Environment=blue", "X-Gateway-Token=$PETSTORE_HEADER_X_GATEWAY_TOKEN"]
    assert head["options"]["proxy"] == through(proxy, "$PETSTORE_PROXY_LOGIN")
    assert petcheck(tmp_path, "verify", "reports").code == 0


def test_an_application_that_does_not_start_puts_no_secret_header_anywhere(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(
        "import os\ndef refused(said):\n    raise OSError(os.environ['PETSTORE_GATEWAY'])\n"
        "async def app(scope, receive, send):\n    refused(scope)\n"
        "from starlette.applications import Starlette\nunready = Starlette(lifespan=refused)\n"
    )
    (tmp_path / "bad_shop.py").write_text("import shop\nshop.refused('no')\n")
    header, more = ("--header", "X-Gateway-Token=$PETSTORE_GATEWAY"), {"PETSTORE_GATEWAY": TOKEN}
    for app in ("bad_shop:app", "shop:unready"):
        ran = petcheck(tmp_path, "--app", app, *header, "-v", "-s", more=more)
        assert ran.code == 6
        assert f"--app {app} does not start: OSError: [redacted-key]" in " ".join(ran.out.split())
        assert_no_key(ran, TOKEN)


def test_a_proxy_that_echoes_its_login_does_not_put_it_into_a_file(tmp_path: Path) -> None:
    def telling(caller: Caller) -> None:
        said = f"{caller.head.decode()} {LOGIN}".replace("\r\n", " ")
        caller.answer(said.encode(), status=f"403 {said[-200:]}", headers=b"X-Said: " + said.encode() + b"\r\n")

    for scheme in ("http", "https"):
        with peer(telling) as proxy:
            folder = tmp_path / scheme
            ran = petcheck(folder, "--target", f"{scheme}://127.0.0.1:9/v1", "--proxy", through(proxy), "-v")
        assert ran.code == 6
        assert_no_key(ran, PASSWORD, frozenset({"result.json"}))


def test_headers_open_a_gateway_and_stand_in_every_curl_line(tmp_path: Path) -> None:
    with peer(guarded) as up:
        assert petcheck(tmp_path / "without", "--target", up.url).code == 6
        before = len(up.heads)
        ran = petcheck(tmp_path, "--target", up.url, *HEADERS, "--traceparent")
        assert ran.code == 0, ran.out
        traces = [re.findall(rb"\ntraceparent: (00-[0-9a-f]{32}-[0-9a-f]{16}-01)\r", one) for one in up.heads[before:]]
        recorded = entries(ran)
        first = recorded[0]["_petcheck"]["curl"]  # type: ignore[index]
        assert "-H 'X-Environment: blue' -H \"X-Gateway-Token: $PETSTORE_HEADER_X_GATEWAY_TOKEN\"" in first
        more = {"PETSTORE_HEADER_X_GATEWAY_TOKEN": TOKEN}
        done = subprocess.run(["sh", "-c", first], env=environment(KEY, more), capture_output=True, check=False)
        assert done.stdout.startswith(b"HTTP/1.1 200")
        lost = petcheck(tmp_path, "replay", "reports", "0")
        assert lost.last_line_of_trouble.endswith(
            "--header: PETSTORE_HEADER_X_GATEWAY_TOKEN is not set; put the value into it"
        )
        again = petcheck(tmp_path, "replay", "reports", "0", more=more)
        assert (again.code, "changed  nothing" in again.out) == (0, True), again.out
    page = (ran.reports / "report.html").read_text()
    told = {one["value"] for each in recorded for one in each["request"]["headers"] if one["name"] == "traceparent"}  # type: ignore[index]
    assert {found[0].decode() for found in traces} == told
    assert len(told) == len(recorded)
    assert sum(one in page for one in told) > len(told) / 2
    said = "--header X-Environment=blue, --header X-Gateway-Token=$PETSTORE_HEADER_X_GATEWAY_TOKEN"
    assert f"<dt>target reached with</dt><dd>{said}</dd>" in page


def test_a_mutual_handshake_through_a_proxy(certificates: Path, tmp_path: Path) -> None:
    context = showing(certificates, "here")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(certificates / "ca.pem")
    key = certificates / "here.key"
    files = ["--ca-bundle", str(certificates / "ca.pem"), "--client-cert", str(certificates / "here.pem")]
    with peer(store, tls=context) as up, peer(forwarding(LOGIN)) as proxy:
        url = up.url.replace("http", "https")
        given = ["--target", url, *files, "--client-key", str(key), "--proxy", through(proxy)]
        plan = petcheck(tmp_path / "dry", *given, "--dry-run")
        assert proxy.heads == []
        ran = petcheck(tmp_path, *given)
        shown = through(proxy, "$PETSTORE_PROXY_LOGIN")
        curl = entries(ran)[0]["_petcheck"]["curl"]  # type: ignore[index]
        assert f'--key "$PETSTORE_CLIENT_KEY" --proxy "{shown}" \'{url}/pets\'' in curl
        more = {"PETSTORE_CLIENT_KEY": str(key), "PETSTORE_PROXY_LOGIN": IN_URL}
        done = subprocess.run(["sh", "-c", curl], env=environment(KEY, more), capture_output=True, check=False)
        assert b"HTTP/1.1 200 OK\r\nContent" in done.stdout, done.stderr
        again = petcheck(tmp_path, "replay", "reports", "0", more=more)
        assert again.code == 0, again.err
    assert ran.code == 0, ran.out
    assert f"--client-key $PETSTORE_CLIENT_KEY, --proxy {shown}" in " ".join(plan.out.split())
    assert all(head.startswith(b"CONNECT ") for head in proxy.heads)
    for name, content in ran.written().items():
        assert str(key).encode() not in content, name
        assert PASSWORD.encode() not in content, name


@pytest.mark.parametrize(
    "several",
    [
        pytest.param(["-n", "2"], marks=pytest.mark.slow),
        ["-n", "2", "--target", "c=URL", "--target", "d=URL", "--target", "e=URL"],
    ],
)
def test_worker_processes_reach_it_too(several: list[str], tmp_path: Path) -> None:
    with peer(guarded) as up, peer(forwarding(LOGIN)) as proxy:
        targets = [word.replace("URL", up.url) for word in ("--target", "a=URL", "--target", "b=URL", *several)]
        ran = petcheck(tmp_path, *targets, *HEADERS, "--proxy", through(proxy), "-k", "test_9 or test_page_is")
        assert all(TOKEN.encode() in head for head in up.heads)
    assert ran.code == 0, ran.out + ran.err
    for name, content in ran.written().items():
        assert TOKEN.encode() not in content, name
        assert PASSWORD.encode() not in content, name


def test_targets_of_a_file_have_their_own_way(tmp_path: Path) -> None:
    with peer(guarded) as up, peer(store) as plain, peer(forwarding()) as proxy:
        (tmp_path / "petcheck.toml").write_text(
            f'[targets.blue]\nurl = "{up.url}"\nproxy = "http://127.0.0.1:{proxy.port}"\n'
            'header = ["X-Environment=blue", "X-Gateway-Token=$PETSTORE_GATEWAY"]\n'
            f'[targets.plain]\nurl = "{plain.url}"\n'
        )
        ran = petcheck(tmp_path, more={"PETSTORE_GATEWAY": TOKEN})
        assert b"X-Environment" not in b"".join(plain.heads)
        assert [head.split(b" ")[1].startswith(up.url.encode()) for head in proxy.heads] == [True] * len(up.heads)
        again = petcheck(tmp_path, "replay", "reports", "blue#0", more={"PETSTORE_GATEWAY": TOKEN})
    assert (ran.code, again.code) == (0, 0), ran.out + again.err
    assert "$PETSTORE_GATEWAY" in (ran.reports / EXCHANGES).read_text()
    assert TOKEN.encode() not in b"".join(ran.written().values())


def test_a_call_from_python_shows_no_secret_on_a_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[str]] = []
    started = subprocess.Popen
    monkeypatch.setattr(
        "petcheck.embed.process.subprocess.Popen",
        lambda command, **how: given.append(command) or started(command, **how),  # type: ignore[func-returns-value]
    )
    with peer(guarded) as up, peer(forwarding(LOGIN)) as proxy:
        result = public.check(
            up.url, key=KEY, header=HEADERS[1::2], proxy=through(proxy), examples=0, reports=tmp_path / "reports"
        )
    assert result.run.exit == 0
    assert "--header=X-Gateway-Token=$PETSTORE_HEADER_X_GATEWAY_TOKEN" in given[0]
    assert PASSWORD not in str(given)


# ---- obstacles


def test_a_proxy_that_is_not_there_is_the_cause_and_no_verdict(tmp_path: Path) -> None:
    with closed_port() as port:
        url = f"http://127.0.0.1:{port}"
        ran = petcheck(tmp_path, "--target", "https://pets.example/v1", "--proxy", url)
    assert ran.code == 6
    assert f"https://pets.example/v1 was not asked: the proxy {url} gives no connection" in " ".join(ran.out.split())
    assert set(ran.outcomes.values()) <= {"error", "not-run"}


def run_through(place: range, tmp_path: Path) -> Ran:
    """A run through a proxy that demands a login for the requests at some places."""

    def moody(caller: Caller) -> None:
        (forwarding(LOGIN) if len(proxy.heads) in place else forwarding())(caller)

    with peer(store) as up, peer(moody) as proxy:
        ran = petcheck(tmp_path, "--target", up.url, "--proxy", f"http://127.0.0.1:{proxy.port}")
    assert "fail" not in ran.outcomes.values(), ran.out
    assert ("(proxy: the proxy http:" in " ".join(ran.out.split())) == (ran.code == 6)
    return ran


def test_a_proxy_that_fails_for_a_moment_fails_no_requirement(tmp_path: Path) -> None:
    assert run_through(range(8, 12), tmp_path).code == 0


@pytest.mark.slow
def test_a_proxy_that_ends_within_a_run_ends_the_run_without_a_verdict(tmp_path: Path) -> None:
    ran = run_through(range(8, 10_000), tmp_path)
    assert ran.code == 6
    assert "error" in ran.outcomes.values()
