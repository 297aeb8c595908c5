"""A server whose process ends on one request, and stays away: the request is named, and the run fails."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.command import KEY, environment
from tests.support.forked import petcheck

SERVER = """
import os, sys
from petstore_reference.serve import serve
from petstore_reference.server import ReferenceSettings, create_app

app = create_app(ReferenceSettings({sys.argv[1]: "business"}))
key, body = sys.argv[2].encode(), sys.argv[3].encode()

async def careless(scope, receive, send):
    async def heard():
        message = await receive()
        if body and body in message.get("body", b""):
            os._exit(1)
        return message

    if key and dict(scope["headers"]).get(b"authorization", b"").endswith(key):
        os._exit(1)
    await app(scope, heard, send)

careless.state = app.state
serve(careless, port=0, announce=lambda url: print(url, flush=True))
"""


@contextmanager
def server_that_ends_on(*, key: str = "", body: str = "") -> Iterator[str]:
    """The base URL of a server in a process of its own, which ends on a key with that end, or a body with that text."""
    command = [sys.executable, "-c", SERVER, KEY, key, body]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as serving:
        try:
            assert serving.stdout is not None
            yield f"{serving.stdout.readline().strip()}/v1"
        finally:
            serving.kill()


@pytest.mark.parametrize(
    ("requirement", "key", "body", "said"),
    [
        ("AUTH-2", "constructor", "", "with the word constructor as the key"),
        ("CREATE-5", "", "[", "POST /pets with an array"),
        ("CREATE-8", "", '"categoryId": null', "POST /pets with "),
    ],
)
def test_a_process_that_a_request_ends_fails_its_requirement(
    tmp_path: Path, requirement: str, key: str, body: str, said: str
) -> None:
    with server_that_ends_on(key=key, body=body) as url:
        ran = petcheck(tmp_path, requirement, "--target", url, "--allow-writes", "--seed", "8")
    assert ran.code == 1, ran.out + ran.err
    failed = [row for row in ran.result.requirements if row.outcome == "fail"]
    assert [row.id for row in failed] == [requirement]
    assert said in failed[0].reason
    assert "The server has answered nothing since: this request ends it." in failed[0].reason
