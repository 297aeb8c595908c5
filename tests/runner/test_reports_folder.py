"""A folder of reports is taken by one run, and never over files of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from petcheck.errors import ConfigError
from petcheck.reports.outputs import write_outputs
from petcheck.runner.reports_folder import take
from tests.support.forked import petcheck
from tests.support.trial import small_run


def test_an_empty_folder_and_one_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "junit.xml").touch()  # nothing would be lost
    take(tmp_path).release()
    assert (tmp_path / "README.md").read_text() == "mine"


def test_a_folder_of_an_earlier_run(tmp_path: Path) -> None:
    assert write_outputs(small_run(), tmp_path) == {}
    take(tmp_path).release()
    (tmp_path / "result.json").unlink()
    take(tmp_path).release()  # killed before it wrote more than its stream
    (tmp_path / "exchanges.jsonl").unlink()
    with pytest.raises(ConfigError, match=r"holds files that petcheck has not written and would overwrite \("):
        take(tmp_path)


def test_a_run_overwrites_no_report_of_another_program(tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    for name in ("junit.xml", "result.json"):
        (reports / name).write_text("of another program")
    ran = petcheck(tmp_path, "--reports", "reports", "-k", "test_9")
    assert ran.code == 4
    assert ran.last_line_of_trouble == (
        "petcheck: reports holds files that petcheck has not written and would overwrite (result.json, junit.xml); "
        "give another folder with --reports, or move them away"
    )
    assert {path.name: path.read_text() for path in reports.iterdir()} == {
        "junit.xml": "of another program",
        "result.json": "of another program",
    }
