"""`petcheck.requirement_tests` in a suite of somebody else: a pytest of its own, in its own process."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from petcheck.results.result import load
from petcheck.spec.catalogue import catalogue
from petcheck.spec.files import suite_file
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.command import environment

KEY = "canary-Zq7vXw2TzR9mPb4LcY8dHs3NfJ"
# a test file shows its own lines
KEY_IN_PARTS = f"'-'.join({KEY.split('-')!r})"
LIST_4 = "LIST-4 Without limit, a page holds as many animals as with limit=20, never more than 20."


class Counted:
    """An application that counts its requests."""

    def __init__(self, app: Any) -> None:
        self._app, self.requests, self._lock = app, 0, threading.Lock()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        with self._lock:
            self.requests += scope["type"] == "http"
        await self._app(scope, receive, send)


@contextmanager
def counted_server(*faults: str) -> Iterator[tuple[str, Counted]]:
    app = Counted(create_app(ReferenceSettings(keys={KEY: "pro"}, faults=faults)))
    with running(app) as url:
        yield f"{url}/v1", app


def run_suite(folder: Path, text: str, *options: str, url: str = "", key: str | None = KEY) -> tuple[int, str]:
    """The exit code and the output of a pytest run over one file of tests."""
    (folder / "pytest.ini").write_text("[pytest]\nstrict = true\n")
    (folder / "test_pets.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--tb=long", *options]
    ran = subprocess.run(
        command,
        cwd=folder,
        env=environment(key, {"SHOP": url, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return ran.returncode, ran.stdout + ran.stderr


def ended(printed: str, how: str) -> set[str]:
    return set(re.findall(rf"^{how}.*?\[([A-Z]+-\d+) ", printed, re.MULTILINE))


TWO_LINES = """
import os, petcheck, pytest

@pytest.fixture(scope="session")
def server():
    return os.environ["SHOP"]

def test_of_their_own(): pass

test_petstore = petcheck.requirement_tests("server", examples=0)
"""


def test_a_test_for_each_requirement_named_by_its_statement(tmp_path: Path) -> None:
    with counted_server("no-limit-header") as (url, app):
        code, printed = run_suite(tmp_path, TWO_LINES, "-v", url=url)
    assert code == 1
    assert f"test_pets.py::test_petstore[{LIST_4}] PASSED" in printed
    assert "test_pets.py::test_of_their_own PASSED" in printed
    names = ended(printed, "test_pets.py::test_petstore")
    assert names == {one.id for one in catalogue().judged}
    assert "RATE-1" in ended(printed, "FAILED")
    assert re.search(r"rule\s+Every response has\s+`X-RateLimit-Limit`", printed)
    assert f"curl -isS '{url}/pets" in printed
    assert "Traceback" not in printed
    assert "SKIPPED [1] test_pets.py:10: not-run: " in printed
    assert 0 < app.requests < 80
    assert {path.name for path in tmp_path.iterdir()} == {"pytest.ini", "test_pets.py"}


@pytest.mark.slow
def test_processes_of_xdist_share_one_run(tmp_path: Path) -> None:
    text = TWO_LINES.replace("examples=0", 'examples=0, reports="out", name="shop"')
    with counted_server() as (url, app):
        code, printed = run_suite(tmp_path, text, "-p", "xdist", "-n", "2", url=url)
    assert code == 0, printed
    assert load(tmp_path / "out" / "result.json").targets[0].requests.total == app.requests
    assert {"[gw0]", "[gw1]"} <= set(re.findall(r"\[gw\d\]", printed)) or "2 workers" in printed


RAISING = """
import petcheck
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def listed(request):
    return JSONResponse([{"id": 1, "name": "Rex", "categoryId": 1}])

async def read(request):
    sent = [request.headers[name] for name in ("authorization", "x-gateway-token")]
    raise LookupError(f"no such column, asked with {sent}")

