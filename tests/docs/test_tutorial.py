"""The tutorial for implementers: each step fails as the page says, and the last one does not fail."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.support.command import petcheck

DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXT = (DOCS / "implementers.md").read_text("utf-8")
# each command of a step, with the last lines that the page shows below it
STEPS = re.findall(r"```sh\npetcheck (--app shop_\d.*)\n```\n\n```text\n([^`]*(?:`[^`\n]+`[^`]*)*)```", TEXT)
STATED = [(command.split(), lines) for command, lines in STEPS]


def test_each_step_is_on_the_page() -> None:
    steps = sorted(path.stem for path in (DOCS / "tutorial").glob("*.py"))
    assert [command[1].partition(":")[0] for command, _ in STATED] == steps


def test_the_code_on_the_page_is_that_of_the_step() -> None:
    sections = re.split(r"^## Step (\d)", TEXT, flags=re.MULTILINE)[1:]
    blocks = [
        (step, block)
        for step, section in zip(sections[::2], sections[1::2], strict=True)
        for block in re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL)
    ]
    assert {step for step, _ in blocks} == {"1", "2", "3", "4"}
    programs = {step: (DOCS / "tutorial" / f"shop_{step}.py").read_text("utf-8") for step, _ in blocks}
    assert [(step, block) for step, block in blocks if block not in programs[step]] == []


@pytest.mark.matrix
@pytest.mark.parametrize(("command", "lines"), STATED, ids=[command[1] for command, _ in STATED])
def test_a_step_ends_as_the_page_says(tmp_path: Path, command: list[str], lines: str) -> None:
    for step in (DOCS / "tutorial").glob("*.py"):
        shutil.copy(step, tmp_path)
    ran = petcheck(tmp_path, *command, as_it_comes=True)
    assert lines in ran.out
    assert ran.code == (0 if "shows no failure" in lines else 1)
