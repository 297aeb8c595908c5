"""result.json: reads back equal, is refused if it is anything else, and is never half written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import meta

from petcheck.errors import NotAResult
from petcheck.judging.observations import ObservedAnswer
from petcheck.judging.verdicts import AppliedWaiver
from petcheck.results.findings import Observation
from petcheck.results.result import Result, from_json, load, text_of, to_json
from petcheck.spec import outcomes
from tests.support import samples
from tests.support.trial import small_run


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
def test_a_written_result_reads_back_equal(value: Result, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(text_of(value))
    assert load(path) == value


def test_the_file_is_ascii_even_with_lone_surrogates() -> None:
    assert text_of(samples.hostile_run()[0]).isascii()


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
            "requests": {
                "total": 2,
                "GET": 2,
                "POST": 0,
                "by_section": {"4.1": 2},
                "examples": 0,
                "repeats": {},
                "lost": 0,
                "forgiven": {},
            },
            "waited_s": 0.0,
            "rate_limited": 0,
            "created": [],
            "unreachable": None,
            "exhaust": False,
            "category_id": None,
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
            "parts": [],
            "example": None,
            "expected": "",
            "covered": None,
            "frequency": None,
        }
    ]


def changed(path: str, value: Any) -> dict[str, Any]:
    """The small result as JSON with one place changed; a value of None removes the place."""
    document: dict[str, Any] = json.loads(json.dumps(to_json(samples.result())))
    *before, last = path.split("/")
    place: Any = document
    for part in before:
        place = place[int(part) if part.isdecimal() else part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return document


OUTCOMES = '"pass", "fail", "inconclusive", "not-run", "waived", "error"'


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("complete", "yes", 'complete: "yes" is not of type "boolean"'),
        ("run", None, 'the top level: "run" is a required property'),
        ("run/exit", -1, "run.exit: -1 is less than the minimum of 0"),
        ("requirements/0/outcome", "passed", f'requirements[0].outcome: "passed" is not one of {OUTCOMES}'),
        ("requirements/0/exchanges", [0, "1"], 'requirements[0].exchanges[1]: "1" is not of type "integer"'),
        ("requirements/0/target", "elsewhere", "requirements[0].target: 'elsewhere' is not one of the targets"),
        ("requirements/0/outcome", "waived", 'requirements[0].waiver: null is not of type "object"'),
        ("checks/0/duration_s", True, 'checks[0].duration_s: true is not of type "number"'),
        (
            "extra",
            1,
            "the top level: Additional properties are not allowed ('extra' was unexpected)",
        ),
        (
            "targets/0/requests/PUT",
            1,
            "targets[0].requests: Additional properties are not allowed ('PUT' was unexpected)",
        ),
    ],
)
def test_a_foreign_document_is_refused_with_one_line(path: str, value: Any, message: str) -> None:
    with pytest.raises(NotAResult) as refused:
        from_json(changed(path, value))
    assert str(refused.value) == f"is not a result of petcheck: {message}"


def test_another_format_is_named() -> None:
    with pytest.raises(NotAResult, match=r"^has format 2; this version reads format 1$"):
        from_json(changed("format", 2))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not complete JSON, so no result of petcheck: Expecting value: line 1 column 1 (char 0)"),
        (b'{"format": 1, "comp', "is not complete JSON, so no result of petcheck: Unterminated string starting at"),
        (b"\xff\xfe\x00", "is not complete JSON"),
        (b"[" * 100_000, "is not complete JSON"),
        (b'{"run": NaN}', "is not complete JSON, so no result of petcheck: has NaN, which is not JSON"),
        (b'{"format": ' + b"1" * 9_999 + b"}", "is not complete JSON"),
        (b"[]", 'is not a result of petcheck: the top level: [] is not of type "object"'),
        (b"null", 'is not a result of petcheck: the top level: null is not of type "object"'),
    ],
)
def test_a_broken_file_is_refused_with_one_line(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(content)
    with pytest.raises(NotAResult) as refused:
        load(path)
    assert str(refused.value).startswith(f"{path} {message}")
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_refused_with_one_line(tmp_path: Path) -> None:
    with pytest.raises(NotAResult) as refused:
        load(tmp_path / "none.json")
    assert str(refused.value) == f"{tmp_path}/none.json cannot be read: No such file or directory"


def test_a_value_that_breaks_the_schema_has_no_text() -> None:
    with pytest.raises(NotAResult):
        text_of(samples.result(samples.row(outcome="perhaps")))


# older files lack the members that were added later, newer ones what was removed
ADDED = {"parts", "example", "seen", "answers", "repeats", "lost", "forgiven", "settings", "exhaust", "category_id"}
ADDED |= {"expected", "choice", "populate", "shard", "joined", "dropped", "covered", "frequency", "labels", "subjects"}
ADDED |= {"min_examined", "gap", "ended", "requirements_as_of", "left_out", "connections"}
REMOVED = {"kept", "section", "outcome", "reason"}


def test_every_object_of_the_schema_except_the_options_is_closed() -> None:
    schema = json.loads((samples.ROOT / "src/petcheck/results/result.schema.json").read_text("utf-8"))
    meta.validate(schema)
    open_objects = []

    def walk(node: Any, path: str) -> None:
        if isinstance(node, dict):
            if node.get("type") == "object" and "properties" not in node and "/then/" not in path:
                open_objects.append(path)
            elif node.get("type") == "object" and "/then/" not in path:
                assert node["additionalProperties"] is False, path
                required, properties = set(node["required"]), set(node["properties"])
                assert required <= properties, path
                assert properties - required <= ADDED | REMOVED, path
            for key, value in node.items():
                walk(value, f"{path}/{key}")

    walk(schema, "")
    assert open_objects == [
        "/$defs/run/properties/options",
        "/$defs/target/properties/requests/properties/repeats",
        "/$defs/target/properties/requests/properties/forgiven",
        "/$defs/target/properties/requests/properties/by_section",
    ]


def test_the_schema_has_the_outcomes_of_the_specification() -> None:
    schema = json.loads((samples.ROOT / "src/petcheck/results/result.schema.json").read_text("utf-8"))
    assert set(schema["$defs"]["outcome"]["enum"]) == set(outcomes.OUTCOMES)


def test_a_waiver_reads_back_equal() -> None:
    value = samples.result(samples.row(outcome="waived", waiver=AppliedWaiver("known", "2026-12-31")))
    assert from_json(to_json(value)) == value


def test_observed_answers_read_back_equal_and_older_results_have_only_the_text() -> None:
    answers = (ObservedAnswer(200, animals=3), ObservedAnswer(None, asked="abc", detail="timeout"))
    observed = Observation(
        "limit-zero", "4.1", "staging", "200 OK, 3 animals", "What?", (1,), seen=False, answers=answers
    )
    document = to_json(samples.result(observations=(observed,)))
    assert from_json(document).observations == (observed,)
    for name in ("seen", "answers"):
        del document["observations"][0][name]
    assert from_json(document).observations == (replace(observed, seen=True, answers=()),)


def test_a_result_without_the_deciding_parts_is_valid() -> None:
    document = to_json(samples.result())
    del document["requirements"][0]["parts"]
    row = from_json(document).requirements[0]
    assert (row.parts, row.part(1)) == ((), "")
    assert samples.row(decisive=(1, 4), parts=("status", "body")).part(4) == "body"


def test_the_counts_tell_what_is_not_in_force_from_what_was_not_run() -> None:
    outside = replace(samples.row("GET-4", "not-run"), in_force=False)
    found = samples.result(samples.row("LIST-3", "pass"), samples.row("LIST-4", "not-run"), outside).counts
    assert found == {"pass": 1, "not-run": 1, "n/a": 1}


def test_printed_it_is_a_summary_of_at_most_30_lines() -> None:
    result = small_run().result
    row = next(row for row in result.requirements if row.id == "LIST-4")
    rows = [replace(row, outcome="fail", reason=f"reason {n} " + "x" * 500) for n in range(40)]
    for number, lines in ((2, 4), (28, 30), (40, 30)):
        said = str(replace(result, requirements=tuple(rows[:number]))).splitlines()
        assert said[0].startswith("target does not conform: ")
        assert said[1] == f"{number} fail"
        assert said[2].startswith("LIST-4 on target: reason 0 xxx")
        assert (len(said), said[-1] == "and 13 more") == (lines, number == 40)
