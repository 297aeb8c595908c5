"""Finds words to avoid in the project's documents and messages, and says what to write instead.

The words are in prose.toml; proselint adds general ones, such as clichés and archaic words.
"""

from __future__ import annotations

import re
import sys
import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from proselint.checks import __register__ as general
from proselint.registry.checks import Check

from petstore_reference.faults import FAULTY
from petstore_reference.variations import VARIATIONS
from tools.prose_texts import Passage, passages

ROOT = Path(__file__).resolve().parent.parent
RULES = Path(__file__).with_suffix(".toml")
_BREAK = "\n¶\n"  # between two texts, so that no phrase spans them


@dataclass(frozen=True, slots=True)
class Word:
    """A word or phrase to avoid, as a regular expression in which a space is any white space, and what to write."""

    pattern: re.Pattern[str]
    write: str
    example: str
    good: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """What prose.toml says."""

    files: tuple[str, ...]
    general: tuple[Check, ...]
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A word to avoid, and where it is."""

    file: str
    line: int
    found: str
    advice: str

    def __str__(self) -> str:
        return f'{self.file}:{self.line}: "{self.found}": {self.advice}'


def rules(path: Path = RULES) -> Rules:
    """The rules in a file."""
    data = tomllib.loads(path.read_text("utf-8"))
    words = [
        Word(_pattern(row["avoid"]), row["write"], row["example"], tuple(row.get("good", ()))) for row in data["word"]
    ]
    off = data["general_off"]
    checks = [check for check in general if not any(check.matches_partial(name) for name in off)]
    return Rules(tuple(data["files"]), tuple(checks), tuple(words))


def _pattern(avoid: str) -> re.Pattern[str]:
    return re.compile(avoid.replace(" ", r"\s+"), re.IGNORECASE)


def read(text: str, known: Rules) -> Iterator[tuple[int, str, str]]:
    """The words to avoid in a text: where they are, the words, and the advice."""
    for word in known.words:
        yield from ((match.start(), match[0], f"write {word.write}") for match in word.pattern.finditer(text))
    for check in known.general:
        for result in check.check_with_flags(text):
            first, end = result.span
            yield first, text[first:end], f"{result.message} ({result.check_path})"


def findings(path: Path, name: str, known: Rules) -> list[Finding]:
    """The words to avoid in a file, by line."""
    lines = path.read_text("utf-8").splitlines()
    found = list(passages(path))
    starts = list(accumulate((len(passage.text) + len(_BREAK) for passage in found), initial=len(_BREAK)))
    text = _BREAK + _BREAK.join(passage.text for passage in found) + _BREAK
    results = set()
    for place, words, advice in read(text, known):
        number = bisect_right(starts, place + 1) - 1
        passage = found[max(number, 0)]
        line = _line(passage, passage.text[: place - starts[number]].count("\n"), words, lines)
        results.add(Finding(name, line, " ".join(words.split()), advice))
    return sorted(results)


def _line(passage: Passage, breaks: int, words: str, lines: Sequence[str]) -> int:
    """The line that has the words, as far as the source shows it."""
    guess = min(passage.first + breaks, passage.last)
    order = [guess, *range(passage.first, passage.last + 1)]
    return next((line for line in order if words.strip() in lines[line - 1]), guess)


def served(known: Rules, reported: Iterable[Finding]) -> list[Finding]:
    """The words to avoid in names and summaries of faults and variations that no source file shows in one piece."""
    already = {finding.found.lower() for finding in reported}
    texts = {
        f"petcheck serve {option} {name}": f"{name.replace('-', ' ')}{_BREAK}{each.summary}"
        for option, named in (("--fault", FAULTY), ("--variation", VARIATIONS))
        for name, each in named.items()
    }
    whole = _BREAK.join(texts.values())
    words = {found for _, found, _ in read(whole, known) if found.lower() not in already}
    return [
        Finding(name, 1, found, advice)
        for name, text in texts.items()
        if any(word in text for word in words)
        for _, found, advice in read(text, known)
        if found in words
    ]


def main(arguments: Sequence[str]) -> int:
    """Print the words to avoid in the named files, or in all files of prose.toml; 1 if there are any."""
    known = rules()
    if arguments:
        found = [finding for name in arguments for finding in findings(Path(name), name, known)]
    else:
        paths = sorted({path for pattern in known.files for path in ROOT.glob(pattern) if path.is_file()})
        found = [finding for path in paths for finding in findings(path, path.relative_to(ROOT).as_posix(), known)]
        found += served(known, found)
    for finding in found:
        print(finding)
    if found:
        print(f"\n{len(found)} to change. The list of words, and how to add or narrow one: tools/prose.toml")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
