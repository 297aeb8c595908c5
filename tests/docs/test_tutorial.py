"""The tutorial for implementers: each step fails as the page says, and the last one does not fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.shown_runs import TUTORIAL, of_step, steps, with_steps

TEXT = TUTORIAL.read_text("utf-8")
STATED = list(steps(TEXT))


def test_each_step_is_on_the_page() -> None:
    programs = sorted(path.stem for path in (TUTORIAL.parent / "tutorial").glob("*.py"))
    assert [command[1].partition(":")[0] for command, _ in STATED] == programs


def test_the_code_on_the_page_is_that_of_the_step() -> None:
    sections = re.split(r"^## Step (\d)", TEXT, flags=re.MULTILINE)[1:]
    blocks = [
        (step, block)
        for step, section in zip(sections[::2], sections[1::2], strict=True)
        for block in re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL)
    ]
    assert {step for step, _ in blocks} == {"1", "2", "3", "4"}
    programs = {step: (TUTORIAL.parent / "tutorial" / f"shop_{step}.py").read_text("utf-8") for step, _ in blocks}
    assert [(step, block) for step, block in blocks if block not in programs[step]] == []


def test_a_new_result_replaces_the_lines_of_its_step() -> None:
    lines = {tuple(command): lines for command, lines in STATED}
    assert with_steps(TEXT, lambda command: lines[tuple(command)]) == TEXT
    assert list(steps(with_steps(TEXT, lambda _: "new\n"))) == [(command, "new\n") for command, _ in STATED]


@pytest.mark.matrix
@pytest.mark.parametrize(("command", "lines"), STATED, ids=[command[1] for command, _ in STATED])
def test_a_step_ends_as_the_page_says(tmp_path: Path, command: list[str], lines: str) -> None:
    """`make tutorial` writes the lines. Which response shows what fails, and so to which cause a requirement belongs,
    depends on how requests overlap."""
    assert outline(of_step(command, tmp_path)) == outline(lines)


_IDS = re.compile(r"([A-Z]+)-(\d+)(?: to \1-(\d+))?")


def outline(lines: str) -> tuple[str, set[str]]:
    """The first line, and the requirements of all causes."""
    first, *others = lines.splitlines()
    causes = "\n".join(line.partition(":")[0] for line in others if not line.startswith("    "))
    ranges = [(group, int(begin), int(end or begin)) for group, begin, end in _IDS.findall(causes)]
    return first, {f"{group}-{number}" for group, begin, end in ranges for number in range(begin, end + 1)}
