"""Every file of a run is a function of its stream: the same bytes each time, all of them listed and verified."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from petcheck.evidence.verify import verify
from petcheck.reports import comparison_html, fleet_html, outputs, summary
from petcheck.reports.outputs import OUTPUTS, Material, names, not_written, render, write_outputs
from petcheck.results.judge import judge
from petcheck.results.manifest import digest_of_file, digest_of_text, read_manifest
from petcheck.results.proof import FILES as PROOF
from petcheck.results.proof import write_proof
from petcheck.results.result import load
from petcheck.runner.written import judged_again
from petcheck.stream import files
from petcheck.stream.files import read_stream
from petcheck.stream.lines import NARROWED, Label, Subject
from petcheck.stream.stream import Stream, checked
from tests.support import samples, streams
from tests.support.fleets import fleet

NARROW = {"options": {NARROWED: ["-k list"]}}  # these runs have few checks
RUNS: dict[str, Callable[[], Stream]] = {
    "small": lambda: checked(streams.lines(streams.OF_TODAY, **NARROW)),
    "killed": lambda: checked(streams.lines(streams.OF_TODAY, **NARROW)[:5]),
    "before the first request": lambda: checked(streams.lines(streams.OF_TODAY, **NARROW)[:1]),
    "two targets": lambda: streams.around(samples.whole_run(number=22)[1], "staging", "production", **NARROW),
    "hostile": lambda: streams.around(samples.hostile_run()[1], "staging", **NARROW),
}
EVERY = {output.name for output in OUTPUTS}


def made(stream: Stream) -> Material:
    return Material(judge(stream), stream)


def inside(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


@pytest.mark.parametrize("run", RUNS)
def test_the_same_bytes_each_time_and_from_a_stream_that_was_read(run: str, tmp_path: Path) -> None:
    material = made(RUNS[run]())
    first, second = ({name: digest_of_text(pieces) for name, pieces in render(material)} for _ in range(2))
    assert write_outputs(material, tmp_path / "new" / "reports") == {}
    read = made(read_stream(tmp_path / "new" / "reports" / files.FILE))
    again = {name: digest_of_text(pieces) for name, pieces in render(read)}
    written = {name: digest_of_file(tmp_path / "new" / "reports" / name) for name in names(material)}
    assert first == second == again == written
    assert load(tmp_path / "new" / "reports" / "result.json") == material.result


@pytest.mark.parametrize("run", RUNS)
def test_every_file_of_the_table_is_written_listed_and_verified(run: str, tmp_path: Path) -> None:
    written = judged_again(RUNS[run](), tmp_path)
    assert (written.trouble, written.unwritten) == ([], {})
    due = {output.name for output in OUTPUTS if output.of(written.result)}
    assert due == set(names(written.material)) == set(read_manifest(tmp_path)["files"])
    assert inside(tmp_path) == due | set(PROOF) - {"attestation.dsse.json", "manifest.tsr"}
    verified = verify(tmp_path, None)
    # no server can send what the hostile one says
    odd = ("exchanges.jsonl: exchange 0 with staging has an answer that no client of HTTP reads",) * (run == "hostile")
    assert (verified.wrong, verified.notes, verified.result) == (odd, (), written.result)
    for some in (due - {files.FILE}, {files.FILE}):
        for change in (append, Path.unlink):
            for name in some:
                change(tmp_path / name)
            told = verify(tmp_path, None).wrong
            assert {name for name in some if any(line.startswith(f"{name} ") for line in told)} == some


def append(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" ")


def test_a_run_of_two_targets_has_every_file_of_the_table() -> None:
    assert set(names(made(RUNS["two targets"]()))) == EVERY


def test_what_was_tested_is_in_every_file_that_people_and_tools_read(tmp_path: Path) -> None:
    settings = replace(streams.SETTINGS, labels=(Label("build", "<1742>"),), subjects=(Subject("shop", "e" * 64),))
    judged_again(checked(streams.lines(settings=settings)), tmp_path)
    for name, build in {
        "exchanges.jsonl": '{"name": "build", "value": "<1742>"}',
        "exchanges.har": '{"name": "build", "value": "<1742>"}',
        "result.json": '"value": "<1742>"',
        "attestation.json": '"build": "<1742>"',
        "report.html": "<dt>label build</dt><dd>&lt;1742&gt;</dd>",
        "statement.html": "<dt>label build</dt><dd>&lt;1742&gt;</dd>",
        "summary.md": "`label build` `<1742>`",
        "junit.xml": '<property name="label build" value="&lt;1742&gt;" />',
    }.items():
        text = (tmp_path / name).read_text("utf-8")
        assert build in text, name
        assert "e" * 64 in text, name
    page = fleet_html.render(replace(fleet(), run=samples.run(settings=settings)), ())
    assert "label build &lt;1742&gt;" in page


def test_a_forged_verdict_is_named(tmp_path: Path) -> None:
    material = made(RUNS["small"]())
    rows = tuple(replace(row, outcome="pass") if row.outcome == "fail" else row for row in material.result.requirements)
    forged = replace(material, result=replace(material.result, requirements=rows))
    write_outputs(forged, tmp_path)
    write_proof(tmp_path, names(forged), forged.result, forged.stream.head.environment)
    wrong = verify(tmp_path, None).wrong
    assert "result.json is not what the recording comes to" in wrong
    assert any(line.startswith("LIST-3: the result says pass, its recording fail (") for line in wrong)


def test_bytes_after_the_end_of_a_stream_prove_nothing(tmp_path: Path) -> None:
    judged_again(RUNS["small"](), tmp_path)
    with (tmp_path / files.FILE).open("ab") as file:
        file.write(b"\xff\n")
    assert f"{files.FILE}: line 11 is not JSON, so nothing from there on was read" in verify(tmp_path, None).wrong


def test_one_broken_view_does_not_affect_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "report.html").mkdir()

    def broken(*_: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(summary, "render", broken)
    wrong = write_outputs(made(RUNS["two targets"]()), tmp_path)
    assert {name: type(error) for name, error in wrong.items()} == {
        "report.html": IsADirectoryError,
        "summary.md": ZeroDivisionError,
    }
    message = f"not written into {tmp_path}: report.html, summary.md (Is a directory; ZeroDivisionError: )"
    assert not_written(tmp_path, wrong) == message
    assert inside(tmp_path) == EVERY - {"summary.md"}


def test_a_failed_comparison_says_so_and_fails_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> str:
        raise ZeroDivisionError("<b>")

    monkeypatch.setattr(comparison_html, "render", broken)
    assert write_outputs(made(RUNS["two targets"]()), tmp_path) == {}
    assert "<p>ZeroDivisionError: &lt;b&gt;</p>" in (tmp_path / "comparison.html").read_text("utf-8")


def test_files_that_this_run_has_not_are_removed_and_those_that_are_there_stay(tmp_path: Path) -> None:
    write_outputs(made(RUNS["two targets"]()), tmp_path)
    (tmp_path / "summary.md").write_text("mine")
    write_outputs(made(RUNS["small"]()), tmp_path, but=["summary.md"])
    assert inside(tmp_path) == EVERY - {"comparison.html"}
    assert (tmp_path / "summary.md").read_text() == "mine"


def test_views_are_written_even_if_the_result_breaks_the_schema(tmp_path: Path) -> None:
    material = made(RUNS["small"]())
    wrong = write_outputs(replace(material, result=replace(material.result, format=-1)), tmp_path)
    assert list(wrong) == ["result.json", "statement.html"]  # the statement has its digest
    message = f"not written into {tmp_path}: result.json, statement.html (NotAResult: "
    assert not_written(tmp_path, wrong).startswith(message)
    assert inside(tmp_path) == EVERY - {"result.json", "statement.html", "comparison.html"}


def test_the_page_says_which_stream_it_is_of(tmp_path: Path) -> None:
    material = made(RUNS["small"]())
    write_outputs(material, tmp_path)
    digest = digest_of_file(tmp_path / files.FILE).sha256
    assert f"exchanges.jsonl sha256 {digest}</p>" in (tmp_path / "report.html").read_text("utf-8")


def test_unneeded_modules_are_not_imported() -> None:
    program = f"import sys, {outputs.__name__}; print(*sorted({{'jinja2', 'jsonschema'}} & set(sys.modules)))"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=samples.ROOT / "src"
    )
    assert ran.stdout == "\n"
