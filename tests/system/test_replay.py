"""`petcheck replay` and `petcheck open`: real runs, on a server that can be repaired in between."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import petcheck as public
from petcheck.config.keys import KEY_VARIABLE
from petcheck.results.load import recording_in
from petcheck.spec.operations import Operation
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.command import KEY, environment
from tests.support.forked import petcheck
from tests.support.once import folder_made_once

FAULTS = ("default-limit-50", "category-missing@createPet")
CHOSEN = ("LIST-4", "PET-3", "ORDERS-1")


class Repairable:
    """A server with faults until it is repaired; `posts` counts the POSTs that reached it."""

    def __init__(self) -> None:
        settings = {"keys": {KEY: "business"}, "anonymous_limit": 10_000}
        self.broken, self.whole = (create_app(ReferenceSettings(**settings, faults=some)) for some in (FAULTS, ()))  # type: ignore[arg-type]
        self.repaired, self.posts, self.url = False, 0, ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.posts += scope.get("method") == "POST"
        await (self.whole if self.repaired else self.broken)(scope, receive, send)


@pytest.fixture
def server() -> Iterator[Repairable]:
    app = Repairable()
    with running(app) as url:
        app.url = f"{url}/v1"
        yield app


@pytest.fixture
def recorded(server: Repairable, tmp_path: Path) -> Path:
    """The folder in which a run with writes has left its reports."""
    ran = petcheck(tmp_path, *CHOSEN, "--target", server.url, "--allow-writes", "--seed", "5")
    assert {name for name, outcome in ran.outcomes.items() if outcome == "fail"} == {"LIST-4", "PET-3"}
    server.posts = 0
    return tmp_path


def test_what_failed_is_sent_again_until_it_fails_no_longer(server: Repairable, recorded: Path) -> None:
    again = petcheck(recorded, "replay", "reports")
    assert (again.code, again.err, server.posts) == (1, "", 0)
    assert "not sent: POST requests were not allowed; add --allow-writes" in again.out
    assert "\n  LIST-4 still fails: GET /pets returned 200 OK: the page holds 50 animals" in again.out
    again = petcheck(recorded, "replay", "reports", "--allow-writes")
    assert (again.code, server.posts) == (1, 1)
    assert "PET-3 still fails: POST /pets returned 201 Created: the Pet has no\n    `categoryId`" in again.out
    server.repaired = True
    again = petcheck(recorded, "replay", "reports", "--allow-writes")
    assert (again.code, again.out.count("no longer fails by this answer")) == (0, 2)
    assert again.out.count("changed  the body\n") == 2
    assert KEY not in again.out


class Answering:
    """A server that gives one answer to everything."""

    def __init__(self, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
        self.start = {"type": "http.response.start", "status": status, "headers": [*headers]}
        self.body = body

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await send(self.start)
            await send({"type": "http.response.body", "body": self.body})


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (Answering(500, b"{}", (b"content-type", b"application/json")), "ERROR-5 fails now"),
        (Answering(404, b"Not Found"), "LIST-1 fails now"),
        (Answering(302, b"", (b"location", b"/login")), "LIST-1 fails now"),
        (Answering(401, b"{}", (b"content-type", b"application/json")), "AUTH-7 fails now"),
        (Answering(200, b"<html>", (b"content-type", b"text/html")), "BODY-1 fails now"),
    ],
    ids=["500", "404", "302", "401", "page"],
)
def test_an_answer_that_shows_nothing_of_a_failure_does_not_clear_it(
    answer: Answering, found: str, recorded: Path
) -> None:
    with running(answer) as url:
        ran = petcheck(recorded, "replay", "reports", f"--target={url}/v1")
    assert ran.code == 1
    assert "LIST-4 not decided: this answer shows nothing about it" in ran.out
    assert f"\n  {found}" in ran.out
    assert "no longer fails" not in ran.out


def test_named_exchanges_are_sent_again_and_a_new_failure_is_told(server: Repairable, recorded: Path) -> None:
    page = petcheck(recorded, "replay", "reports", "1", "#0")
    assert [line.split()[0] for line in page.out.splitlines() if line.startswith("#")] == ["#1", "#0"]
    server.repaired = True
    assert petcheck(recorded / "whole", *CHOSEN, "--target", server.url).code == 0
    server.repaired = False
    ran = petcheck(recorded / "whole", "replay", "reports", "0")
    assert ran.code == 1
    assert "\n  LIST-4 fails now: GET /pets returned 200 OK: the page holds 50 animals" in ran.out


def test_the_answer_is_the_same_where_nothing_changed(server: Repairable, recorded: Path) -> None:
    sent = recording_in(recorded / "reports").exchanges
    orders = next(one.index for one in sent if one.request.operation is Operation.STORE_ORDERS)
    ran = petcheck(recorded, "replay", "reports", f"#{orders}")
    assert (ran.code, "changed  nothing, but for times and ids" in ran.out) == (0, True), ran.out


def test_one_of_many_that_fail_alike_fails_again_although_others_are_named(tmp_path: Path) -> None:
    with running(create_app(ReferenceSettings(keys={KEY: "business"}, faults=("reset-in-seconds",)))) as url:
        ran = petcheck(tmp_path, "--target", f"{url}/v1", "--seed", "5")
        (row,) = (row for row in ran.result.requirements if row.id == "RATE-3")
        other = next(number for number in row.exchanges if number not in row.decisive)
        again = petcheck(tmp_path, "replay", "reports", str(other))
    assert again.code == 1
    assert "\n  RATE-3 still fails: " in again.out


# ---- where the key goes

ELSEWHERE = "http://pets.example:8080/v1"


def moved(server: Repairable, recorded: Path) -> None:
    """Change the recording, as if the run had tested a server on another machine, through a proxy there."""
    file = recorded / "reports" / "exchanges.jsonl"
    head, *lines = file.read_text().replace(server.url, ELSEWHERE).splitlines()
    said = json.loads(head)
    said["petcheck"]["options"] |= {"insecure-http": True, "proxy": "http://proxy.example:1"}
    said["petcheck"]["targets"][0] |= {"headers": ["X-Stolen=$PETSTORE_GATEWAY"]}
    said["petcheck"]["targets"][0]["reach"] = {"proxy": "http://proxy.example:1"}
    file.write_text("\n".join([json.dumps(said), *lines, ""]))


def test_a_recording_does_not_decide_who_gets_the_key(server: Repairable, recorded: Path) -> None:
    moved(server, recorded)
    refused = petcheck(recorded, "replay", "reports", more={"PETSTORE_GATEWAY": "secret"})
    assert (refused.code, refused.out) == (4, "")
    way = "'--header=X-Stolen=$PETSTORE_GATEWAY' --proxy=http://proxy.example:1 --insecure-http"
    assert refused.last_line_of_trouble == (
        "petcheck: replay: a recording does not decide where the key goes; "
        f"if {ELSEWHERE} is the server that you mean, add --target={ELSEWHERE} {way}"
    )
    assert petcheck(recorded, "replay", "reports", "--insecure-http", more={"PETSTORE_GATEWAY": "x"}).code == 4
    assert petcheck(recorded, "replay", "reports", "--as-pytest", "test_kept.py").code == 0
    assert ELSEWHERE not in (recorded / "test_kept.py").read_text()


def test_tests_never_replace_the_recording(recorded: Path) -> None:
    before = (recorded / "reports/exchanges.jsonl").read_bytes()
    refused = petcheck(recorded, "replay", "reports", "--as-pytest", "reports/exchanges.jsonl")
    said = "reports/exchanges.jsonl is part of an input of the command; give --as-pytest another file"
    assert (refused.code, refused.last_line_of_trouble) == (4, f"petcheck: replay: {said}")
    assert (recorded / "reports/exchanges.jsonl").read_bytes() == before


def test_the_command_line_and_the_file_name_the_server(server: Repairable, recorded: Path) -> None:
    moved(server, recorded)
    again = petcheck(recorded, "replay", "reports", f"--target={server.url}")
    assert (again.code, "LIST-4 still fails" in again.out) == (1, True), again.err
    (recorded / "petcheck.toml").write_text(
        f'[targets.target]\nurl = "{server.url}"\n[targets.other]\nurl = "{server.url}"\n'
    )
    again = petcheck(recorded, "replay", "reports")
    assert (again.code, "LIST-4 still fails" in again.out) == (1, True), again.err
    other = petcheck(recorded, "replay", "reports", f"--target=a={server.url}", f"--target=b={server.url}")
    assert other.last_line_of_trouble == "petcheck: replay: no --target is called target; add --target target=URL"


@pytest.fixture(scope="module")
def whole() -> Path:
    """A folder with the reports of a run in which nothing failed; the server is gone."""
    return folder_made_once("whole", make_whole)


def make_whole(folder: Path) -> None:
    with running(create_app(ReferenceSettings(keys={KEY: "business"}))) as url:
        assert petcheck(folder, "LIST-4", "--target", f"{url}/v1").code == 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["nowhere"], 4, "replay: nowhere holds no recording"),
        ([], 4, "replay: name a folder of reports: petcheck replay reports/"),
        (["reports", "x"], 4, "replay: x is not the number of an exchange; write it as 13, or '#13' in quotes"),
        (["reports", "999"], 4, "replay: there is no exchange 999; the last is #"),
        (["reports", "other#1"], 4, "replay: there is no exchange other#1"),
        (["reports"], 5, "replay: nothing fails in reports; name exchanges by their numbers"),
    ],
)
def test_a_mistake_sends_nothing(words: list[str], code: int, message: str, whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)  # other workers write their output there
    ran = petcheck(tmp_path, "replay", *words)
    assert (ran.code, ran.out) == (code, "")
    assert ran.last_line_of_trouble.startswith(f"petcheck: {message}")


@pytest.mark.slow
def test_a_server_that_is_gone(tmp_path: Path) -> None:
    with running(create_app(ReferenceSettings(keys={KEY: "business"}, faults=FAULTS))) as url:
        petcheck(tmp_path, "LIST-4", "--target", f"{url}/v1")
    ran = petcheck(tmp_path, "replay", "reports")
    assert ran.code == 6
    assert "  not decided: " in ran.out


def test_an_application_is_served_again(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(
        "import os\nfrom petstore_reference.server import ReferenceSettings, create_app\n"
        f"app = create_app(ReferenceSettings(keys={{{KEY!r}: 'business'}}, faults=('default-limit-50',)))\n"
    )
    assert petcheck(tmp_path, "LIST-4", "--app", "shop:app").code == 1
    ran = petcheck(tmp_path, "replay", "reports")
    assert (ran.code, "LIST-4 still fails" in ran.out) == (1, True), ran.out + ran.err


# ---- as tests


def of_pytest(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-W",
        "error",
        "--strict-markers",
        "-p",
        "no:cacheprovider",
        "test_kept.py",
    ]
    more |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # that of schemathesis takes a second to import
    return subprocess.run(command, cwd=folder, env=environment(more=more), capture_output=True, text=True, check=False)


def test_tests_are_written_and_nothing_is_sent(server: Repairable, recorded: Path) -> None:
    written = petcheck(recorded, "replay", "reports", "--as-pytest", "test_kept.py")
    assert (written.code, written.out) == (0, "test_kept.py: 1 test; 1 POST left out, add --allow-writes\n")
    written = petcheck(recorded, "replay", "reports", "--as-pytest", "test_kept.py", "--allow-writes")
    assert (written.code, written.out) == (0, "test_kept.py: 2 tests\n")
    assert KEY not in (recorded / "test_kept.py").read_text()
    assert server.posts == 0


@pytest.mark.slow
def test_kept_tests_pass_once_the_server_is_repaired(server: Repairable, recorded: Path) -> None:
    assert petcheck(recorded, "replay", "reports", "--as-pytest", "test_kept.py", "--allow-writes").code == 0
    broken = of_pytest(recorded)
    assert "2 failed" in broken.stdout, broken.stdout
    assert "AssertionError: LIST-4: GET /pets returned 200 OK: the page holds 50 animals" in broken.stdout
    server.repaired = True
    whole = of_pytest(recorded)
    assert (whole.returncode, "2 passed" in whole.stdout) == (0, True), whole.stdout


def test_a_kept_test_tells_a_dead_server_from_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with pytest.raises(public.PetcheckError, match="answer"):
        public.replay("http://127.0.0.1:9/v1", "GET", "/pets", requirements=["LIST-1"])
    with pytest.raises(public.PetcheckError, match="not allowed"):
        public.replay("http://127.0.0.1:9/v1", "POST", "/pets", requirements=["CREATE-1"], body=b"")
    with pytest.raises(public.BadValue, match="DELETE /pets with a valid key: not a request that petcheck sends"):
        public.replay("http://127.0.0.1:9/v1", "DELETE", "/pets", requirements=["CREATE-1"])
    with pytest.raises(public.BadUrl):
        public.replay("far.example", "GET", "/pets/1", requirements=["GET-1"])


def test_a_kept_test_fails_if_the_answer_shows_nothing_of_its_requirement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with running(Answering(500, b"")) as url, pytest.raises(AssertionError) as failure:
        public.replay(f"{url}/v1", "GET", "/pets", requirements=["LIST-4"])
    said = "LIST-4: GET /pets returned 500 Internal Server Error, which shows nothing about it"
    assert str(failure.value) == said


# ---- open


def test_the_report_is_opened_and_its_path_printed(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "report.html").write_text("x")
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{tmp_path}/shown"\n')
    browser.chmod(0o755)
    ran = petcheck(tmp_path, "open", more={"BROWSER": f"{browser} %s"})
    assert (ran.code, ran.out) == (0, "reports/report.html\n")
    assert (tmp_path / "shown").read_text() == (tmp_path / "reports" / "report.html").as_uri() + "\n"
    alone = petcheck(tmp_path, "open", "reports", more={"BROWSER": os.devnull, "PATH": ""})
    assert (alone.code, alone.out) == (0, "reports/report.html\n")
    none = petcheck(tmp_path, "open", "nowhere")
    assert (none.code, none.last_line_of_trouble) == (
        4,
        "petcheck: open: nowhere holds no report.html; make a run first, or name its folder",
    )
