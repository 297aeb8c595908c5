"""Section 4.2: parsers that accept extensions of JSON (RFC 8259, section 9), and one that refuses all of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

from petstore_reference.behaviour import Behaviour, Override
from petstore_reference.messages import Operation, Refused
from petstore_reference.registry import variation

_STRING = r'"(?:\\.|[^"\\])*"'


def _extended(make: Callable[[str], str], *, errors: str = "strict") -> Override:
    """A body that is not JSON is read again after `make` has rewritten its extensions."""

    def override(behaviour: Behaviour) -> Behaviour:
        def parse(body: bytes) -> dict[str, object]:
            try:
                return behaviour.parse(body)
            except Refused as refusal:
                if refusal.code != "body_not_json":
                    raise
                try:
                    rewritten = make(body.decode("utf-8", errors)).encode()
                except (ValueError, RecursionError):
                    raise refusal from None
                if rewritten == body:
                    raise
            return behaviour.parse(rewritten)

        return replace(behaviour, parse=parse)

    return override


def _outside_strings(pattern: str, put: str) -> Callable[[str], str]:
    """A function that replaces the pattern outside strings."""
    found = re.compile(f"({_STRING})|{pattern}", re.DOTALL)
    return lambda text: found.sub(lambda match: match[1] or put, text)


def _first_value(text: str) -> str:
    return text[: json.JSONDecoder().raw_decode(text)[1]]


def _utf_8_only(behaviour: Behaviour) -> Behaviour:
    def parse(body: bytes) -> dict[str, object]:
        if body.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")) or b"\0" in body:
            raise Refused(400, "body_not_json", "The body must be JSON in UTF-8.")
        return behaviour.parse(body)

    return replace(behaviour, parse=parse)


VARIATIONS = [
    variation(name, "4.2", summary, override, at=(Operation.CREATE,), conflicts=conflicts)
    for name, summary, override, conflicts in (
        (
            "json-trailing-comma",
            "The parser accepts trailing commas.",
            _extended(_outside_strings(r",(?=\s*[}\]])", "")),
            "",
        ),
        (
            "json-comments",
            "The parser accepts comments.",
            _extended(_outside_strings(r"/\*.*?\*/|//[^\n]*", " ")),
            "",
        ),
        (
            "json-nan",
            "The parser reads NaN and Infinity as null.",
            _extended(_outside_strings(r"-?\b(?:NaN|Infinity)\b", "null")),
            "",
        ),
        ("json-with-text-after", "The parser ignores text after the JSON object.", _extended(_first_value), ""),
        (
            "json-invalid-utf-8",
            "The parser replaces invalid UTF-8 with U+FFFD.",
            _extended(lambda text: text, errors="replace"),
            "",
        ),
        ("json-utf-8-only", "A body with a byte order mark, or in UTF-16, gets 400.", _utf_8_only, ""),
    )
]
