"""A run is configured once, its application is imported once, and judged once."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from petcheck.config.options import Config
from petcheck.config.targets import App, TargetConfig
from petcheck.errors import ConfigError
from petcheck.runner.start import prepare
from petcheck.spec.files import suite_root
from petcheck.wire.credentials import ApiKey
from tests.support.command import KEY, environment, petcheck

# writes each call into the file `calls`; run as a program, it also runs the command
COUNTING = """
import pathlib, runpy
from petcheck.config import load
from petcheck.results import lock
from petcheck.runner import finish
def counted(name, function):
    def call(*arguments, **settings):
        with pathlib.Path(__file__).with_name("calls").open("a") as file:
            file.write(name + "\\n")
        return function(*arguments, **settings)
    return call
load.configure = counted("configure", load.configure)
finish.judge = counted("judge", finish.judge)
lock.FolderLock.__init__ = counted("lock", lock.FolderLock.__init__)
if __name__ == "__main__":
    runpy.run_module("petcheck", run_name="__main__", alter_sys=True)
"""
SHOP = f"""
import pathlib
from petstore_reference.server import ReferenceSettings, create_app
with pathlib.Path(__file__).with_name("calls").open("a") as file:
    file.write("import\\n")
app = create_app(ReferenceSettings(keys={{"{KEY}": "business"}}, anonymous_limit=10_000))
"""
TODAY = date(2026, 11, 21)
ONCE = Counter(configure=1, judge=1, lock=1, **{"import": 1})


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "counting.py").write_text(COUNTING)
    (tmp_path / "shop.py").write_text(SHOP)
    return tmp_path


def calls(folder: Path) -> Counter[str]:
    return Counter((folder / "calls").read_text().split())


def test_by_the_command(shop: Path) -> None:
    ran = petcheck(shop, "--app", "shop:app", "-k", "test_9 or test_limit", "--examples", "0", program="counting")
    assert ran.code == 0, ran.out + ran.err
    assert calls(shop) == ONCE
    assert [(target.name, target.writes) for target in ran.result.targets] == [("target", False)]


def test_by_pytest(shop: Path) -> None:
    arguments = ["checks", "-p", "counting", "--app", "shop:app", "-k", "test_9 or test_limit", "--examples", "0"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments, "--reports", str(shop / "reports")],
        cwd=suite_root(),
        env=environment(more={"PYTHONPATH": str(shop), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert calls(shop) == ONCE


def test_a_run_without_reports_locks_nothing(shop: Path) -> None:
    assert petcheck(shop, "--app", "shop:app", "--dry-run", program="counting").code == 0
    assert calls(shop) == Counter(configure=1, **{"import": 1})


def test_an_application_that_cannot_be_imported_ends_the_run_before_it_begins(tmp_path: Path) -> None:
    app = TargetConfig("target", App("no_such_module:app", ApiKey("k-123")))
    config = Config(TODAY, 1, (app,), reports=tmp_path)
    with pytest.raises(ConfigError, match=r"^--app no_such_module:app: No module named 'no_such_module'; write it as"):
        prepare(config, writes_reports=True)
    prepare(Config(TODAY, 1, (), reports=tmp_path), writes_reports=True).lock.release()  # type: ignore[union-attr]
