"""exchanges.har: what developer tools open, and the whole stream again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from petcheck.errors import NotARun
from petcheck.reports.outputs import Material, render
from petcheck.results.judge import judge
from petcheck.results.manifest import digest_of_text
from petcheck.spec.version import VERSION
from petcheck.stream import har
from petcheck.stream.entries import entry_of
from petcheck.stream.files import as_json
from petcheck.stream.lines import Gone, Revised
from petcheck.stream.stream import checked
from tests.support import samples, streams

GOOD = checked(streams.lines())
GONE = [*streams.lines()[:6], Gone("staging", "the key was revoked"), Revised(()), streams.lines()[-1]]
RUNS = {
    "small": GOOD,
    "gone": checked(GONE),
    "killed": checked(streams.lines()[:5]),
    "before the first request": checked(streams.lines()[:1]),
    "two targets": streams.around(sorted(samples.whole_run()[1], key=lambda one: one.sent), "staging", "production"),
}


def written(folder: Path, text: str) -> Path:
    (folder / har.FILE).write_text(text, encoding="utf-8")
    return folder / har.FILE


def test_the_log_holds_the_lines_and_the_exchanges() -> None:
    log = json.loads("".join(har.pieces(GOOD)))["log"]
    assert log == {
        "version": "1.2",
        "creator": {"name": "petcheck", "version": VERSION},
        "comment": "petcheck --seed 7 with the same options repeats this run",
        "_petcheck": [1 if entry in GOOD.exchanges else as_json(entry) for entry in streams.lines()],
        "entries": [entry_of(exchange) for exchange in GOOD.exchanges],
    }


def test_a_har_that_holds_only_a_part_of_a_long_answer_gives_no_stream(tmp_path: Path) -> None:
    stream = streams.around(samples.hostile_run()[1], "staging")
    with pytest.raises(NotARun, match=r"holds only a part of a long answer; give the exchanges\.jsonl of the run$"):
        har.read_har(written(tmp_path, "".join(har.pieces(stream))))


@pytest.mark.parametrize("run", RUNS)
def test_a_har_gives_the_same_stream_and_files_byte_for_byte(run: str, tmp_path: Path) -> None:
    stream = RUNS[run]
    back = har.read_har(written(tmp_path, "".join(har.pieces(stream))))
    assert back is not None
    assert back == stream
    made, again = (
        {name: digest_of_text(pieces) for name, pieces in render(Material(judge(each), each))}
        for each in (stream, back)
    )
    assert made == again


NUMBER = "has not as many entries as it says"


def edited(edit: Callable[[dict[str, Any]], object]) -> str:
    document: dict[str, Any] = json.loads("".join(har.pieces(GOOD)))
    edit(document["log"])
    return json.dumps(document)


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "an entry less": (lambda log: log["entries"].pop(), NUMBER),
    "an entry twice": (lambda log: log["entries"].append(log["entries"][0]), NUMBER),
    "backwards": (lambda log: log["entries"].reverse(), "in line 4: the requests to staging are not numbered"),
    "another number": (lambda log: log["_petcheck"].__setitem__(3, 2), NUMBER),
    "a truth for a number": (lambda log: log["_petcheck"].__setitem__(3, True), NUMBER),
    "a number below 0": (lambda log: log["_petcheck"].__setitem__(slice(3, 4), [-1, 2]), "has not as many"),
    "a line less": (lambda log: log["_petcheck"].pop(1), "in line 3: a request goes to a target that is not open"),
    "no lines": (lambda log: log["_petcheck"].clear(), NUMBER),
    "an empty line": (lambda log: log["_petcheck"].__setitem__(1, {"opened": {}}), "opened has no target"),
    "another index": (lambda log: log["entries"][0]["_petcheck"].update(index=5), "numbered one after the other"),
    "an entry of another": (lambda log: log["entries"][0].pop("_petcheck"), "petcheck writes no such line"),
    "another size": (lambda log: log["entries"][0]["request"].update(bodySize=5), "do not agree with each other"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_har_of_petcheck_that_was_changed_is_refused_in_one_line(change: str, tmp_path: Path) -> None:
    edit, said = CHANGES[change]
    path = written(tmp_path, edited(edit))
    with pytest.raises(NotARun) as refused:
        har.read_har(path)
    assert str(refused.value).startswith(f"{path} ")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_har_of_another_program_is_not_a_stream(tmp_path: Path) -> None:
    assert har.read_har(written(tmp_path, '{"log": {"version": "1.2", "entries": [{}]}}')) is None
    assert har.read_har(written(tmp_path, '{"log": {"_petcheck": {"run": {}}, "entries": []}}')) is None
