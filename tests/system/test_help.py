"""Help, completion and the man page: from one parser, and readable on one screen."""

from __future__ import annotations

import contextlib
import subprocess

import pytest

from petcheck.cli.completion import FILES, FOLDER, MAN_PAGE
from petcheck.cli.main import main
from petcheck.cli.parser import COMMANDS, parser_of
from petcheck.config.options import OPTIONS
from tests.support.programs import program
from tools.shell_files import whole_parser

SCREEN = (24, 80)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with contextlib.suppress(SystemExit):  # how argparse ends after --help
        assert main(arguments) == 0
    return capsys.readouterr().out


def test_the_overview_fits_a_screen_and_begins_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "help").splitlines()
    assert len(lines) <= SCREEN[0]
    assert max(map(len, lines)) <= SCREEN[1]
    assert [line.split()[0] for line in lines[2:5]] == ["petcheck"] * 3
    assert {line.split()[1] for line in lines if line.startswith("  petcheck ")} >= COMMANDS.keys()


def test_the_options_of_a_run_are_in_groups_that_fit_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    page = said(capsys, "--help")
    assert max(map(len, page.splitlines())) <= SCREEN[1]
    groups = page.split("\n\n")
    assert max(len(group.splitlines()) for group in groups) <= SCREEN[0]
    assert [line.split()[0] for line in groups[1].splitlines()] == ["petcheck"] * 3
    assert all(f"  {option.flag}" in page for option in OPTIONS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = said(capsys, "help", command)
    assert page == said(capsys, command, "--help")
    assert page.startswith(f"usage: petcheck {command}")


def test_help_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "help", "run") == said(capsys, "--help")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["help", "judg"], "help: unknown command judg; did you mean judge?"),
        (["help", "zzz"], "help: unknown command zzz; `petcheck help` lists them"),
        (["completion", "tcsh"], "completion: name a shell: bash, zsh, fish"),
        (["requirements", "X"], "unknown argument X; `petcheck requirements --help` lists all options"),
    ],
)
def test_a_mistake(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^4$"):
        main(arguments)
    assert capsys.readouterr().err == f"petcheck: {message}\n"


# ---- the files


@pytest.mark.parametrize("shell", FILES)
def test_the_command_prints_them(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "completion", shell) == (FOLDER / FILES[shell]).read_text(encoding="utf-8")


def test_the_man_page_has_every_option_and_no_warning() -> None:
    shown = subprocess.run(
        [program("man"), "--warnings", "-E", "UTF-8", "-P", "cat", "-l", str(FOLDER / MAN_PAGE)],
        env={"MANWIDTH": "100", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stderr == ""
    assert all(option.flag in shown.stdout for option in OPTIONS)
    assert all(f"petcheck {command}" in shown.stdout for command in COMMANDS)
    assert "petcheck CREATE-5 AUTH 4.2 --target URL" in shown.stdout


def test_the_whole_parser_knows_what_each_command_does() -> None:
    page = whole_parser().format_help()
    assert all(f"  {command} " in page for command in COMMANDS)
    assert all(parser_of(command).description for command in COMMANDS)
