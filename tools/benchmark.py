"""Measures petcheck and writes `docs/benchmarks.md`: the whole page, or the parts named on the command line.

`run` measures one run; see `one_run`. `tools` compares petcheck with the schemathesis command line on the same
reference server: the cost for the target and the faults found. `fleet` measures many targets; see `fleet_benchmark`.
Times are ratios, because seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from petcheck.spec.files import suite_root
from petstore_reference.faults import FAULTS
from petstore_reference.messages import LoggedRequest
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.command import KEY, environment, petcheck
from tools import fleet_benchmark, one_run

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"

ROUNDS = 3
PATIENCE_S = 600
PROCESSES = 4  # for two cores, since a run of petcheck mostly waits

# a fixed sample, so that figures compare with older ones: 32 faults of any kind, 8 that only a few values reveal, and
# every class of input that makes a reference server return 500
SAMPLE = (
    "206-for-list",
    "400-for-missing-key",
    "500-for-missing-key",
    "503-on-limit-101",
    "filter-available-includes-pending",
    "category-beyond-int64-500",
    "category-negative-500",
    "created-name-emoji-replaced-twice",
    "created-name-replaced",
    "created-name-trimmed",
    "echoed-name-differs",
    "error-empty-object",
    "filter-pending-refused",
    "filter-swapped",
    "get-410",
    "id-beyond-int64",
    "id-text",
    "limit-header-with-window",
    "list-as-text",
    "listed-category-zero",
    "message-list",
    "name-missing-stored-as-is",
    "no-key-needed",
    "no-limit-header",
    "no-remaining-on-400",
    "octet-stream",
    "key-not-checked",
    "remaining-fraction",
    "remaining-frozen",
    "status-null-500",
    "text-json",
    "unknown-id-403",
    "category-0-crashes",
    "limit-40s-not-found-for-available",
    "limit-60s-one-too-many",
    "long-segment-crashes",
    "name-over-255-crashes",
    "negative-id-refused",
    "number-as-status-crashes",
    "unknown-parameter-crashes",
    "category-1e400-crashes",
    "control-character-crashes",
    "cyrillic-crashes",
    "deep-nesting-crashes",
    "duplicate-field-crashes",
    "empty-name-crashes",
    "extra-field-crashes",
    "extra-field-1e400-crashes",
    "fraction-as-limit-crashes",
    "id-over-int32-crashes",
    "largest-id-crashes",
    "limit-30s-crash",
    "limit-over-70-crashes-for-sold",
    "lone-surrogate-crashes",
    "name-of-30-to-39-crashes",
    "nul-crashes",
    "number-as-body-crashes",
    "object-as-category-crashes",
    "segment-beyond-ascii-crashes",
)


@dataclass(frozen=True)
class Cost:
    """One run of a tool: its cost for the server, and its findings, one per line."""

    requests: int
    posts: int
    foreign: int
    left_behind: int
    seconds: float
    findings: frozenset[str]


@contextmanager
def served(*faults: str) -> Iterator[tuple[str, list[LoggedRequest]]]:
    """A reference server with a quota that slows down no tool, and its log."""
    app = create_app(ReferenceSettings(keys={KEY: "business"}, window_seconds=3.0, faults=faults))
    with running(app) as url:
        yield f"{url}/v1", app.state.log


def cost_of(tool: Callable[[str, Path], frozenset[str]], *faults: str) -> Cost:
    """Run a tool once against a server."""
    with served(*faults) as (url, log), tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        findings = tool(url, Path(folder))
        seconds = time.monotonic() - began
    paths = re.compile(r"/v1/(pets(/[^/]+)?|store/orders)")
    foreign = [line for line in log if (line.method not in ("GET", "POST")) or not paths.fullmatch(line.path)]
    posts = [line for line in log if line.method == "POST"]
    made = [line for line in posts if line.status == 201]
    return Cost(len(log), len(posts), len(foreign), len(made), seconds, findings)


def ours(*options: str) -> Callable[[str, Path], frozenset[str]]:
    """petcheck, with all permissions except those that make it wait."""

    def run(url: str, folder: Path) -> frozenset[str]:
        ran = petcheck(
            folder,
            "--target",
            url,
            "--allow-writes",
            "--max-requests",
            "9999",
            "--seed",
            "1",
            *options,
            as_it_comes=True,
            patience=PATIENCE_S,
        )
        return frozenset(name for name, outcome in ran.outcomes.items() if outcome == "fail")

    return run


def schemathesis(url: str, folder: Path) -> frozenset[str]:
    """The command line of schemathesis with its defaults, the key and a seed."""
    program = Path(sys.executable).with_name("schemathesis")
    command = [str(program), "run", str(suite_root() / "openapi.yaml"), "--url", url, "--no-color", "--seed", "1"]
    command += ["-H", f"Authorization: Bearer {KEY}"]
    ran = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    found, operation = set(), ""
    for line in ran.stdout.splitlines():
        if title := re.fullmatch(r"_+ ((?:GET|POST) \S+) _+", line):
            operation = title[1]
        if finding := re.match(r"- (ST\d+ .*)", line):
            found.add(f"{operation}: {finding[1]}")
    return frozenset(found)


TOOLS: dict[str, Callable[[str, Path], frozenset[str]]] = {
    "petcheck": ours(),
    "petcheck --examples 200": ours("--examples", "200"),
    "schemathesis run": schemathesis,
}


def _found(task: tuple[str, str, frozenset[str]]) -> tuple[str, str, bool]:
    """Whether a tool reports something for a fault that it does not report for the conforming server."""
    tool, fault, usual = task
    return tool, fault, bool(cost_of(TOOLS[tool], fault).findings - usual)


def _tools() -> list[str]:
    """The section on petcheck and the schemathesis command line."""
    rounds = {tool: [cost_of(run) for _ in range(ROUNDS)] for tool, run in TOOLS.items()}
    alarms = {tool: frozenset().union(*(cost.findings for cost in costs)) for tool, costs in rounds.items()}
    tasks = [(tool, fault, alarms[tool]) for fault in SAMPLE for tool in TOOLS]
    with ProcessPoolExecutor(PROCESSES) as pool:
        results = list(pool.map(_found, tasks))
    found = {tool: {fault for name, fault, hit in results if name == tool and hit} for tool in TOOLS}
    peaks = {number: _peak(number) for number in (100, 2000)}
    return _compared(rounds, alarms, found, peaks)


@dataclass(frozen=True)
class Part:
    """A section of the document, and the measurement that gives its lines."""

    title: str
    measure: Callable[[], list[str]]


PARTS = {
    "run": Part("One run", one_run.lines),
    "tools": Part("Compared with the schemathesis command line", _tools),
    "fleet": Part("Many targets", fleet_benchmark.lines),
}
_HEAD = ("# Benchmarks", "", "`make bench` writes this page; do not edit it.")


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and write the page; parts that are not measured stay as they are."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmark", allow_abbrev=False)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{' or '.join(PARTS)} (default: all)")
    chosen = parser.parse_args(argv).parts or list(PARTS)
    if unknown := [name for name in chosen if name not in PARTS]:
        parser.error(f"no part {unknown[0]}; the parts are {', '.join(PARTS)}")
    measured = {PARTS[name].title: PARTS[name].measure() for name in chosen}
    DOCUMENT.write_text(with_sections(DOCUMENT.read_text(encoding="utf-8"), measured), encoding="utf-8")
    print(DOCUMENT.read_text(encoding="utf-8"))
    return 0


def with_sections(text: str, measured: Mapping[str, Sequence[str]]) -> str:
    """The page with these sections replaced; a section is the lines below a title."""
    kept = {title: body.strip() for title, body in re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", text, re.MULTILINE)}
    bodies = kept | {title: "\n".join(lines).strip() for title, lines in measured.items()}
    sections = [f"## {part.title}\n\n{bodies[part.title]}\n" for part in PARTS.values() if part.title in bodies]
    return "\n".join([*_HEAD, "", *sections])


def _peak(examples: int) -> tuple[float, float]:
    """The peak memory of a run with that many examples, and the size of its reports; both in MB."""
    with served() as (url, _), tempfile.TemporaryDirectory() as folder:
        options = ("--allow-writes", "--max-requests", "99999", "--max-wait", "600", "--examples", str(examples))
        ran = petcheck(Path(folder), "--target", url, *options, patience=PATIENCE_S)
        written = sum(path.stat().st_size for path in ran.reports.iterdir())
        return ran.peak_mb, written / 1e6


def _compared(
    rounds: dict[str, list[Cost]],
    alarms: dict[str, frozenset[str]],
    found: dict[str, set[str]],
    peaks: dict[int, tuple[float, float]],
) -> list[str]:
    base = statistics.median(cost.seconds for cost in rounds["petcheck"])
    lines = [
        f"Each tool tests the same reference server on the same machine: {ROUNDS} times while the server conforms, and",
        f"once with each of {len(SAMPLE)} faults. Times are medians for the whole process, relative to `petcheck` with",
        "its defaults.",
        "",
        "| | " + " | ".join(f"`{tool}`" for tool in rounds) + " |",
        "|---|" + "---|" * len(rounds),
    ]

    def row(title: str, cell: Callable[[str], object]) -> None:
        lines.append(f"| {title} | " + " | ".join(str(cell(tool)) for tool in rounds) + " |")

    def median(tool: str, figure: Callable[[Cost], float]) -> float:
        return statistics.median(figure(cost) for cost in rounds[tool])

    row("requests", lambda tool: round(median(tool, lambda cost: cost.requests)))
    row("POSTs among them", lambda tool: round(median(tool, lambda cost: cost.posts)))
    row("to other methods or paths", lambda tool: round(median(tool, lambda cost: cost.foreign)))
    row("animals left behind", lambda tool: round(median(tool, lambda cost: cost.left_behind)))
    row("time", lambda tool: f"{median(tool, lambda cost: cost.seconds) / base:.1f}")
    row("false alarms on the conforming server", lambda tool: len(alarms[tool]))
    row(f"faults found of {len(SAMPLE)}", lambda tool: len(found[tool]))
    small, large = peaks[100], peaks[2000]
    lines += [
        "",
        "A fault counts as found if the tool reports something that it does not report for the conforming server.",
        "",
        f"With `--examples 2000` a run takes {large[0] / small[0]:.2f} times the memory of a run with `--examples 100`"
        f" (peaks of {large[0]:.0f} and {small[0]:.0f} MB), and writes {large[1]:.1f} MB of reports.",
        "",
        "| Fault | " + " | ".join(f"`{tool}`" for tool in rounds) + " |",
        "|---|" + "---|" * len(rounds),
        *(
            f"| `{fault}` | " + " | ".join("found" if fault in found[tool] else "-" for tool in rounds) + " |"
            for fault in sorted(SAMPLE, key=_order)
        ),
    ]
    return lines


def _order(fault: str) -> tuple[Sequence[int], str]:
    return [int(part) for part in FAULTS[fault].section.split(".")], fault


if __name__ == "__main__":
    sys.exit(main())
