"""Writes the table of docs/mutation-testing.md from `mutmut results --all true` on standard input.

Fails if a mutant was not noticed, and names it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from petcheck.grouping import grouped
from petcheck.words import plural

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "mutation-testing.md"
NOTICED = ("killed", "timeout")
_MUTANT = re.compile(r"\s*(\S+__mutmut_\d+): (.+)")
_TABLE = re.compile(r"(?<=<!-- measured -->\n\n).*?(?=\n\n<!-- end -->)", re.DOTALL)


def statuses(lines: Iterable[str]) -> dict[str, str]:
    """The status of each mutant, by its name, from the lines that mutmut prints."""
    found = (_MUTANT.fullmatch(line.rstrip()) for line in lines)
    return {one[1]: one[2] for one in found if one}


def table(mutants: Mapping[str, str]) -> str:
    """A row for each module, and one for all of them: how many mutants it has, and how many tests noticed them."""
    modules = grouped((_module(name), status) for name, status in mutants.items())
    rows = [_row(module, Counter(of_module)) for module, of_module in sorted(modules.items())]
    head = "| Module | Mutants | Killed | Survived | Timeouts |\n|---|--:|--:|--:|--:|"
    return "\n".join([head, *rows, _row("**all**", Counter(mutants.values()))])


def _module(name: str) -> str:
    return name.removeprefix("petcheck.").removeprefix("judging.").rpartition(".")[0].replace(".", "/")


def _row(module: str, count: Counter[str]) -> str:
    survived = count.total() - sum(count[status] for status in NOTICED)
    return f"| {module} | {count.total():,} | {count['killed']:,} | {survived:,} | {count['timeout']:,} |"


def main() -> int:
    """Write the table; the exit code."""
    mutants = statuses(sys.stdin)
    if not mutants:
        print("no mutants on standard input; run `mutmut results --all true`", file=sys.stderr)
        return 4
    DOCUMENT.write_text(_TABLE.sub(lambda _: table(mutants), DOCUMENT.read_text("utf-8")), encoding="utf-8")
    missed = {name: status for name, status in mutants.items() if status not in NOTICED}
    print(f"{plural(len(mutants), 'mutant')}, {len(missed)} not noticed")
    for name, status in missed.items():
        print(f"{name}: {status}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
