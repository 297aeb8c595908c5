"""Renders every message of the package with sample values; as a program, prints them as a list to be read.

A message is a string literal or an f-string that is prose. Each is rendered twice: where it counts something, it counts
one, and then several.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from tools.prose_texts import is_prose

SOURCE = Path(__file__).resolve().parent.parent / "src"
ONE, SEVERAL = 1, 3
_COUNTS = frozenset(
    {
        *("excess", "failing", "known", "least", "left", "limit", "lines", "more", "most", "needed", "number"),
        *("numbers", "own", "requests", "seconds", "served", "size", "total", "undone", "wait", "whole", "width"),
    }
)
"""Names whose values are numbers."""
_EXAMPLES = {
    "described": "GET /pets?limit=5",
    "answer_text": "404 Not Found",
    "quoted": '"Rex"',
    "kind": "a string",
    "in_words": "a minute",
}
"""What functions return that words are made with."""
_WORDS = frozenset({"plural", "and_list"})
"""Functions that choose words by a number, and so are called."""
_NUMBERS = frozenset({"len", "max", "min", "round", "sum"})


@dataclass(frozen=True, slots=True)
class Message:
    """A message, as rendered, and where its template stands. `unclear` are the placeholders that had no value."""

    file: str
    line: int
    text: str
    unclear: tuple[str, ...]


class Sample(str):
    """A value of any type: it counts `number`, and everything that it is asked for is a sample too."""

    __slots__ = ("number",)
    number: int

    def __new__(cls, name: str, number: int) -> Sample:
        made = super().__new__(cls, str(number) if name in _COUNTS else _EXAMPLES.get(name, f"‹{name}›"))
        made.number = number
        return made

    def _next(self, name: str = "value") -> Sample:
        return Sample(name, self.number)

    def __getattr__(self, name: str) -> Sample:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._next(name)

    def __call__(self, *_: object, **__: object) -> Sample:
        return self

    def __getitem__(self, _: object) -> Sample:
        return self

    def __iter__(self) -> Iterator[Sample]:
        return iter([self] * self.number)

    def __len__(self) -> int:
        return self.number

    def __bool__(self) -> bool:
        return True

    def __int__(self) -> int:
        return self.number

    __index__ = __int__

    def __float__(self) -> float:
        return float(self.number)

    def __eq__(self, other: object) -> bool:
        return self.number == other if isinstance(other, int) else str.__eq__(self, other) is True

    def __hash__(self) -> int:
        return str.__hash__(self)

    def __gt__(self, other: Any) -> bool:
        return self.number > (other if isinstance(other, int | float) else 0)

    def __lt__(self, other: Any) -> bool:
        return self.number < (other if isinstance(other, int | float) else 0)

    __ge__, __le__ = __gt__, __lt__

    def __add__(self, _: object) -> Sample:
        return self

    def __sub__(self, _: object) -> Sample:
        return self

    __radd__ = __add__
    __neg__ = __truediv__ = __floordiv__ = __mul__ = __rmul__ = __rsub__ = __sub__

    def __format__(self, form: str) -> str:
        return format(self.number, form) if form else str.__str__(self)


class Names(dict[str, Any]):
    """The names that a template may use: constants of its module and built-in functions as they are, samples else."""

    def __init__(self, module: Mapping[str, Any], number: int) -> None:
        super().__init__()
        self._module, self._number = module, number

    def __missing__(self, name: str) -> Any:
        own = self._module.get(name)
        constant = isinstance(own, str | int | float | tuple) or (isinstance(own, type) and issubclass(own, Enum))
        if own is not None and constant:
            return own
        if name in _NUMBERS:
            return lambda *_, **__: Sample("number", self._number)
        return own if name in _WORDS else getattr(builtins, name, None) or Sample(name, self._number)


def messages(number: int) -> Iterator[Message]:
    """Every message of the package, each counting `number`, in the order of the files."""
    for path in sorted((SOURCE / "petcheck").rglob("*.py")):
        name = path.relative_to(SOURCE).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
        if not name.endswith("__main__"):
            module = importlib.import_module(name)
            yield from _of(path.relative_to(SOURCE.parent).as_posix(), path.read_text("utf-8"), vars(module), number)


def _of(file: str, source: str, module: Mapping[str, Any], number: int) -> Iterator[Message]:
    tree = ast.parse(source)
    names = Names(module, number)
    skipped: set[ast.AST] = set()  # docstrings, and what belongs to an f-string
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        elif isinstance(node, ast.JoinedStr) and node not in skipped:
            skipped |= set(ast.walk(node))
            yield from _rendered(file, node, names)
        elif isinstance(node, ast.Constant) and node not in skipped and is_prose(text := str(node.value)):
            yield Message(file, node.lineno, text, ())


def _rendered(file: str, node: ast.JoinedStr, names: Names) -> Iterator[Message]:
    literal = "".join(str(part.value) if isinstance(part, ast.Constant) else "Q" for part in node.values)
    if not is_prose(literal):
        return
    text, unclear = "", []
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value)
            continue
        try:
            one = ast.fix_missing_locations(ast.Expression(ast.JoinedStr([part])))
            text += eval(compile(one, file, "eval"), names)
        except Exception as error:
            unclear.append(f"{ast.unparse(part)}: {error!r}")
    yield Message(file, node.lineno, text, tuple(unclear))


def main() -> int:
    """Print every message with several of what it counts."""
    for message in messages(SEVERAL):
        print(f"{message.file}:{message.line}: {message.text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
