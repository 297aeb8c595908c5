"""Extracts the texts that people read from files: documents, messages, docstrings, comments, templates.

Code inside a text and the placeholders of a message become sample words (`Q1`, `Q2`, …): their place in the sentence
counts, their content does not.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import yaml
from markdown_it import MarkdownIt

_PROSE = re.compile(r"[A-Za-z]{2,}[,;:]? [A-Za-z]{2,}|[a-z]{2,}[.!?]$")
_NAME = re.compile(r"[a-z]+(?:-[a-z0-9]+)+")
_CODE = re.compile(r"`[^`]*`|\{[\w.!:\[\]]*\}")
_COMMENT = re.compile(r"(?:^|(?<=\s))(?:#|//)\s(.*)$")
# of an HTML template with Jinja: what stands inside a sentence, what does not, and values
_INLINE = re.compile(r"</?(?:a|abbr|b|code|em|i|small|span|strong|time)\b[^>]*>")
_MARKUP = re.compile(r"\{#.*?#\}|\{%.*?%\}|<!--.*?-->|<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL)
_VALUE = re.compile(r"\{\{.*?\}\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Passage:
    """One text and its lines in the file, from 1."""

    text: str
    first: int
    last: int


class Samples:
    """Sample words, all different, so that two in a row are not one word twice."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def word(self, _: object = None) -> str:
        """The next word."""
        return f"Q{next(self._numbers)}"


def markdown(source: str) -> Iterator[Passage]:
    """The paragraphs, headings, items and cells of a page, without its blocks of code."""
    samples = Samples()
    kinds: dict[str, Callable[[str], str]] = {
        "text": str,
        "softbreak": lambda _: "\n",
        "hardbreak": lambda _: "\n",
        "code_inline": samples.word,
    }
    for token in MarkdownIt().enable("table").parse(source):
        if token.type == "inline" and token.map:
            first, end = token.map
            text = "".join(kinds[part.type](part.content) for part in token.children or () if part.type in kinds)
            yield Passage(text, first + 1, end)


def python(source: str) -> Iterator[Passage]:
    """The strings that are prose (docstrings too), the names joined by hyphens, and the comments."""
    samples = Samples()
    tree = ast.parse(source)
    of_others: set[ast.AST] = set()  # the literal parts of f-strings, which are read with them
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            of_others |= {part for part in node.values if isinstance(part, ast.Constant)}
            parts = [str(part.value) if isinstance(part, ast.Constant) else samples.word() for part in node.values]
            yield from _prose("".join(parts), samples, node.lineno, node.end_lineno)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in of_others:
            yield from _prose(node.value, samples, node.lineno, node.end_lineno)
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    found = [token for token in tokens if token.type == tokenize.COMMENT]
    yield from _joined([(token.start[0], token.line[: token.start[1]], token.string[1:]) for token in found], samples)


def is_prose(text: str) -> bool:
    """Whether a string literal is words for a reader rather than a name or a value."""
    return _PROSE.search(text) is not None


def _prose(text: str, samples: Samples, first: int, last: int | None) -> Iterator[Passage]:
    if _NAME.fullmatch(text):
        text = text.replace("-", " ")
    if is_prose(text):
        yield Passage(_CODE.sub(samples.word, text), first, last or first)


def _joined(comments: Sequence[tuple[int, str, str]], samples: Samples) -> Iterator[Passage]:
    """Comments by line, the code before them, and their text; neighbours without code are one text."""
    at = 0
    while at < len(comments):
        end = at + 1
        line, before, _ = comments[at]
        while end < len(comments) and comments[end][:2] == (line + end - at, before) and not before.strip():
            end += 1
        text = "\n".join(text.strip() for _, _, text in comments[at:end])
        yield from _prose(text, samples, line, line + end - at - 1)
        at = end


def comments(source: str) -> Iterator[Passage]:
    """The comments of a file whose comments begin with `#` or `//`."""
    found = [(number, _COMMENT.search(line)) for number, line in enumerate(source.splitlines(), 1)]
    yield from _joined(
        [(number, match.string[: match.start()], match[1]) for number, match in found if match], Samples()
    )


def yaml_values(source: str) -> Iterator[Passage]:
    """The values of a YAML or JSON file that are prose, and the comments."""
    samples = Samples()

    def values(node: yaml.Node) -> Iterator[Passage]:
        if isinstance(node, yaml.MappingNode):
            for _, value in node.value:
                yield from values(value)
        elif isinstance(node, yaml.SequenceNode):
            for value in node.value:
                yield from values(value)
        elif isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:str" and node.style != "|":
            yield from _prose(node.value, samples, node.start_mark.line + 1, node.end_mark.line + 1)

    for document in yaml.compose_all(source, Loader=yaml.CSafeLoader):
        yield from values(document)
    yield from comments(source)


def template(source: str) -> Iterator[Passage]:
    """The text of an HTML template, element by element."""
    samples = Samples()
    text = _INLINE.sub("", source)
    text = _MARKUP.sub(lambda match: "\0" + "\n" * match[0].count("\n"), text)
    text = _VALUE.sub(lambda match: samples.word() + "\n" * match[0].count("\n"), text)
    line = 1
    for piece in text.split("\0"):
        blank = piece[: len(piece) - len(piece.lstrip())].count("\n")
        yield from _prose(piece.strip(), samples, line + blank, line + piece.rstrip().count("\n"))
        line += piece.count("\n")


Reader = Callable[[str], Iterator[Passage]]
READERS: dict[str, Reader] = {
    ".md": markdown,
    ".py": python,
    ".yaml": yaml_values,
    ".yml": yaml_values,
    ".json": yaml_values,
    ".jinja": template,
}


def passages(path: Path) -> Iterator[Passage]:
    """The texts of a file, by the kind that its suffix names; of any other kind its comments."""
    return READERS.get(path.suffix, comments)(path.read_text("utf-8"))
