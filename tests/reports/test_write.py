"""All files of a run, written in one call."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from petcheck.reports.write import Product, write_all

from petcheck.errors import NotWritten
from petcheck.reports import comparison_html, summary
from petcheck.results.result import load
from tests.support import samples

FILES = [
    "badge.json",
    "badge.svg",
    "exchanges.har",
    "exchanges.jsonl",
    "junit.xml",
    "report.html",
    "result.json",
    "summary.md",
]


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("run", [samples.whole_run, samples.hostile_run])
def test_all_files_are_written_and_nothing_else(run: samples.Run, tmp_path: Path) -> None:
    value, exchanges = run()
    write_all(Product(value, exchanges), tmp_path / "new" / "reports")
    compared = ["comparison.html"] * (len(value.targets) > 1)
    assert names(tmp_path / "new" / "reports") == sorted([*compared, *FILES])
    assert load(tmp_path / "new" / "reports" / "result.json") == value
    assert len(json.loads((tmp_path / "new/reports/exchanges.har").read_bytes())["log"]["entries"]) == len(exchanges)


def test_one_broken_view_does_not_affect_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "report.html").mkdir()

    def broken(*_: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(summary, "render", broken)
    value, exchanges = samples.whole_run()
    with pytest.raises(NotWritten) as wrong:
        write_all(Product(value, exchanges), tmp_path)
    message = f"not written into {tmp_path}: report.html, summary.md (Is a directory; ZeroDivisionError: )"
    assert str(wrong.value) == message
    assert [type(error) for error in wrong.value.errors.values()] == [IsADirectoryError, ZeroDivisionError]
    assert names(tmp_path) == sorted(["comparison.html", *(name for name in FILES if name != "summary.md")])


def test_a_failed_comparison_says_so_and_fails_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> str:
        raise ZeroDivisionError("<b>")

    monkeypatch.setattr(comparison_html, "render", broken)
    write_all(Product(*samples.whole_run()), tmp_path)
    assert names(tmp_path) == sorted(["comparison.html", *FILES])
    assert "<p>ZeroDivisionError: &lt;b&gt;</p>" in (tmp_path / "comparison.html").read_text("utf-8")


def test_a_comparison_that_cannot_be_written_fails_no_run(tmp_path: Path) -> None:
    (tmp_path / "comparison.html").mkdir()
    write_all(Product(*samples.whole_run()), tmp_path)
    assert names(tmp_path) == sorted(["comparison.html", *FILES])


def test_a_comparison_of_an_earlier_run_is_removed(tmp_path: Path) -> None:
    write_all(Product(*samples.whole_run()), tmp_path)
    write_all(Product(*samples.whole_run(targets=1)), tmp_path)
    assert names(tmp_path) == FILES


def test_views_are_written_even_if_the_result_breaks_the_schema(tmp_path: Path) -> None:
    with pytest.raises(NotWritten, match=r"not written into .*: result\.json \(NotAResult: .*\)$"):
        write_all(Product(samples.result(exit_code=-1), samples.two_exchanges()), tmp_path)
    assert names(tmp_path) == [name for name in FILES if name != "result.json"]


def test_unneeded_modules_are_not_imported() -> None:
    program = "import sys, petcheck.reports.write; print('jinja2' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=samples.ROOT / "src"
    )
    assert ran.stdout == "False\n"
