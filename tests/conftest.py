"""Settings for all tests."""

from __future__ import annotations

import fcntl
import gc
import sys
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests.support.compiled import BYTECODE
from tests.support.once import keep_in

# before any test imports them: their assertions explain themselves
pytest.register_assert_rewrite("tests.support.chromium", "tests.support.elements")

# the machine's speed is not tested, and the database would make a run depend on earlier ones
settings.register_profile("petcheck", deadline=None, database=None, print_blob=True)
# `make test`; where a test gives a number, it stands
settings.register_profile("quick", settings.get_profile("petcheck"), max_examples=40)
settings.load_profile("petcheck")

# every worker reads each test file: half of that is the rewriting of assertions, which the next run finds here
sys.dont_write_bytecode, sys.pycache_prefix = False, str(BYTECODE)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """One worker compiles a test file and what it imports; the others wait for it, and find it compiled."""
    if not isinstance(collector, pytest.Module):
        return (yield)
    with collector.path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        return (yield)


# what is collected stays until the end: nothing of it is garbage, and no collection need look at it again
gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _shared_by_workers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    own = tmp_path_factory.getbasetemp()
    # not by the environment: a session that a test starts inherits it, and would find what older runs left
    keep_in(own.parent if hasattr(request.config, "workerinput") else own)
