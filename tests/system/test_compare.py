"""`petcheck compare`: what it accepts and says, and what it refuses with one line and exit 4."""

# ruff: noqa: E501 - messages are quoted as they come

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from petcheck.cli import compare
from petcheck.cli.main import main
from petcheck.exchange import Exchange
from petcheck.reports import json_text
from petcheck.results.result import Result, text_of
from petcheck.stream import files, har
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support import samples, streams
from tests.support.command import KEY
from tests.support.forked import petcheck
from tests.support.once import folder_made_once

WIDE = {"COLUMNS": "200"}


@pytest.fixture(scope="module")
def runs() -> Path:
    """A folder with two complete runs, `a` and `b`, which differ."""
    return folder_made_once("runs", make_runs)


def make_runs(folder: Path) -> None:
    write(folder / "a")
    write(folder / "b", failing=False)


@pytest.fixture(autouse=True)
def believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples, which no run has made, are compared as if they followed from their recordings."""
    monkeypatch.setattr(compare, "unfounded", lambda folder: ())


@pytest.fixture
def folder(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder as the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    shutil.copytree(runs, tmp_path, dirs_exist_ok=True)
    return tmp_path


def write(folder: Path, *, failing: bool = True, **changes: Any) -> None:
    value, exchanges = samples.whole_run(targets=1, failing=failing)
    write_run(replace(value, **changes), exchanges, folder)


def write_run(value: Result, exchanges: Iterable[Exchange], folder: Path) -> None:
    """Write what `compare` reads of a run."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "result.json").write_text(text_of(value), "utf-8")
    stream = streams.around(exchanges, *(target.name for target in value.targets))
    stream = stream.with_head(replace(stream.head, run=value.run.id, started=datetime.fromisoformat(value.run.started)))
    (folder / files.FILE).write_text("".join(files.text_of(stream.entries)), "utf-8")
    (folder / har.FILE).write_text("".join(har.pieces(stream)), "utf-8")


def change(file: Path, edit: Callable[[Any], object]) -> None:
    """Apply a function to the value of a JSON file."""
    value = json.loads(file.read_bytes())
    edit(value)
    file.write_text(json.dumps(value))


# ---- what it says


@pytest.mark.slow
def test_runs_of_real_servers_equal_and_different(tmp_path: Path) -> None:
    plain = create_app(ReferenceSettings(keys={KEY: "business"}))
    other = create_app(
        ReferenceSettings(keys={KEY: "business"}, faults=("default-limit-50",), variations=("www-authenticate",))
    )
    with running(plain) as url, running(other) as broken:
        targets = {"monday": url, "tuesday": url, "broken": broken}
        for name, base in targets.items():
            ran = petcheck(tmp_path, "--target", f"shop={base}/v1", "--allow-writes", "--reports", name)
            assert ran.code == (name == "broken")
    same = petcheck(tmp_path, "compare", "monday/result.json", "tuesday")
    assert (same.code, same.err) == (0, "")
    assert same.out.splitlines()[0] == "shop (monday) and shop (tuesday) are equal in everything compared."
    assert same.out.splitlines()[-1] == "page: comparison.html"
    assert (tmp_path / "comparison.html").stat().st_size > 10_000
    differ = petcheck(tmp_path, "compare", "monday", "broken", "-o", "out.html", more=WIDE)
    assert (differ.code, differ.err) == (1, "")
    assert differ.out.startswith(
        "shop (monday) and shop (broken) differ in 1 verdict, 1 open point and 2 other traits."
    )
    assert differ.out.index("LIST-4 · section 4.1") < differ.out.index("www-authenticate")
    page = (tmp_path / "out.html").read_text("utf-8")
    assert re.findall('href="([^"#]+)"', page) == ["monday/report.html", "broken/report.html"]


