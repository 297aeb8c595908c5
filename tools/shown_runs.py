"""The last lines of runs that pages show; as a program, writes those of the tutorial, which take long.

A page has the command in one block and its last lines in the next.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.support.command import KEY, petcheck
from tests.support.trial import server

DOCS = Path(__file__).resolve().parent.parent / "docs"
FIRST, TUTORIAL = DOCS / "start.md", DOCS / "implementers.md"
STEP = re.compile(r"(```sh\npetcheck (--app shop_\d[^\n]*)\n```\n\n```text\n)(.*?)(?=```\n)", re.DOTALL)
_FAULT = re.compile(r"petcheck serve --fault (\S+)")
_FAILURE = re.compile(r"(?<=```text\n)target .*?(?=```\n)", re.DOTALL)
_LAST = re.compile(r"^target(?:: \d+ of| does not conform| conforms).*?(?=^reports: )", re.DOTALL | re.MULTILINE)


def last_lines(*options: str, folder: Path) -> str:
    """What a run prints at last: the verdict, and each cause."""
    ran = petcheck(folder, *options, as_it_comes=True)
    found = _LAST.search(ran.out)
    if found is None:
        raise ValueError(f"petcheck {' '.join(options)} printed no verdict: {ran.out}{ran.err}")
    return found[0]


def with_first_failure(text: str) -> str:
    """The page for beginners, with the last lines of a run against the fault that it serves."""
    (fault,) = _FAULT.findall(text)
    with server(faults=(fault,), key=KEY) as url, tempfile.TemporaryDirectory() as folder:
        lines = last_lines("--target", url, "--seed", "1", folder=Path(folder))
    return _FAILURE.sub(lambda _: lines, text, count=1)


def steps(text: str) -> Iterator[tuple[list[str], str]]:
    """The command of each step of the tutorial, with the lines that the page shows below it."""
    yield from ((command.split(), lines) for _, command, lines in STEP.findall(text))


def of_step(command: Sequence[str], folder: Path) -> str:
    """The last lines of a step, run in `folder`."""
    for program in (DOCS / "tutorial").glob("*.py"):
        shutil.copy(program, folder)
    return last_lines(*command, folder=folder)


def with_steps(text: str, run: Callable[[Sequence[str]], str]) -> str:
    """The tutorial, with the lines that `run` gives for each command."""
    return STEP.sub(lambda found: found[1] + run(found[2].split()), text)


def main() -> int:
    """Run each step of the tutorial and write the page."""

    def run(command: Sequence[str]) -> str:
        with tempfile.TemporaryDirectory() as folder:
            return of_step(command, Path(folder))

    TUTORIAL.write_text(with_steps(TUTORIAL.read_text("utf-8"), run), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
