"""Tells in a millisecond whether a value obeys a JSON Schema; importing and running a full validator takes eighty.

Only the keywords of petcheck's schemas are known; any other is refused when the schema is prepared, so none is ignored.
jsonschema finds out what is wrong with a value that breaks the schema. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, TypeAlias

Test: TypeAlias = Callable[[Any], bool]

_ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "title", "description"})
_TYPES: Mapping[str, Test] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: _is_number(value),
    "integer": lambda value: type(value) is int or (isinstance(value, float) and value.is_integer()),
}


def prepared(schema: Mapping[str, Any]) -> Test:
    """A function that says whether a value obeys `schema`. Raises ValueError if the schema has an unknown keyword."""
    return _Preparation(schema.get("$defs", {})).test_of(schema)


class _Preparation:
    """Turns schemas into tests; each definition is turned once."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._tests: dict[str, Test] = {}

    def test_of(self, schema: Mapping[str, Any] | bool) -> Test:
        """The test for one schema."""
        if isinstance(schema, bool):
            return lambda _: schema
        unknown = schema.keys() - _ANNOTATIONS - _KEYWORDS.keys()
        if unknown:
            raise ValueError(f"unknown keyword in a schema: {', '.join(sorted(unknown))}")
        preparing = dict.fromkeys(prepare for keyword, prepare in _KEYWORDS.items() if keyword in schema)
        tests = [prepare(self, schema) for prepare in preparing]
        return reduce(_both, tests) if tests else lambda _: True

    def definition(self, schema: Mapping[str, Any]) -> Test:
        name = schema["$ref"].removeprefix("#/$defs/")
        if name not in self._tests:
            self._tests[name] = self.test_of(self._definitions[name])
        return self._tests[name]

    def members(self, schema: Mapping[str, Any]) -> Test:
        """`required`, `properties` and `additionalProperties`, which belong together."""
        required = frozenset(schema.get("required", ()))
        tests = {name: self.test_of(member) for name, member in schema.get("properties", {}).items()}
        other = self.test_of(schema.get("additionalProperties", True))
        return lambda value: (
            not isinstance(value, dict)
            or (required <= value.keys() and all(tests.get(name, other)(item) for name, item in value.items()))
        )

    def names(self, schema: Mapping[str, Any]) -> Test:
        test = self.test_of(schema["propertyNames"])
        return lambda value: not isinstance(value, dict) or all(map(test, value))

    def items(self, schema: Mapping[str, Any]) -> Test:
        test = self.test_of(schema["items"])
        return lambda value: not isinstance(value, list) or all(map(test, value))

    def any_of(self, schema: Mapping[str, Any]) -> Test:
        tests = [self.test_of(one) for one in schema["anyOf"]]
        return lambda value: any(test(value) for test in tests)

    def if_then(self, schema: Mapping[str, Any]) -> Test:
        if_, then = self.test_of(schema["if"]), self.test_of(schema["then"])
        return lambda value: not if_(value) or then(value)


def _both(one: Test, other: Test) -> Test:
    return lambda value: one(value) and other(value)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _type(names: str | Sequence[str]) -> Test:
    if isinstance(names, str):
        return _TYPES[names]
    tests = [_TYPES[name] for name in names]
    return lambda value: any(test(value) for test in tests)


def _one_of(values: Sequence[Any]) -> Test:
    if not all(isinstance(value, str | int) for value in values):
        raise ValueError("a schema's constants are texts and whole numbers")
    # True equals 1 in Python and not in JSON
    return lambda value: any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in values)


def _pattern(text: str) -> Test:
    search = re.compile(text).search
    return lambda value: not isinstance(value, str) or search(value) is not None


_KEYWORDS: Mapping[str, Callable[[_Preparation, Mapping[str, Any]], Test]] = {
    "type": lambda _, schema: _type(schema["type"]),
    "$ref": _Preparation.definition,
    "const": lambda _, schema: _one_of([schema["const"]]),
    "enum": lambda _, schema: _one_of(schema["enum"]),
    "pattern": lambda _, schema: _pattern(schema["pattern"]),
    "minLength": lambda _, schema: lambda value: not isinstance(value, str) or len(value) >= schema["minLength"],
    "minimum": lambda _, schema: lambda value: not _is_number(value) or value >= schema["minimum"],
    "maximum": lambda _, schema: lambda value: not _is_number(value) or value <= schema["maximum"],
    "items": _Preparation.items,
    "required": _Preparation.members,
    "properties": _Preparation.members,
    "additionalProperties": _Preparation.members,
    "propertyNames": _Preparation.names,
    "anyOf": _Preparation.any_of,
    "if": _Preparation.if_then,
    "then": _Preparation.if_then,
}