@pytest.mark.slow
def test_several_targets_in_one_run_are_compared_by_themselves(tmp_path: Path) -> None:
    plain = create_app(ReferenceSettings(keys={KEY: "business"}))
    other = create_app(ReferenceSettings(keys={KEY: "business"}, faults=("default-limit-50",)))
    with running(plain) as url, running(other) as broken:
        targets = ("--target", f"staging={url}/v1", "--target", f"production={broken}/v1")
        ran = petcheck(tmp_path, *targets, "--target", "gone=http://127.0.0.1:9/v1", more=WIDE)
        assert ran.code == 1
        assert "reports/report.html, result.json, exchanges.har, junit.xml, summary.md, comparison.html" in ran.out
        page = (ran.reports / "comparison.html").read_text("utf-8")
        assert "<title>staging and production differ in 1 verdict and 1 other trait.</title>" in page
        assert "gone is left out. It could not be tested: http://127.0.0.1:9/v1 does not answer" in page
        assert KEY not in page
        assert 'href="comparison.html"' in (ran.reports / "report.html").read_text("utf-8")
        alone = petcheck(tmp_path, "--target", f"staging={url}/v1")
        assert alone.code == 0
        assert not (alone.reports / "comparison.html").exists()


def test_one_result_with_two_targets_has_two_sides(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(*samples.whole_run(), folder / "both")
    assert main(["compare", "both"]) == 1
    assert re.match(r"staging and production differ in \d+ open points; \d+ requirements", capsys.readouterr().out)


def test_a_target_that_could_not_be_tested_is_left_out_and_keeps_the_rest_from_being_called_equal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(*samples.whole_run(), folder / "both")
    change(folder / "both" / "result.json", put("targets/1/unreachable", "no answer"))
    assert main(["compare", "both", "both/result.json"]) == 6
    headline, left_out, *_ = capsys.readouterr().out.splitlines()
    assert headline.startswith("staging (both/result.json) #1 and staging (both/result.json) #2 are equal")
    assert left_out == "  production (both/result.json) #1 is left out. It could not be tested: no answer"
    assert main(["compare", "both", "b", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["left_out"] == [{"target": "production", "why": "no answer"}]


def test_the_same_file_twice_is_equal_and_has_distinct_sides(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "a", "a/result.json"]) == 0
    assert capsys.readouterr().out.startswith(
        "staging (a/result.json) #1 and staging (a/result.json) #2 are equal in everything compared."
    )


def test_json_is_complete_and_matches_its_schema(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "a", "b", "--json"]) == 1
    value = json.loads(capsys.readouterr().out)
    schema = json.loads(Path(json_text.__file__).with_name("comparison.schema.json").read_text("utf-8"))
    jsonschema_rs.validate(schema, value)
    assert value["equal"] is False
    assert [side["label"] for side in value["sides"]] == ["staging (a)", "staging (b)"]
    assert [(one["id"], one["outcomes"]) for one in value["different"]["verdicts"]] == [
        ("LIST-3", ["fail", "pass"]),
        ("CREATE-8", ["fail", "pass"]),
        ("GET-2", ["waived", "pass"]),
    ]
    assert [one["exchanges"][0][0] for one in value["different"]["verdicts"]] == [5, 4, 3]
    counted = value["different"]["verdicts"] + value["different"]["not_examined_everywhere"]
    assert len(counted) + len(value["equal_parts"]["verdicts"]) == len(samples.whole_run(targets=1)[0].requirements)
    assert not (folder / "comparison.html").exists()
    assert main(["compare", "a", "b", "--json", "-o", "page.html"]) == 1
    assert (folder / "page.html").exists()


@pytest.mark.parametrize("output", ["-", "/dev/stdout"])
def test_the_page_goes_to_standard_output(folder: Path, capfd: pytest.CaptureFixture[str], output: str) -> None:
    assert main(["compare", "a", "b", "-o", output]) == 1
    printed = capfd.readouterr().out
    assert printed.startswith("<!doctype html>")
    assert printed.endswith("</html>\n")
    assert {path.name for path in folder.iterdir()} == {"a", "b"}
    refused(["a", "b", "--json", "-o", output], "both write to standard output; give -o a file", folder, capfd)


def test_a_page_is_written_through_links_and_into_devices(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "page").symlink_to("far")
    assert main(["compare", "a", "b", "-o", "page"]) == 1
    assert (folder / "page").is_symlink()
    assert (folder / "far").read_text().startswith("<!doctype html>")
    assert main(["compare", "a", "b", "-o", os.devnull]) == 1
    assert Path(os.devnull).is_char_device()


def test_no_colour_without_a_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["compare", "a", "b"])
    assert "\x1b" not in capsys.readouterr().out


# ---- what it refuses


