"""Prepares the pages of the documentation: those in `docs/`, and one for each entry of the catalogue.

As a program, it writes them to `build/docs`, which zensical.toml names.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import runpy
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from petcheck.judging import rules
from petcheck.spec.catalogue import Catalogue, Requirement, catalogue
from petcheck.spec.sections import TITLES, order
from petstore_reference.faults import FAULTS
from petstore_reference.registry import Fault

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "build" / "docs"
# documents in the root of the repository, where people look for them
FROM_ROOT = {"SECURITY.md": "security.md", "CONTRIBUTING.md": "contributing.md"}
_LEVELS = {
    "stated": "The document says it. A server that breaks it fails.",
    "implied": "It follows from the document, and there is no other reading. A server that breaks it fails.",
    "open": "The document is silent. petcheck observes and reports what the server does; no server fails for it.",
}
_NEEDS = {
    "writes": "`--allow-writes`",
    "exhaust": "`--exhaust-rate-limit`",
    "plan": "`--plan`",
    "examples": "`--examples 200`",
    "after-removal": "`--as-of 2030-12-05`",
    "day-before-removal": "`--as-of 2030-12-04`",
}


@dataclass(frozen=True, slots=True)
class Check:
    """A check: its file, and what its docstring says."""

    file: str
    says: str


def pages() -> dict[str, str]:
    """The text of each page, by its path in the site."""
    written = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
    for source, name in FROM_ROOT.items():
        written[name] = (ROOT / source).read_text("utf-8")
    entries = catalogue()
    return {
        **{name: _in_site(text) for name, text in written.items()},
        "requirements/index.md": index(entries),
        **{f"requirements/{entry.id}.md": page(entry) for entry in entries.entries},
    }


def _in_site(text: str) -> str:
    """The text with links as they are in the site, where all pages are in one folder."""
    for source, name in FROM_ROOT.items():
        text = re.sub(rf"\]\((?:\.\./)?{re.escape(source)}", f"]({name}", text)
    return text.replace("](docs/", "](")


def index(entries: Catalogue) -> str:
    """The page that lists all entries, by section."""
    lines = [
        "# Requirements",
        "",
        f"petcheck judges {len(entries.judged)} requirements of the document, and observes "
        f"{len(entries.entries) - len(entries.judged)} points that the document leaves open. Each has a page.",
    ]
    for section in sorted({entry.section for entry in entries.entries}, key=order):
        lines += ["", f"## {section} {TITLES[section]}", "", "| requirement | level | in short |", "|---|---|---|"]
        lines += [
            f"| [{entry.id}]({entry.id}.md) | {entry.level} | {_cell(entry.statement)} |"
            for entry in entries.entries
            if entry.section == section
        ]
    return "\n".join([*lines, ""])


def page(entry: Requirement) -> str:
    """The page of one entry."""
    also = f"; also in section {', '.join(entry.also)}" if entry.also else ""
    lines = [
        f"# {entry.id}",
        "",
        entry.statement if entry.open else f"In short: {entry.statement}",
        "",
        f"Section {entry.section}, *{TITLES[entry.section]}*{also}. **{entry.level.capitalize()}**: "
        f"{_LEVELS[entry.level]}",
    ]
    if entry.start or entry.until:
        days = [f"from {entry.start} on"] if entry.start else []
        days += [f"before {entry.until}"] if entry.until else []
        lines += ["", f"In force {' and '.join(days)}; `--as-of` sets the day."]
    if entry.untestable:
        lines += ["", f"No check can test this. {entry.untestable}"]
    if not entry.open:
        lines += [*_judging(entry), *_faults(entry)]
    elif checks := checks_of(entry.id):
        lines += ["", "## What petcheck observes", "", *(f"- {check.says} (`{check.file}`)" for check in checks)]
    return "\n".join([*lines, ""])


def _judging(entry: Requirement) -> Iterator[str]:
    checks = checks_of(entry.id)
    if checks:
        yield from ("", "## What petcheck checks", "", *(f"- {check.says} (`{check.file}`)" for check in checks))
    if entry.id in rules.RULE:
        rule = rules.RULE[entry.id]
        yield from ("", f"The rule is in `{_modules()[entry.id]}`.")
        if rule.over is None:
            reason = f"If a run shows nothing to judge, the reason is: *{rule.nothing}*"
            yield from ("", "## When it is inconclusive", "", reason)


def _faults(entry: Requirement) -> Iterator[str]:
    found = [fault for fault in FAULTS.values() if entry.id in fault.breaks]
    if not found:
        return
    yield from (
        "",
        "## Faults that it finds",
        "",
        f"Tests prove that this requirement finds {'this fault' if len(found) == 1 else f'these {len(found)} faults'} "
        f"of the reference server. To see one, run `petcheck serve --fault {found[0].name}`.",
        "",
        "| fault | what is wrong | found with | also fails |",
        "|---|---|---|---|",
        *(
            f"| `{fault.name}` | {_cell(fault.summary)} | {_needed(fault)} | {_others(fault, entry)} |"
            for fault in found
        ),
    )


def _needed(fault: Fault) -> str:
    return ", ".join(text for need, text in _NEEDS.items() if need in fault.needs)


def _others(fault: Fault, entry: Requirement) -> str:
    return ", ".join(f"[{other}]({other}.md)" for other in fault.breaks if other != entry.id)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def checks_of(name: str) -> list[Check]:
    """The checks that name an entry, in the order of their files."""
    return [check for names, check in _checks() if name in names]


@cache
def _checks() -> tuple[tuple[frozenset[str], Check], ...]:
    """Every check, with the entries that its markers name."""
    found = []
    for path in sorted((ROOT / "checks").glob("test_*.py")):
        module = runpy.run_path(str(path), run_name=path.stem)
        for name, check in module.items():
            if name.startswith("test_"):
                says = " ".join((inspect.getdoc(check) or name).split())
                found.append((_named(getattr(check, "pytestmark", ())), Check(f"checks/{path.name}", says)))
    return tuple(found)


def _named(marks: Iterable[Any]) -> frozenset[str]:
    """The entries in the markers of a check, and in those of its parameters."""
    names: set[str] = set()
    for mark in marks:
        if mark.name in ("requirement", "observes"):
            names |= set(mark.args)
        elif mark.name == "parametrize":
            names |= {name for values in mark.args[1] for name in _named(getattr(values, "marks", ()))}
    return frozenset(names)


@cache
def _modules() -> dict[str, str]:
    """The file of each requirement's rule."""
    names = [module.name for module in pkgutil.iter_modules(rules.__path__, f"{rules.__name__}.")]
    modules = [importlib.import_module(name) for name in names]
    return {
        rule.requirement: f"src/{module.__name__.replace('.', '/')}.py" for module in modules for rule in module.RULES
    }


def main() -> None:
    """Write all pages and pictures."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for name, text in pages().items():
        (PAGES / name).parent.mkdir(parents=True, exist_ok=True)
        (PAGES / name).write_text(text, encoding="utf-8")
    for picture in (*(ROOT / "docs").glob("*.png"), *(ROOT / "docs").glob("*.svg")):
        shutil.copy(picture, PAGES)


if __name__ == "__main__":
    main()
