"""What is wrong with a document is said in one short line, whatever the document holds."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from petcheck.errors import NotAResult
from petcheck.results.result import expect_valid, to_json
from tests.support import samples

LONGEST = 400
AT_MOST_S = 5.0  # on a busy machine; it takes milliseconds


def changed(path: tuple[str | int, ...], value: Any) -> Any:
    """The JSON of a whole result with one place changed."""
    document = json.loads(json.dumps(to_json(samples.whole_run()[0])))
    place: Any = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return document


def nested(levels: int) -> Any:
    value: Any = None
    for _ in range(levels):
        value = [value]
    return value


def refusal(document: Any) -> str:
    began = time.monotonic()
    with pytest.raises(NotAResult) as refused:
        expect_valid(document)
    assert time.monotonic() - began < AT_MOST_S
    message = str(refused.value)
    assert len(message) < LONGEST
    assert message.isprintable()
    return message.removeprefix("is not a result of petcheck: ")


OUTCOME = ("requirements", 0, "outcome")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (OUTCOME, "x" * 10**7, 'requirements[0].outcome: "xxx'),
        (OUTCOME, ["x"] * 10**6, 'requirements[0].outcome: ["x","x"'),
        (OUTCOME, nested(200), "requirements[0].outcome: [[[["),
        (OUTCOME, nested(300), "it is nested too deeply"),
        (OUTCOME, nested(100_000), "it is nested too deeply"),
        (OUTCOME, "\ud800", 'requirements[0].outcome: "?" is not one of'),
        (OUTCOME, "a\x1b[2J\u202e", 'requirements[0].outcome: "a'),
        (("run", "exit"), 10**4000, "run.exit: 1000000"),
        (("run", "exit"), float("inf"), "run.exit: null is not of type"),
        (("run", "exit"), True, 'run.exit: true is not of type "integer"'),
        (("run", "\ud800"), 1, "run: Additional properties are not allowed"),
        (("targets", 0, "key"), 7, 'targets[0].key: 7 is not of type "string"'),
        (("targets", 0, "key"), "sha256:0", 'targets[0].key: "sha256:0" does not match'),
        (("run", "settings"), {"max_requests": "many"}, 'run.settings: "max_wait" is a required property'),
        (("requirements",), [{}] * 100_000, 'requirements[0]: "id" is a required property'),
        (("requirements", 0), {"\n" * 1000: 1}, "requirements[0]: "),
    ],
    ids=range(16),
)
def test_a_hostile_document_is_refused_soon_and_in_one_line(
    path: tuple[str | int, ...], value: Any, message: str
) -> None:
    assert refusal(changed(path, value)).startswith(message)


def test_a_long_value_does_not_hide_what_is_wrong_with_it() -> None:
    assert refusal(changed(OUTCOME, "x" * 1000)).endswith('"not-run", "waived", "error"')


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("requirements", 0, "reason"), "\ud800"),
        (("requirements", 0, "parts"), ["body:/\ud800/0"]),
        (("run", "options"), {"a": nested(100_000)}),
        (("run", "seed"), 10**4000),
    ],
    ids=["text", "part", "options", "seed"],
)
def test_what_json_allows_is_valid(path: tuple[str | int, ...], value: Any) -> None:
    expect_valid(changed(path, value))