def put(path: str, value: object) -> Callable[[Any], None]:
    """Set a member of a JSON value; the path is keys and indices, separated by slashes."""

    def edit(document: Any) -> None:
        *way, last = [int(step) if step.isdecimal() else step for step in path.split("/")]
        for step in way:
            document = document[step]
        document[last] = value

    return edit


def twice(document: Any) -> None:
    document["targets"].append(document["targets"][0])


RESULTS: dict[str, tuple[Callable[[Any], object], str]] = {
    "other format": (put("format", 2), "b/result.json has format 2; this version reads format 1; "),
    "incomplete": (put("complete", False), "b/result.json: the run was interrupted, "),
    "untestable": (put("targets/0/unreachable", "no answer\n\x1b"), "staging could not be tested: no answer\\u{a}\\u{1b}; "),
    "target twice": (twice, "b/result.json: two targets have the same name"),
    "other suite": (put("suite/version", "9.9"), "b/result.json: its suite is petcheck 9.9 and that of a/result.json petc"),
    "other interface": (put("suite/interface", "2.0.0"), "b/result.json: its interface is 2.0.0 and that of a/res"),
    "other catalogue": (put("suite/requirements_sha256", "c" * 64), "b/result.json: its catalogue is sha256 cccc"),
    "other description": (put("suite/openapi_sha256", "c" * 64), "b/result.json: its description is sha256 cccc"),
    "foreign": (lambda value: value.clear(), 'b/result.json is not a result of petcheck: the top level: "format" is a req'),
    "against the schema": (put("requirements/0/outcome", "good"), "b/result.json is not a result of petcheck: requirements"),
    "hostile": (put("requirements/0/outcome", samples.HOSTILE), "b/result.json is not a result of petcheck: requirements"),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_that_cannot_be_compared_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    edit, said = RESULTS[name]
    change(folder / "b" / "result.json", edit)
    refused(["a", "b"], said, folder, capsys)


def refused(runs: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["compare", *runs])
    assert ended.value.code == 4
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("petcheck: compare: ")
    assert printed.err.count("\n") == 1
    assert printed.err.isprintable() or printed.err[:-1].isprintable()
    assert said in printed.err
    assert len(printed.err) < 1_000
    assert not (folder / "comparison.html").exists()


def instead(file: Path, make: Callable[[Path], None]) -> None:
    """Replace a file."""
    file.unlink()
    make(file)


def test_a_run_without_targets_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(samples.result(targets=(), requirements=(), checks=()), (), folder / "none")
    change(folder / "none" / "result.json", put("suite", json.loads((folder / "a/result.json").read_bytes())["suite"]))
    refused(
        ["none", "a"],
        "none/result.json, a/result.json: there is 1 target to compare, but two are needed",
        folder,
        capsys,
    )
    refused(["none", "none"], "there are 0 targets to compare", folder, capsys)


FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated": (lambda file: file.write_bytes(file.read_bytes()[:-500]), "is not complete JSON, so no result of petcheck"),
    "empty": (lambda file: file.write_bytes(b""), "is not complete JSON"),
    "binary": (lambda file: file.write_bytes(bytes(range(256))), "is not complete JSON"),
    "a list": (lambda file: file.write_text("[]"), 'is not a result of petcheck: the top level: [] is not of type "object"'),
    "deep": (lambda file: file.write_text("[" * 100_000), "is not complete JSON"),
    "not a number": (lambda file: file.write_text('{"format": NaN}'), "is not complete JSON"),
    "endless digits": (lambda file: file.write_text("1" * 10_000), "is not complete JSON"),
    "huge": (lambda file: os.truncate(file, 65 * 1024**2), "has 65 MB, more than the 64 MB that are read"),
    "missing": (lambda file: file.unlink(), "cannot be read: No such file or directory; give the result.json of a complete"),
    "a folder": (lambda file: instead(file, Path.mkdir), "result.json cannot be read: Not a file"),
    "a pipe": (lambda file: instead(file, os.mkfifo), "result.json cannot be read: Not a file"),
    "itself": (lambda file: instead(file, lambda place: place.symlink_to(place)), "cannot be read: "),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_not_a_result_is_refused(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    edit, said = FILES[name]
    edit(folder / "b" / "result.json")
    refused(["a", "b"], said, folder, capsys)


HARS: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda file: file.unlink(), "b holds no recording: neither exchanges.jsonl nor exchanges.har"),
    "truncated": (lambda file: file.write_bytes(file.read_bytes()[:-500]), "b/exchanges.har is not whole JSON"),
    "binary": (lambda file: file.write_bytes(b"\xff\xfe"), "b/exchanges.har is not whole JSON"),
    "huge": (lambda file: os.truncate(file, 1025 * 1024**2), "has 1,025 MB, more than the 1,024 MB"),
    "fewer exchanges": (lambda file: change(file, lambda value: value["log"]["entries"].pop()), "has not as many entries as it says"),
    "of a browser": (lambda file: file.write_text('{"log": {"version": "1.2", "entries": [{}]}}'), "is a HAR of another program"),
    "a number": (lambda file: file.write_text("1"), "is not whole JSON"),
    "other types": (lambda file: change(file, put("log/entries/0/response/status", "200")), "has an entry that petcheck has not written"),
    "other texts": (lambda file: change(file, put("log/entries/0/response/content/text", 1)), "has an entry that petcheck has not written"),
    "header of another type": (
        lambda file: change(file, put("log/entries/0/response/headers/0/value", None)), "has an entry that petcheck has not written"),
    "of another run": (lambda file: change(file, put("log/_petcheck/0/petcheck/started", "2020-01-01T00:00:00.000Z")), "the recording in b is of another run than b/res"),
    "of no run": (lambda file: change(file, lambda value: value["log"].pop("_petcheck")), "is a HAR of another program"),
    "of another target": (
        lambda file: change(file, put("log/entries/0/_petcheck/target", "other")), "it is about a target that the run does not have"),
}  # fmt: skip


