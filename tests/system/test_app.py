"""`--app`: an application that the run serves, and what a report tells of it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.command import KEY, Ran
from tests.support.forked import petcheck

STARLETTE = """
import os
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

async def answer(request):
    if request.headers.get("authorization") != f"Bearer {os.environ['PETSTORE_API_KEY']}":
        return JSONResponse({}, 401)
    if request.method == "POST":
        return save(await request.json())
    return JSONResponse([])

def save(pet):
    return JSONResponse({"id": 1, "name": pet["name"], "categoryId": pet["categoryId"]}, 201)

routes = [Route(path, answer, methods=["GET", "POST"]) for path in ("/pets", "/pets/{id}", "/store/orders")]
app = Starlette(routes=[Mount("/shop/v1", routes=routes)])
api = Starlette(routes=[Mount("/api/v1", routes=routes)])

def create_app():
    return api

async def broken(scope, receive, send):
    raise connect()

def connect():
    return ConnectionError(f"no database for {os.environ['PETSTORE_API_KEY']}")

def lifespan(app):
    raise connect()

unready = Starlette(lifespan=lifespan)
"""

WSGI = """
import json
def app(environ, start_response):
    if environ["REQUEST_METHOD"] == "POST":
        raise LookupError("no table pets")
    known = environ.get("HTTP_AUTHORIZATION", "").startswith("Bearer ")
    start_response("200 OK" if known else "401 No", [("Content-Type", "application/json")])
    return [b"[]"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(STARLETTE)
    (tmp_path / "old_shop.py").write_text(WSGI)
    return tmp_path


def assert_not_started(ran: Ran, app: str, line: str) -> None:
    assert ran.code == 6
    assert "Traceback" not in ran.out + ran.err
    assert "INTERNALERROR" not in ran.out + ran.err
    said = ran.out + ran.err  # a worker writes to stderr
    assert f"{app} does not start. Its last lines:\n" in said
    assert line in said
    (target,) = ran.result.targets
    assert target.unreachable is not None
    assert target.unreachable.startswith(f"--app {app} does not start: ")
    assert target.requests.total == 0
    ran.assert_reports()
    assert not [name for name, content in ran.written().items() if KEY.encode() in content]


def test_an_application_that_does_not_start_says_why(folder: Path) -> None:
    ran = petcheck(folder, "--app", "shop:unready")
    assert_not_started(ran, "shop:unready", "ConnectionError: no database for [redacted-key]\n")


@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n", "1"), marks=pytest.mark.slow)], ids=["here", "in a worker"]
)
def test_an_application_that_cannot_be_imported_says_why(workers: tuple[str, ...], folder: Path) -> None:
    (folder / "bad_shop.py").write_text("import shop\nraise shop.connect()\n")
    ran = petcheck(folder, "--app", "bad_shop:app", *workers)
    assert_not_started(ran, "bad_shop:app", '  File "bad_shop.py", line 2, in <module>\n')


def test_reports_are_written_before_the_application_ends_and_it_may_not_take_long(folder: Path) -> None:
    (folder / "slow_shop.py").write_text(
        "import asyncio, shop\nfrom contextlib import asynccontextmanager\nfrom pathlib import Path\n"
        "@asynccontextmanager\nasync def lifespan(app):\n    yield\n"
        "    Path('seen').write_text(str(Path('reports/manifest.json').exists()))\n    await asyncio.sleep(1e6)\n"
        "app = shop.Starlette(routes=[shop.Mount('/v1', routes=shop.routes)], lifespan=lifespan)\n"
    )
    ran = petcheck(folder, "LIST-1", "--app", "slow_shop:app")
    assert ran.code == 0, ran.out
    assert (folder / "seen").read_text() == "True"


@pytest.mark.parametrize(
    ("app", "options", "path"),
    [
        ("shop:app", ("--base-path", "/shop/v1/"), "/shop/v1"),
        ("shop:create_app", (), "/api/v1"),
        ("shop:create_app", ("--factory",), "/api/v1"),
        ("old_shop:app", (), "/v1"),
    ],
)
def test_it_is_found_where_it_is_mounted(app: str, options: tuple[str, ...], path: str, folder: Path) -> None:
    ran = petcheck(folder, "LIST-1", "--examples", "0", "--app", app, *options)
    assert ran.code == 0, ran.out
    assert ran.result.targets[0].base_url.endswith(path)


