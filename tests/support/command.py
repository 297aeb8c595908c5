"""The command as a user runs it: in its own process, in any folder."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Protocol

from petcheck.results.result import Result, load
from tests.support.compiled import BYTECODE

KEY = "canary-Zq7vXw2TzR9mPb4LcY8dHs3NfJ"
FOREIGN = (
    *("PYTEST", "PETCHECK", "PETSTORE", "HTTP_PROXY", "http_proxy", "COLUMNS", "NO_COLOR"),
    *("CI", "GITHUB_", "TF_BUILD", "TEAMCITY_", "PYTHONDONTWRITEBYTECODE"),
)


@dataclass(frozen=True)
class Ran:
    """A run that ended: its exit code, its output, its duration (seconds) and its peak memory (MB)."""

    code: int
    out: str
    err: str
    seconds: float
    peak_mb: float
    reports: Path

    @cached_property
    def result(self) -> Result:
        return load(self.reports / "result.json")

    @property
    def outcomes(self) -> dict[str, str]:
        """The outcome of each requirement, in a run of one target."""
        return {row.id: row.outcome for row in self.result.requirements}

    def reason(self, requirement: str) -> str:
        return next(row.reason for row in self.result.requirements if row.id == requirement)

    @property
    def last_line_of_trouble(self) -> str:
        """The content of stderr, which must be one line."""
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1, self.err
        return self.err.rstrip("\n")

    def assert_reports(self) -> None:
        """Every report is complete and can be parsed."""
        assert self.result.run.exit == self.code
        ET.parse(self.reports / "junit.xml")
        page = (self.reports / "report.html").read_text(encoding="utf-8")
        tags = Tags()
        tags.feed(page)
        assert tags.seen[:2] == ["html", "head"]
        assert "script" not in tags.seen

    def written(self) -> dict[str, bytes]:
        """Every file of the run, and its output, by name."""
        files = {str(path.relative_to(self.reports)): path for path in self.reports.rglob("*") if path.is_file()}
        said = {"stdout": self.out.encode(), "stderr": self.err.encode()}
        return {name: path.read_bytes() for name, path in files.items()} | said


class Tags(HTMLParser):
    """The names of a page's elements, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)


def environment(key: str | None = KEY, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a run, without the variables that control these tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    kept["PYTHONPYCACHEPREFIX"] = str(BYTECODE)
    return kept | ({"PETSTORE_API_KEY": key} if key is not None else {}) | dict(more or {})


def petcheck(
    folder: Path,
    *arguments: str,
    key: str | None = KEY,
    more: Mapping[str, str] | None = None,
    program: str = "petcheck",
    as_it_comes: bool = False,
    patience: float = 120,
) -> Ran:
    """Run `petcheck` with arguments in a folder; its reports go to `reports/` there.

    Without property examples, which take most of the time of a short run, unless it is to be run `as_it_comes`.
    """
    arguments = arguments if as_it_comes else without_examples(arguments)
    started = start(folder, *arguments, key=key, more=more, program=program)
    return ended(started, folder, patience)


def without_examples(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments of the same run without property examples, unless they mention them."""
    counted = "--target" in arguments and "--examples" not in arguments
    return (*arguments, "--examples", "0") if counted else arguments


def start(
    folder: Path,
    *arguments: str,
    key: str | None = KEY,
    more: Mapping[str, str] | None = None,
    program: str = "petcheck",
) -> subprocess.Popen[bytes]:
    """Start such a run, and leave it running."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        return subprocess.Popen(
            [sys.executable, "-m", program, *arguments],
            cwd=folder,
            env=environment(key, more),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )


class Process(Protocol):
    """A process of a run."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None:
        """Its exit code once it has ended."""

    def kill(self) -> None: ...


def ended(process: Process, folder: Path, patience: float = 120) -> Ran:
    """Wait until a run ends by itself, at most `patience` seconds."""
    began = time.monotonic()
    peak = 0.0
    while (code := process.poll()) is None:
        # the system's count for an ended child includes its parent's size; this one does not
        peak = max(peak, largest_size(process.pid))
        if time.monotonic() - began > patience:
            process.kill()
            raise AssertionError("the command did not end: " + (folder / "stdout").read_text(errors="replace")[-2000:])
        time.sleep(0.02)
    return Ran(
        code=code,
        out=(folder / "stdout").read_text(encoding="utf-8", errors="backslashreplace"),
        err=(folder / "stderr").read_text(encoding="utf-8", errors="backslashreplace"),
        seconds=time.monotonic() - began,
        peak_mb=peak,
        reports=folder / "reports",
    )


def largest_size(pid: int) -> float:
    """The peak memory of a running process in MB; 0 once it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    sizes = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(sizes[0]) / 1024 if sizes else 0.0
