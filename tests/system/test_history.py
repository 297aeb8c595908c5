"""`petcheck history`: with real servers and processes, what it accepts and says, and what it refuses."""

# ruff: noqa: E501 - messages are quoted as they come

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import jsonschema_rs
import pytest

from petcheck.cli.main import main
from petcheck.reports import json_text
from petcheck.results.result import Result, text_of
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support import samples
from tests.support.command import KEY
from tests.support.forked import petcheck
from tests.support.past import nightly

WIDE = {"COLUMNS": "200"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the runs of four nights, as the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for night, letters in enumerate(("pp", "pf", "fp", "ff")):
        place = tmp_path / "nights" / f"{night}"
        place.mkdir(parents=True)
        write(nightly(night, dict(zip(("LIST-4", "RATE-4"), letters, strict=True))), place)
    return tmp_path


def write(value: Result, folder: Path) -> None:
    (folder / "result.json").write_text(text_of(value), "utf-8")


def test_runs_of_real_servers(tmp_path: Path) -> None:
    plain = create_app(ReferenceSettings(keys={KEY: "business"}))
    broken = create_app(ReferenceSettings(keys={KEY: "business"}, faults=("default-limit-50",)))
    for night, app in enumerate((plain, broken, broken, plain)):
        with running(app) as url:
            more = ("--max-wait", "60") if night == 2 else ()
            ran = petcheck(
                tmp_path,
                "LIST-4",
                "--target",
                f"shop={url}/v1",
                "--insecure-http",
                "--reports",
                f"nights/{night}",
                *more,
            )
            assert ran.code == (1 if app is broken else 0)
    made = petcheck(tmp_path, "history", "nights", more=WIDE)
    assert (made.code, made.err) == (0, "")
    assert made.out.startswith("shop: nothing fails now; 1 began to fail and 1 was fixed.\n4 runs on ")
    assert "LIST-4 began to fail between run 1 " in made.out
    assert "--max-wait: 120 → 60" in made.out
    assert made.out.endswith("page: history.html\n")
    assert (tmp_path / "history.html").read_text("utf-8").startswith("<!doctype html>")
    assert KEY not in (tmp_path / "history.html").read_text("utf-8")


def test_folders_of_folders_folders_and_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(folder / "nights", folder / "elsewhere")
    for arguments in (["nights"], ["nights/0", "nights/1", "nights/2/result.json", "elsewhere/3"]):
        assert main(["history", *arguments]) == 0
        assert capsys.readouterr().out.startswith(
            "staging: 2 requirements fail now; 3 began to fail and 1 was fixed.\n"
        )


def test_json_is_complete_and_matches_its_schema(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(samples.hostile_run()[0], folder)
    assert main(["history", "nights", "result.json", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    schema = json.loads(Path(json_text.__file__).with_name("history.schema.json").read_text("utf-8"))
    jsonschema_rs.validate(schema, value)
    assert [run["file"] for run in value["runs"]][:2] == ["nights/0/result.json", "nights/1/result.json"]
    [target] = value["targets"]
    found = {one["id"]: one for one in target["requirements"]}
    assert found["LIST-4"]["outcomes"] == ["pass", "pass", "fail", "fail", "inconclusive"]
    assert (found["LIST-4"]["state"], found["LIST-4"]["since"]) == ("failing", 2)
    assert found["RATE-4"]["unexplained_flips"] == 3
    assert [one["to"] for one in found["RATE-4"]["flips"]] == ["fail", "pass", "fail"]
    assert [one["fail"] for one in target["runs"]] == [0, 1, 1, 2, 1]
    assert not (folder / "history.html").exists()


def test_the_page_goes_where_it_is_asked_to(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "nights", "-o", "-"]) == 0
    printed = capfd.readouterr().out
    assert printed.startswith("<!doctype html>")
    assert printed.endswith("</html>\n")
    assert main(["history", "nights", "--json", "-o", "page.html"]) == 0
    assert (folder / "page.html").exists()
    assert json.loads(capfd.readouterr().out)["format"] == 1
    assert not (folder / "history.html").exists()


def test_runs_lead_to_their_reports(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    odd = folder / "nights" / "1:ü <b>"
    (folder / "nights" / "1").rename(odd)
    (odd / "report.html").touch()
    (folder / "pages").mkdir()
    assert main(["history", "nights", "-o", "pages/page.html"]) == 0
    assert main(["history", str(folder / "nights"), "-o", "-"]) == 0
    for text, up in (((folder / "pages" / "page.html").read_text("utf-8"), "../"), (capfd.readouterr().out, "")):
        links = re.findall(r'href="([^#"]+)">(.*?)</a>', text)
        assert links == [(f"{up}nights/1%3A%C3%BC%20%3Cb%3E/report.html", "2026-11-02 02:00")]


def again(folder: Path) -> None:
    shutil.copytree(folder / "nights" / "1", folder / "nights" / "copy")


REFUSED: dict[str, tuple[Callable[[Path], object], list[str], str]] = {
    "nothing": (lambda folder: None, [], "name the folders of the runs: petcheck history nightly/"),
    "missing": (lambda folder: None, ["nowhere"], "nowhere cannot be read: No such file or directory; give the result.json"),
    "empty": (lambda folder: (folder / "empty").mkdir(), ["empty"], "empty holds no result.json, nor does a folder in it"),
    "other": (lambda folder: (folder / "x.json").write_text("{}"), ["x.json"], "x.json is not a result of petcheck"),
    "half": (
        lambda folder: (folder / "nights/1/result.json").write_text("{"),
        ["nights"],
        "nights/1/result.json is not complete JSON",
    ),
    "twice": (again, ["nights"], "nights/1/result.json and nights/copy/result.json are of the same run; give each run once"),
    "input": (lambda folder: None, ["nights", "-o", "nights/1/result.json"], "nights/1/result.json is part of an input of the"),
    "unwritable": (lambda folder: None, ["nights", "-o", "no/page"], "no/page cannot be written (No such file or directory)"),
    "both": (lambda folder: None, ["nights", "--json", "-o", "-"], "both write to standard output; give -o a file"),
    "option": (lambda folder: None, ["nights", "--jsn"], "unknown option --jsn; did you mean --json?"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_with_one_line(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    prepare, arguments, said = REFUSED[name]
    prepare(folder)
    with pytest.raises(SystemExit) as ended:
        main(["history", *arguments])
    assert ended.value.code == 4
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("petcheck: ")
    assert printed.err.count("\n") == 1
    assert said in printed.err
    assert not (folder / "history.html").exists()
