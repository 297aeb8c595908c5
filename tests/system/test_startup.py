"""What a start imports: a run that is over in two seconds must not spend one on what it does not use."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.command import environment

RUN = "import petcheck.runner.finish, petcheck.runner.console"
COMMAND = "from petcheck.cli.main import main; main(['--version'])"


def imported(program: str) -> set[str]:
    """The packages that a program imports, in a Python of its own."""
    program += "\nimport sys\nprint(*{name.partition('.')[0] for name in sys.modules})"
    ran = subprocess.run([sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


@pytest.mark.parametrize(
    ("program", "spared"),
    [
        (COMMAND, {"anyio", "asyncio", "httpx", "pytest", "yaml"}),
        (RUN, {"click", "rich", "hypothesis", "schemathesis", "starlette", "uvicorn"}),
    ],
    ids=["the version", "a run"],
)
def test_what_is_not_used_is_not_imported(program: str, spared: set[str]) -> None:
    assert imported(program) & spared == set()
