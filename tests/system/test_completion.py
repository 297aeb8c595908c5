"""Completion in the shells themselves: each is asked what it offers after the words of a line."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from petcheck.cli.completion import FILES, FOLDER
from petstore_reference.faults import FAULTS
from tests.support.programs import program

pytestmark = pytest.mark.slow

_PATIENCE_S = 30

_IN_BASH = """
. "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
"$(complete -p petcheck | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def in_bash(line: str, folder: Path) -> set[str]:
    script = folder / "complete.bash"
    script.write_text(_IN_BASH)
    words = ["bash", "--norc", str(script), str(FOLDER / FILES["bash"]), *line.split()]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=_PATIENCE_S)
    assert done.stderr == ""
    return set(done.stdout.split())


def in_fish(line: str, folder: Path) -> set[str]:
    done = subprocess.run(
        [program("fish"), "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", FOLDER / FILES["fish"], line],
        capture_output=True,
        text=True,
        check=True,
        timeout=_PATIENCE_S,
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
    )
    assert done.stderr == ""
    return {offered.partition("\t")[0] for offered in done.stdout.splitlines()}


def in_zsh(line: str, folder: Path) -> set[str]:
    """Its completion runs in a terminal only, where Ctrl-T lists what it offers."""
    ours, terminal = pty.openpty()
    zsh = subprocess.Popen(
        [program("zsh"), "-f", "-i"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": str(folder), "COLUMNS": "200", "LC_ALL": "C.UTF-8"},
    )
    os.close(terminal)

    def until(end: str, times: int = 1) -> str:
        shown = b""
        while shown.count(end.encode()) < times and select.select([ours], [], [], _PATIENCE_S)[0]:
            shown += os.read(ours, 65_536)
        assert shown.count(end.encode()) == times, shown
        return re.sub(r"\x1b\[[?0-9]*[a-z]", "", shown.decode())

    try:
        load = f'autoload -Uz compinit; compinit -u -D; eval "$(<{FOLDER / FILES["zsh"]})"'
        os.write(ours, f"{load}; bindkey '^T' list-choices; PS1='REA''DY '\n".encode())
        until("READY ")  # the prompt: from now on the line editor reads, and the terminal echoes nothing itself
        os.write(ours, f"{line}\x14".encode())
        _, _, listed = until(line, times=2).partition("\n")  # the line is there again below the list
    finally:
        zsh.kill()
        zsh.wait()
        os.close(ours)
    return {word for row in listed.splitlines()[:-1] for word in row.partition(" -- ")[0].split()}


SHELLS: dict[str, Callable[[str, Path], set[str]]] = {"bash": in_bash, "fish": in_fish, "zsh": in_zsh}
LINES = {
    "petcheck --allow": {"--allow-writes"},
    "petcheck expl": {"explain"},
    "petcheck ORDERS": {"ORDERS", "ORDERS-1"},
    "petcheck AUTH-1 ORDERS": {"ORDERS", "ORDERS-1"},
    "petcheck AUTH-1 --allow": {"--allow-writes"},
    "petcheck explain VERS": {"VERSION", "VERSION-1", "VERSION-2"},
    "petcheck --plan b": {"business"},
    "petcheck serve --f": {"--fault"},
    "petcheck serve --fault default-limit-50": {name for name in FAULTS if name.startswith("default-limit-50")},
    "petcheck serve --variation default": {"default-status"},
    "petcheck verify --pub": {"--public-key"},
}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("line", LINES)
def test_a_shell_completes(line: str, shell: str, tmp_path: Path) -> None:
    assert SHELLS[shell](line, tmp_path) == LINES[line]


def test_each_shell_that_has_a_completion_is_tried() -> None:
    assert set(SHELLS) == set(FILES)
