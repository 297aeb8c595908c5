"""`petcheck annotate`: what it writes and says, and what it refuses."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from petcheck.cli import annotate
from petcheck.cli.main import main
from petcheck.runner.written import judged_again
from petcheck.stream.stream import checked
from tests.support import samples, streams
from tests.support.documents import SHOP, shop_catalogue


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a document that the catalogue knows and a run that fails LIST-3."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(annotate, "catalogue", shop_catalogue)
    (tmp_path / "shop.md").write_text(SHOP, "utf-8")
    judged_again(checked(streams.lines()), tmp_path / "my reports")
    return tmp_path


def test_it_writes_the_page_and_lists_what_no_requirement_covers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["annotate", "shop.md", "my reports", "-o", "page.html"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(
        "8 sentences and table rows: 6 carry a requirement or an open point, 2 state nothing to test\n"
    )
    assert '"All about the shop." Tells people what it is.\n' in said
    assert said.endswith("page: page.html\n")
    page = (folder / "page.html").read_text("utf-8")
    report = (folder / "my reports" / "report.html").read_text("utf-8")
    assert '<a href="my%20reports/report.html#x0-1">#1</a>' in page
    assert 'id="x0-1"' in report
    assert 'id="LIST-3"' in report
    assert "<dd>shop.md</dd>" in page


def test_the_page_goes_to_standard_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["annotate", "shop.md", "my reports", "my reports", "-o", "-"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("<!doctype html>")
    assert said.count('class="of">staging (my reports/result.json) #2') > 2
    assert sorted(path.name for path in folder.iterdir()) == ["my reports", "shop.md"]


def test_a_run_without_a_report_has_no_links(folder: Path) -> None:
    (folder / "my reports" / "report.html").unlink()
    assert main(["annotate", "shop.md", "my reports"]) == 0
    assert "report.html" not in (folder / "annotated.html").read_text("utf-8")


def test_an_edited_document_is_told_and_the_page_is_made(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "shop.md").write_text(SHOP.replace("at most", "no more than"), "utf-8")
    assert main(["annotate", "shop.md", "my reports"]) == 1
    said = capsys.readouterr().out
    assert "LIST-3: its sentence in section 1 is no longer found\n" in said
    assert '"A page holds no more than limit things." new: the catalogue does not know it\n' in said
    assert (folder / "annotated.html").is_file()


def _fifo(folder: Path) -> None:
    os.mkfifo(folder / "bad.md")


def _changed(folder: Path) -> None:
    file = folder / "my reports" / "result.json"
    file.write_text(file.read_text("utf-8").replace('"fail"', '"pass"'), "utf-8")


def _parts(folder: Path) -> None:
    exchanges = samples.whole_run(targets=4)[1]
    names = ("staging", "production", "eu-west", "us-east")
    judged_again(streams.around(exchanges, *names), folder / "four")


REFUSED: dict[str, tuple[Callable[[Path], object], list[str], str]] = {
    "nothing": (lambda _: None, [], "name the document and one or two folders of reports"),
    "no run": (lambda _: None, ["shop.md"], "name the document and one or two folders of reports"),
    "three runs": (lambda _: None, ["shop.md", *["my reports"] * 3], "name the document and one or two folders"),
    "no document": (lambda _: None, ["bad.md", "my reports"], "bad.md cannot be read: No such file or directory; give"),
    "a folder": (lambda folder: (folder / "bad.md").mkdir(), ["bad.md", "my reports"], "bad.md cannot be read: "),
    "a pipe": (_fifo, ["bad.md", "my reports"], "bad.md cannot be read: Not a file; give"),
    "not UTF-8": (lambda folder: (folder / "bad.md").write_bytes(b"# \xff"), ["bad.md", "my reports"], "is not text"),
    "binary": (
        lambda folder: (folder / "bad.md").write_bytes(b"# \0"),
        ["bad.md", "my reports"],
        "is not text in UTF-8",
    ),
    "huge": (
        lambda folder: (folder / "bad.md").write_bytes(b"a" * 1_100_000),
        ["bad.md", "my reports"],
        "more than the 1 MB that are read",
    ),
    "long": (
        lambda folder: (folder / "bad.md").write_bytes(b"[" * 200_001),
        ["bad.md", "my reports"],
        "bad.md has more than 200,000 characters; give the interface document",
    ),
    "another document": (
        lambda folder: (folder / "bad.md").write_text("# Hello\n\nWorld.\n"),
        ["bad.md", "my reports"],
        "no sentence of bad.md is one that a requirement rests on; give the interface document",
    ),
    "no report": (lambda _: None, ["shop.md", "."], "result.json cannot be read: No such file or directory"),
    "a verdict changed": (_changed, ["shop.md", "my reports"], "does not follow from its recording"),
    "too many targets": (_parts, ["shop.md", "four", "my reports"], "5 targets in these runs; a page has 4 margins"),
    "onto the document": (lambda _: None, ["shop.md", "my reports", "-o", "shop.md"], "shop.md is part of an input"),
    "onto the run": (lambda _: None, ["shop.md", "my reports", "-o", "my reports/result.json"], "is part of an input"),
    "onto its page": (lambda _: None, ["shop.md", "my reports", "-o", "my reports/report.html"], "is part of an input"),
    "nowhere": (lambda _: None, ["shop.md", "my reports", "-o", "no/where.html"], "no/where.html cannot be written"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    prepare, arguments, why = REFUSED[name]
    prepare(folder)
    with pytest.raises(SystemExit) as ended:
        main(["annotate", *arguments])
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (4, "")
    assert said.err.startswith("petcheck: annotate: ")
    assert said.err.count("\n") == 1
    assert why in said.err
    assert not (folder / "annotated.html").exists()
    assert (folder / "shop.md").read_text("utf-8") == SHOP
