"""What a start imports: a run of two seconds must not spend one on unused imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.command import environment

RUN = "import petcheck.runner.finish, petcheck.runner.console"
COMMAND = "from petcheck.cli.main import main; main(['--version'])"


def imported(program: str) -> set[str]:
    """The packages that a program imports, in its own Python process."""
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
def test_unused_packages_are_not_imported(program: str, spared: set[str]) -> None:
    assert imported(program) & spared == set()
