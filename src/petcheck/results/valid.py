"""Says whether a document obeys `result.schema.json`, and if not, which member breaks it and how. Pure."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from petcheck.errors import NotAResult
from petcheck.sanitize import printable

_SHOWN_OF_A_PLACE = 100
_SHOWN_OF_AN_END = 100  # of a message: it begins with the value, which may be long, and ends with what is wrong with it


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
