"""A run in parts: what joins the results of its targets is the result of one run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from petcheck.errors import NotAResult, NotARun
from petcheck.results import parts
from petcheck.results.manifest import name_of_part, read_manifest
from petcheck.results.result import Result, load, text_of
from petcheck.spec.outcomes import Exit
from petcheck.stream.lines import End, TargetSettings
from petcheck.stream.stream import Stream
from tests.support import samples, streams


def written(folder: Path, *names: str) -> list[Result]:
    """The results of targets, each in its own folder."""
    whole = []
    for name in names:
        one = samples.result(samples.row(target=name), targets=(samples.target(name),), checks=())
        part = parts.part_of(folder, name)
        part.mkdir(parents=True)
        (part / "result.json").write_text(text_of(one))
        whole.append(one)
    return whole


def joined(results: list[Result], *names: str, interrupted: bool = False) -> Result:
    head = replace(streams.head(), targets=tuple(TargetSettings(name, f"https://{name}.example/v1") for name in names))
    end = End(head.started, interrupted)
    return parts.joined(Stream((head, end)), list(map(parts.outline, results)))


def text_below(whole: Result, folder: Path) -> str:
    return "".join(parts.pieces(whole, folder))


def test_what_is_joined_is_one_result_with_all_that_the_targets_have(tmp_path: Path) -> None:
    results = written(tmp_path, "b", "a")
    (tmp_path / "result.json").write_text(text_below(joined(results, "b", "a"), tmp_path))
    whole = load(tmp_path / "result.json")
    assert [target.name for target in whole.targets] == ["b", "a"]
    assert whole.requirements == tuple(row for one in results for row in one.requirements)
    assert whole.requirements[0].exchanges == (0, 1)
    assert (whole.complete, whole.run.exit, whole.run.id) == (True, Exit.FAILS, streams.head().run)


@pytest.mark.parametrize(("names", "interrupted"), [(("a", "b"), True), (("a", "b", "c"), False)])
def test_a_run_that_lacks_a_target_or_its_end_is_not_complete(
    tmp_path: Path, names: tuple[str, ...], interrupted: bool
) -> None:
    assert not joined(written(tmp_path, "a", "b"), *names, interrupted=interrupted).complete


def test_an_outline_has_no_evidence() -> None:
    one, _ = samples.whole_run(targets=1)
    bare = parts.outline(one)
    assert (bare.checks, bare.observations) == ((), ())
    assert {(row.exchanges, row.decisive, row.parts) for row in bare.requirements} == {((), (), ())}
    assert [(row.id, row.outcome, row.reason) for row in bare.requirements] == [
        (row.id, row.outcome, row.reason) for row in one.requirements
    ]


def test_a_target_whose_result_is_gone_or_spoiled(tmp_path: Path) -> None:
    whole = joined(written(tmp_path, "a", "b"), "a", "b")
    path = parts.part_of(tmp_path, "b") / "result.json"
    for text in ("{", "[]", '{"requirements": 1}'):
        path.write_text(text)
        with pytest.raises(NotARun, match="is not a result of petcheck"):
            text_below(whole, tmp_path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        text_below(whole, tmp_path)


def test_a_run_that_breaks_the_schema_is_not_written(tmp_path: Path) -> None:
    whole = joined(written(tmp_path, "a"), "a")
    with pytest.raises(NotAResult):
        text_below(replace(whole, run=replace(whole.run, exit=-1)), tmp_path)


@pytest.mark.parametrize(
    ("codes", "interrupted", "code"),
    [
        ([0, 0], False, Exit.HOLDS),
        ([0, 1, 6], False, Exit.FAILS),
        ([0, 6, 3], False, Exit.UNTESTABLE),
        ([0, 3, 7], False, Exit.BROKE),
        ([0, 7], False, Exit.UNSETTLED),
        ([5, 5], False, Exit.NOTHING_SELECTED),
        ([5, 0], False, Exit.HOLDS),
        ([1, 2], False, Exit.INTERRUPTED),
        ([1, 0], True, Exit.INTERRUPTED),
        ([], True, Exit.INTERRUPTED),
    ],
)
def test_the_exit_code_is_that_of_one_run_over_all_targets(codes: list[int], interrupted: bool, code: Exit) -> None:
    assert parts.exit_of_parts([samples.result(exit_code=one) for one in codes], interrupted=interrupted) == code


def test_a_part_that_broke_breaks_the_run() -> None:
    found = [samples.result(exit_code=1), samples.result(exit_code=3, complete=False)]
    assert parts.exit_of_parts(found, interrupted=True) == Exit.BROKE


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("targets/eu-west_1/manifest.json", "eu-west_1"),
        ("targets/../manifest.json", None),
        ("targets/a/b/manifest.json", None),
        ("targets//manifest.json", None),
        ("targets/a/result.json", None),
        ("result.json", None),
    ],
)
def test_a_manifest_leads_to_targets_below_its_own_folder_alone(tmp_path: Path, entry: str, name: str | None) -> None:
    assert name_of_part(entry) == name
    files = {entry: {"sha256": "a" * 64}}
    (tmp_path / "manifest.json").write_text(json.dumps({"format": 1, "files": files}))
    if name is None and entry != "result.json":
        with pytest.raises(NotARun, match="does not list files as petcheck lists them"):
            read_manifest(tmp_path)
    else:
        assert parts.names_of_parts(tmp_path) == ([name] if name else [])


def test_a_folder_without_a_manifest_has_no_parts(tmp_path: Path) -> None:
    assert parts.names_of_parts(tmp_path) == []