@pytest.mark.parametrize("name", HARS)
def test_exchanges_that_do_not_belong_to_the_run_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    edit, said = HARS[name]
    (folder / "b" / "exchanges.jsonl").unlink()
    edit(folder / "b" / "exchanges.har")
    refused(["a", "b"], said, folder, capsys)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name the runs: petcheck compare A/result.json B/result.json"),
        (["a"], "a/result.json: there is 1 target to compare, but two are needed; give another result.json"),
        (["a", "b\n\x1b[31m\u202e"], "b\\u{a}\\u{1b}[31m\\u{202e} cannot be read: No such file or directory"),
        (
            ["a/result.json", "b", "-o", "./a/result.json"],
            "a/result.json is part of an input of the command; give -o another file",
        ),
        (["a", "b", "-o", "b/manifest.json"], "b/manifest.json is part of an input of the command; give -o another"),
        (["a", "b", "-o", "nowhere/page.html"], "nowhere/page.html cannot be written"),
    ],
)
def test_arguments_without_anything_to_compare_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    refused(arguments, said, folder, capsys)


def test_a_mistyped_command_or_option_hints_at_the_right_one(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, said in (
        (["compar"], "did you mean compare?"),
        (["compare", "a", "b", "--jsn"], "did you mean --json?"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 4
        assert said in capsys.readouterr().err


def test_hostile_files_are_compared_and_cause_no_harm(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    value, exchanges = samples.hostile_run()
    for name, outcome in (("x", "fail"), ("y", "pass")):
        first, *rest = value.requirements
        changed: Result = replace(
            value,
            targets=(
                replace(value.targets[0], unreachable=None, requests=replace(value.targets[0].requests, total=3)),
            ),
            requirements=(replace(first, outcome=outcome), *rest),  # type: ignore[arg-type]
            observations=tuple(replace(one, value=f"{name}{one.value}") for one in value.observations),
        )
        write_run(changed, exchanges, folder / name)
    assert main(["compare", "x", "y"]) == 1
    said = capsys.readouterr().out
    page = (folder / "comparison.html").read_text("utf-8")
    assert main(["compare", "x", "y", "--json"]) == 1
    for text in (said, page, capsys.readouterr().out):
        text.encode("utf-8")
        assert not any(character in text for character in "\x00\x1b\x07\u202e\u2066\u200b\ufffe")
    assert "\\u{202e}evil" in said
    assert "&lt;script&gt;document.title=&#39;ran&#39;&lt;/script&gt;" in page
    assert "<script" not in page
    assert len(page) < 300_000
    assert len(said) < 10_000
