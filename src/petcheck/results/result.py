"""result.json: the findings of a run as a file. Every other output is a view of it.

A `Result` is written at the end of a run and validated against `result.schema.json` beside this module. Reading it
back gives an equal value, or raises `NotAResult` with one line that says what is wrong with the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from petcheck.errors import NotAResult
from petcheck.results.findings import FORMAT, Findings
from petcheck.results.totals import headline
from petcheck.sanitize import printable
from petcheck.stream.reading import RESULT_CAP, parsed, read_file
from petcheck.stream.typed import plain, typed

FILE = "result.json"
_MOST_LINES, _IN_BRIEF = 30, 200  # of a summary: lines, and characters of a reason
_SHOWN_OF_A_PLACE = 100
_SHOWN_OF_AN_END = 100  # of a message: it begins with the value, which may be long, and ends with what is wrong with it


@dataclass(frozen=True, slots=True)
class Result(Findings):
    """A run, as petcheck gives it to others: printed, it is a summary."""

    def __str__(self) -> str:
        """A summary of at most 30 lines: the verdict, how many requirements have each outcome, which fail, and why."""
        wrong = [row for row in self.requirements if row.outcome in ("fail", "error")]
        lines = [headline(self), ", ".join(f"{number} {outcome}" for outcome, number in self.counts.items())]
        lines += [f"{row.id} on {row.target}: {printable(row.reason, _IN_BRIEF, whole_in=FILE)}" for row in wrong]
        cut = len(lines) - _MOST_LINES
        return "\n".join(lines if cut <= 0 else [*lines[: _MOST_LINES - 1], f"and {cut + 1} more"])


def text_of(result: Result) -> str:
    """The text of result.json. Raises NotAResult if the value breaks the schema."""
    document = to_json(result)
    validate(document)
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def load(path: Path) -> Result:
    """The result in the file `path`. Raises NotAResult; its message begins with the path."""
    try:
        document = parsed(read_file(path, RESULT_CAP))
    except OSError as error:
        raise NotAResult(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise NotAResult(f"{path} is not complete JSON, so no result of petcheck: {printable(str(error))}") from None
    try:
        return from_json(document)
    except NotAResult as error:
        raise NotAResult(f"{path} {error}") from None


def to_json(result: Result) -> dict[str, Any]:
    """`result` as the JSON object of result.json; nothing is validated."""
    return _renamed({"format": result.format, **plain(result, whole=True)}, {"get": "GET", "post": "POST"})


def from_json(document: Any) -> Result:
    """The result that `document`, parsed JSON, describes. Raises NotAResult with what is wrong and where."""
    if isinstance(document, dict) and document.get("format", FORMAT) != FORMAT:
        raise NotAResult(f"has format {printable(str(document['format']), 20)}; this version reads format {FORMAT}")
    validate(document)
    try:
        return typed(Result, _renamed(document, {"GET": "get", "POST": "post"}))
    except ValueError as error:
        raise NotAResult(f"is not a result of petcheck: {printable(str(error), 200)}") from None


_ROWS = ("requirements", "checks", "observations", "untestable")


def head_of(result: Result) -> dict[str, Any]:
    """What result.json says of a run beside its rows."""
    outlined = replace(result, requirements=(), checks=(), observations=(), untestable=())
    return {name: value for name, value in to_json(outlined).items() if name not in _ROWS}


def _renamed(document: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A document with some figures of its targets under other names."""
    targets = [
        {**target, "requests": {names.get(name, name): value for name, value in target["requests"].items()}}
        for target in document["targets"]
    ]
    return {**document, "targets": targets}


def validate(document: Any) -> None:
    """Raise NotAResult for the first breach of the schema in `document`, or the first row of an unknown target."""
    expect_valid(document)
    names = {target["name"] for target in document["targets"]}
    for kind in ("requirements", "checks", "observations"):
        for index, row in enumerate(document[kind]):
            if row["target"] not in names:
                name = printable(row["target"], 100)
                raise NotAResult(
                    f"is not a result of petcheck: {kind}[{index}].target: {name!r} is not one of the targets"
                )


def expect_valid(document: Any) -> None:
    """Raise NotAResult, in one line, for the first breach of the schema in `document`, which is parsed JSON."""
    try:
        _validate(document)
    except jsonschema_rs.ValidationError as error:
        error = _closest(error)
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path)
        place = printable("".join(steps).removeprefix("."), _SHOWN_OF_A_PLACE) or "the top level"
        raise NotAResult(f"is not a result of petcheck: {place}: {_in_brief(_said(error))}") from None
    except (ValueError, RecursionError):  # jsonschema-rs reads 255 levels
        raise NotAResult("is not a result of petcheck: it is nested too deeply") from None


def _validate(document: Any) -> None:
    try:
        _validator().validate(document)
    except UnicodeEncodeError:  # half a surrogate pair, which JSON allows and jsonschema-rs does not
        _validator().validate(json.loads(json.dumps(document, ensure_ascii=False).encode(errors="replace")))


@cache
def _validator() -> jsonschema_rs.Validator:
    schema = json.loads(Path(__file__).with_name("result.schema.json").read_text("utf-8"))
    return jsonschema_rs.validator_for(schema)


def _closest(error: jsonschema_rs.ValidationError) -> jsonschema_rs.ValidationError:
    """The error in the alternative that the value comes closest to: the one that goes deepest, or not by its type."""
    while isinstance(error.kind, jsonschema_rs.ValidationErrorKind.AnyOf):
        firsts = [errors[0] for errors in error.kind.context]
        error = max(firsts, key=lambda first: (len(first.instance_path), first.kind.name != "type"))
    return error


def _said(error: jsonschema_rs.ValidationError) -> str:
    if not isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Enum):
        return error.message
    value, words, _ = error.message.rpartition(" is not one of ")  # which names but two
    return value + words + ", ".join(map(json.dumps, error.kind.options))


def _in_brief(message: str) -> str:
    if len(message) <= 2 * _SHOWN_OF_AN_END:
        return printable(message)
    return f"{printable(message[:_SHOWN_OF_AN_END])} … {printable(message[-_SHOWN_OF_AN_END:])}"