app = Starlette(routes=[Route("/v1/pets", listed), Route("/v1/pets/{id}", read), Route("/v1/store/orders", listed)])
test_petstore = petcheck.requirement_tests(
    app, key="a-canary-of-12345", examples=0, header=["X-Gateway-Token=" + "-".join(("gateway", "T0k3n", "Hq8vXw2T"))]
)
"""


def test_a_failure_shows_what_the_application_raised_and_others_point_to_it(tmp_path: Path) -> None:
    code, printed = run_suite(tmp_path, RAISING)
    assert code == 1
    get_1, get_3 = (printed.partition(f"[{name} ")[2].partition("test_petstore[")[0] for name in ("GET-1", "GET-3"))
    assert "the application's own lines" in get_1
    assert "in read\n" in get_1
    assert "LookupError: no such column, asked with" in get_1
    assert "$PETSTORE_URL" in get_1
    assert "cause  that of GET-1, which shows the exchange" in get_3
    assert "the application's own lines" not in get_3
    assert "a-canary-of-12345" not in get_1 + get_3
    assert "gateway-T0k3n-Hq8vXw2T" not in printed


@pytest.mark.slow  # that of the waivers chooses too
def test_one_requirement_is_chosen_by_its_id(tmp_path: Path) -> None:
    with counted_server() as (url, _):
        code, printed = run_suite(tmp_path, TWO_LINES, "-k", "LIST-4", url=url)
    assert code == 0
    assert ended(printed, "PASSED") == {"LIST-4"}


OWN_APPLICATIONS = f"""
import petcheck, pytest
from petstore_reference.server import ReferenceSettings, create_app

@pytest.fixture(scope="module", params=["conforming", "broken"])
def shop(request):
    faults = ("no-limit-header",) if request.param == "broken" else ()
    return create_app(ReferenceSettings(keys={{"{KEY}": "pro"}}, faults=faults)), "{KEY}"

test_petstore = petcheck.requirement_tests("shop", examples=0)
"""


@pytest.mark.slow
def test_a_fixture_with_parameters_gives_applications_and_their_key(tmp_path: Path) -> None:
    code, printed = run_suite(tmp_path, OWN_APPLICATIONS, "-k", "LIST-4 or RATE-1 and not RATE-10", key=None)
    assert code == 1
    named = re.findall(r"^(PASSED|FAILED) .*?\[([a-z]+-[A-Z]+-\d+) ", printed, re.MULTILINE)
    passed = [("PASSED", "conforming-LIST-4"), ("PASSED", "conforming-RATE-1"), ("PASSED", "broken-LIST-4")]
    assert sorted(named) == sorted([*passed, ("FAILED", "broken-RATE-1")])


WAIVERS = """
[[waivers]]
requirement = "RATE-1"
target = "target"
reason = "known"
expires = 2999-01-01

[[waivers]]
requirement = "LIST-1"
target = "target"
reason = "known once"
expires = 2999-01-01
"""


def test_waivers_and_strict(tmp_path: Path) -> None:
    (tmp_path / "petcheck.toml").write_text(WAIVERS)
    with counted_server("no-limit-header") as (url, _):
        text = TWO_LINES.replace("examples=0", "examples=0, strict=True")
        code, printed = run_suite(tmp_path, text, "-k", "RATE-1 or LIST-1 or RATE-5 or RATE-10", url=url)
    assert code == 1
    assert ended(printed, "XFAIL") == {"RATE-1"}
    assert ended(printed, "FAILED") == {"LIST-1", "RATE-5"}
    assert "Stale waiver" in printed
    assert "settled" in printed or "plan is not known" in printed
    assert "SKIPPED [1]" in printed, "what is not in force does not count"


@pytest.mark.slow
def test_each_test_says_why_there_is_no_run_and_none_shows_the_key(tmp_path: Path) -> None:
    text = TWO_LINES.replace("examples=0", f"key={KEY_IN_PARTS}, plan='gold'")
    code, printed = run_suite(tmp_path, text, "--showlocals", "--full-trace", "-k", "GET", url="http://127.0.0.1:9/v1")
    assert code == 1
    assert len(ended(printed, "FAILED")) >= 4
    assert printed.count("BadValue: plan gold: no such plan") >= 4
    assert KEY not in printed


@pytest.mark.slow
def test_what_breaks_inside_shows_no_key(tmp_path: Path) -> None:
    breaking = "\nimport petcheck.embed.process\npetcheck.embed.process._finished = lambda *given: 1 / 0\n"
    text = TWO_LINES.replace("examples=0", f"key={KEY_IN_PARTS}, examples=0") + breaking
    with counted_server() as (url, _):
        code, printed = run_suite(tmp_path, text, "--showlocals", "--full-trace", "-k", "LIST-4", url=url)
    assert code == 1
    assert "ZeroDivisionError" in printed
    assert KEY not in printed


def test_checks_beside_other_tests_are_refused_in_one_line(tmp_path: Path) -> None:
    code, printed = run_suite(tmp_path, TWO_LINES, str(suite_file("checks")), "test_pets.py")
    assert code == 4
    assert "petcheck.requirement_tests(…) makes a test for each requirement" in printed
    assert "INTERNALERROR" not in printed
