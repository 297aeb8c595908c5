"""The quick validation agrees with jsonschema, on our schema and on each keyword."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from petcheck.judging.verdicts import AppliedWaiver
from petcheck.results.result import to_json
from petcheck.results.valid import prepared
from tests.support import samples

SCHEMA = json.loads((samples.ROOT / "src/petcheck/results/result.schema.json").read_text("utf-8"))
OBEYS, REFERENCE = prepared(SCHEMA), Draft202012Validator(SCHEMA)
WAIVED = samples.row(outcome="waived", waiver=AppliedWaiver("known", "2026-12-31"))
DOCUMENT = json.loads(json.dumps(to_json(samples.result(WAIVED, samples.row()))))
REMOVED = object()


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of each value in a document."""
    yield path
    for step, item in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        yield from places(item, (*path, step))


scalars = st.one_of(
    *(st.none(), st.booleans(), st.integers(-2, 300), st.floats(-1, 3), st.text(max_size=3)),
    st.sampled_from(["pass", "waived", "4.1", "body:/0", "2026-11-22", "a" * 64, "sha256:0123abcd", 1.0, -0.0]),
)
values = st.one_of(scalars, st.lists(scalars, max_size=2), st.dictionaries(st.text(max_size=3), scalars, max_size=2))


@given(st.sampled_from(sorted(places(DOCUMENT), key=str)), st.one_of(values, st.just(REMOVED)), st.booleans())
def test_a_changed_result_is_valid_if_jsonschema_says_so(path: tuple[Any, ...], value: Any, beside: bool) -> None:
    document = copy.deepcopy(DOCUMENT)
    holder = {"": document}
    place: Any = holder
    for step in ("", *path)[:-1]:
        place = place[step]
    last = ("", *path)[-1]
    if value is REMOVED:
        del place[last]
    elif beside and isinstance(place, dict):
        place[f"{last}?"] = value
    else:
        place[last] = value
    for each in holder.values():
        assert OBEYS(each) == REFERENCE.is_valid(each)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "integer"},
        {"type": ["string", "null"], "minLength": 1},
        {"minimum": 1, "maximum": 2},
        {"const": 1},
        {"enum": ["a", 1]},
        {"pattern": "^a$"},
        {"items": {"type": "boolean"}},
        {"required": ["a"], "properties": {"a": {"type": "number"}}, "additionalProperties": {"type": "string"}},
        {"propertyNames": {"pattern": "^a"}, "additionalProperties": False, "properties": {"a": True}},
        {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/one"}], "$defs": {"one": {"const": "a"}}},
        {"if": {"type": "string"}, "then": {"pattern": "a"}},
    ],
    ids=json.dumps,
)
@pytest.mark.parametrize(
    "value",
    [
        *(None, True, False, 0, 1, 2, 3, 1.0, 1.5, float("inf"), "", "a", "a\n", "ba"),
        *([], [True], [1], {}, {"a": 1}, {"a": "1"}, {"a": 1, "b": "1"}, {"b": 1}),
    ],
    ids=repr,
)
def test_each_keyword_means_what_it_means_to_jsonschema(schema: Any, value: Any) -> None:
    assert prepared(schema)(value) == Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    "schema", [{"uniqueItems": True}, {"items": {"format": "date"}}, {"const": [1]}], ids=json.dumps
)
def test_what_it_does_not_know_is_refused_when_it_is_prepared(schema: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown keyword in a schema|a schema's constants"):
        prepared(schema)
