"""Standard streams that are closed, or that take only ASCII: no traceback, and nothing that reads like code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from petcheck.spec.outcomes import Exit
from tests.support.command import environment

pytestmark = pytest.mark.slow

RUN = ("LIST-3", "--self-test", "--examples", "0")
COMMANDS = [
    RUN,
    (*RUN, "-q"),
    ("explain", "LIST-4"),
    ("requirements",),
    ("help",),
    ("completion", "fish"),
    ("--version",),
]
ASCII = {
    "an ASCII encoding": {"PYTHONIOENCODING": "ascii"},
    "the C locale": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
}


def command(*arguments: str) -> str:
    return " ".join([sys.executable, "-m", "petcheck", *arguments])


def in_a_shell(line: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment(more=variables), capture_output=True, check=False, timeout=60
    )


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&- <&-"])
def test_closed_streams_change_no_exit_code(closed: str, arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = in_a_shell(f"{command(*arguments)} {closed}", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (Exit.HOLDS, b"", b"")
    assert (tmp_path / "reports" / "report.html").exists() == (arguments[0] == "LIST-3")


def test_a_closed_error_stream_hides_the_message_and_nothing_else(tmp_path: Path) -> None:
    assert in_a_shell(f"{command('--nosuch')} 2>&-", tmp_path).returncode == Exit.USAGE


@pytest.mark.parametrize("arguments", [RUN, ("requirements",)], ids=" ".join)
def test_a_reader_that_has_gone_is_no_trouble(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = in_a_shell(f"{command(*arguments)} | head -1", tmp_path)
    assert (done.stdout.count(b"\n"), done.stderr) == (1, b"")


@pytest.mark.parametrize("buffered", ["", "1"])
@pytest.mark.parametrize("arguments", [*COMMANDS, ("--help",), ("help", "run"), ("--dry-run",), ("serve", "--list")])
def test_a_full_disk_is_told_in_one_line(arguments: tuple[str, ...], buffered: str, tmp_path: Path) -> None:
    done = in_a_shell(f"{command(*arguments)} >/dev/full", tmp_path, PYTHONUNBUFFERED=buffered)
    said = b"petcheck: the output could not be written (No space left on device)\n"
    assert (done.returncode, done.stderr) == (Exit.BROKE, said)


COLOURED = {
    "nobody asked": ((), {}, False),
    "the option": (("--color",), {}, True),
    "the option before NO_COLOR": (("--color",), {"NO_COLOR": "1"}, True),
    "the option before FORCE_COLOR": (("--no-color",), {"FORCE_COLOR": "1"}, False),
    "FORCE_COLOR": ((), {"FORCE_COLOR": "1"}, True),
    "NO_COLOR before FORCE_COLOR": ((), {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
}


@pytest.mark.parametrize(("options", "variables", "coloured"), COLOURED.values(), ids=COLOURED)
@pytest.mark.parametrize("arguments", [RUN, ("explain", "LIST-4")], ids=" ".join)
def test_colours(
    arguments: tuple[str, ...], options: tuple[str, ...], variables: dict[str, str], coloured: bool, tmp_path: Path
) -> None:
    done = in_a_shell(command(*arguments, *options), tmp_path, **variables)
    assert done.returncode == Exit.HOLDS, done.stderr
    assert (b"\x1b[" in done.stdout) == coloured
    if "LIST-3" in arguments:
        verdict = b"reference: 1 of 1 chosen requirement examined, none fails."
        assert (b"\x1b[1;33m" + verdict if coloured else b"\n" + verdict) in done.stdout  # amber: one of many


def test_the_page_of_pytest_looks_like_the_others(tmp_path: Path) -> None:
    in_a_shell(command(*RUN), tmp_path)
    page, report = ((tmp_path / "reports" / name).read_text("utf-8") for name in ("pytest.html", "report.html"))
    for style in ("--paper: #fdfdfb;", "prefers-color-scheme: dark"):
        assert style in page
        assert style in report
    assert ".logwrapper { overflow-x: hidden;" in page


@pytest.mark.parametrize("variables", ASCII.values(), ids=ASCII)
@pytest.mark.parametrize("arguments", [RUN, ("explain", "LIST-4")], ids=" ".join)
def test_ascii_gets_other_signs(arguments: tuple[str, ...], variables: dict[str, str], tmp_path: Path) -> None:
    done = in_a_shell(command(*arguments), tmp_path, **variables)
    said = done.stdout.decode("ascii")
    assert (done.returncode, done.stderr) == (Exit.HOLDS, b"")
    assert "\\" not in said
    assert said.count("\n") > 5
    assert ("\n  S    section" if "LIST-3" in arguments else "LIST-4 - section 4.1") in said