COUNTED = """
import shop
async def app(scope, receive, send):
    if scope["type"] == "http":
        with open("paths", "a") as file:
            print(scope["path"], file=file)
    await shop.api(scope, receive, send)
"""


@pytest.mark.parametrize(("most", "code"), [("1", 6), ("2", 6), ("6", 0)])
def test_the_requests_that_find_where_it_is_mounted_count(most: str, code: int, folder: Path) -> None:
    (folder / "counted.py").write_text(COUNTED)
    ran = petcheck(folder, "LIST-1", "--app", "counted:app", "--max-requests", most)
    assert ran.code == code, ran.out
    asked = (folder / "paths").read_text().split()
    (target,) = ran.result.targets
    assert asked[:2] == ["/v1/pets", "/api/v1/pets"][: len(asked)]
    assert target.requests.total == target.requests.get == len(asked) <= int(most)
    assert target.requests.repeats == {"to find where the application has the operations": min(int(most), 2)}
    assert petcheck(folder, "verify", "reports").code == 0


def test_where_it_is_mounted_can_be_said(folder: Path) -> None:
    ran = petcheck(folder, "LIST-1", "--app", "shop:app")
    assert ran.code == 6
    assert "name it with --base-path." in " ".join(ran.out.split())


@pytest.mark.parametrize(
    ("app", "requirement", "lines"),
    [
        ("shop:create_app", "CREATE-6", ['  File "shop.py", line 15, in save', "KeyError: 'name'"]),
        ("old_shop:app", "CREATE-1", ['  File "old_shop.py", line 5, in app', "LookupError: no table pets"]),
    ],
)
def test_a_failure_shows_the_traceback_of_the_application(
    app: str, requirement: str, lines: list[str], folder: Path
) -> None:
    ran = petcheck(folder, requirement, "--allow-writes", "--examples", "0", "--app", app)
    assert ran.code == 1
    said = ran.out.partition("the application's own lines\n")[2]
    assert all(line in said for line in lines)
    page = (ran.reports / "report.html").read_text(encoding="utf-8")
    assert "The application&#39;s own lines" in page or "The application's own lines" in page
    assert lines[1].replace("'", "&#39;") in page
    judged = petcheck(folder, "judge", "reports", key=None)
    assert lines[1] in judged.out
    assert petcheck(folder, "verify", "reports", key=None).code == 0


def test_a_line_to_send_again_names_no_port_that_is_closed(folder: Path) -> None:
    ran = petcheck(folder, "CREATE-6", "--allow-writes", "--examples", "0", "--app", "shop:create_app")
    lines = [line.partition("send   ")[2] for line in ran.out.splitlines() if line.startswith("  send   ")]
    assert lines
    assert not [line for line in lines if "127.0.0.1" in line]
    assert "export PETSTORE_URL=http://127.0.0.1:8000/v1" in " ".join(ran.out.split()).replace("export\n", "export ")
    with running(create_app(ReferenceSettings(keys={KEY: "pro"}))) as url:
        sent = subprocess.run(
            ["sh", "-c", lines[0]],
            env=dict(os.environ, PETSTORE_URL=f"{url}/v1", PETSTORE_API_KEY=KEY),
            capture_output=True,
            text=True,
            check=True,
        )
    assert sent.stdout.startswith("HTTP/1.1 400 ")


def test_a_kept_test_asks_where_the_application_is_served(folder: Path) -> None:
    petcheck(folder, "CREATE-6", "--allow-writes", "--examples", "0", "--app", "shop:create_app")
    assert petcheck(folder, "replay", "reports", "--as-pytest", "test_kept.py", "--allow-writes").code == 0
    assert "URL = os.environ['PETSTORE_URL']\n" in (folder / "test_kept.py").read_text()
