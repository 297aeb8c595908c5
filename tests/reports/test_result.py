"""result.json: there and back, refused when it is something else, and never half written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from petcheck.reports.result import Result, Waiver, from_json, load, to_json, write

from . import samples


@pytest.mark.parametrize(
    "value",
    [
        samples.result(),
        samples.whole_run()[0],
        samples.hostile_run()[0],
        samples.result(targets=(), checks=(), requirements=()),
    ],
    ids=["small", "whole", "hostile", "empty"],
)
def test_what_is_written_reads_back_equal(value: Result, tmp_path: Path) -> None:
    path = write(value, tmp_path)
    assert load(path) == value
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["result.json"]


def test_the_file_is_ascii_even_with_lone_surrogates(tmp_path: Path) -> None:
    path = write(samples.hostile_run()[0], tmp_path)
    assert path.read_bytes().isascii()


def test_the_document_has_the_agreed_names() -> None:
    document = to_json(samples.result())
    assert document["format"] == 1
    assert document["complete"] is True
    assert document["targets"] == [
        {
            "name": "staging",
            "base_url": "https://staging.pets.example/v1",
            "plan": None,
            "writes": False,
            "key": "sha256:0123abcd",
            "requests": {"total": 2, "GET": 2, "POST": 0, "by_section": {"4.1": 2}},
            "waited_s": 0.0,
            "rate_limited": 0,
            "created": [],
            "unreachable": None,
        }
    ]
    assert document["requirements"] == [
        {
            "id": "LIST-3",
            "section": "4.1",
            "level": "stated",
            "statement": "A page never holds more animals than `limit` asks for.",
            "target": "staging",
            "outcome": "fail",
            "reason": "GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.",
            "checks": ["checks/test_4_1_list.py::test_limit[5]"],
            "exchanges": [0, 1],
            "decisive": [1],
            "in_force": True,
            "also": [],
            "waiver": None,
            "settled_by": None,
        }
    ]


def changed(path: str, value: Any) -> dict[str, Any]:
    """The small result as JSON with one place changed; a value of None takes the place out."""
    document = json.loads(json.dumps(to_json(samples.result())))
    *before, last = path.split("/")
    place: Any = document
    for part in before:
        place = place[int(part) if part.isdecimal() else part]
    if value is None:
        del place[last]
    with pytest.raises(KeyboardInterrupt):
        write(replace(old, complete=False), tmp_path)
    assert load(path) == old
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]


def test_a_waiver_survives() -> None:
    value = samples.result(samples.row(outcome="waived", waiver=Waiver("known", "2026-12-31")))
    assert from_json(to_json(value)) == value
