"""A run in progress: a target is opened on first use, and every finding is reported once."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from petcheck.runner.results import TargetReport, join_reports

from petcheck.config.load import Config
from petcheck.config.targets import Embedded, TargetConfig, Url
from petcheck.judging.verdicts import Finding
from petcheck.runner.session import Session
from petcheck.runner.xdist import XdistWorker, target_of
from petcheck.wire.credentials import ApiKey
from tests.support.trial import KEY, server

CHECKS = 5


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with server(plan="enterprise") as up:
        yield up


def session(url: str, *names: str) -> Session:
    source = Url(url, ApiKey(KEY))
    return Session(Config(date(2026, 11, 21), 1, tuple(TargetConfig(name, source) for name in names)))


def judge_something(run: Session, name: str, number: int) -> str:
    """Send one request and add one finding; returns the check's id."""
    target = run.target(name)
    target.api.list_pets(limit=number + 1)
    check = f"checks/test_x.py::test_y[{name}-{number}]"
    run.add(Finding(check, ("LIST-1",), "4.1", name, "pass", "", 0.0, (number + 1,)))
    target.observe(f"open-{number}", "seen")
    return check


def test_a_target_is_opened_on_first_use(url: str) -> None:
    run = session(url, "a", "b")
    assert (run.names, run.reports()) == (["a", "b"], [])
    assert run.target("b") is run.target("b")
    assert [report.name for report in run.reports()] == ["b"]
    run.close()


def test_parts_join_to_the_complete_report(url: str) -> None:
    run = session(url, "a", "b")
    parts: list[TargetReport] = []
    assert run.unsent_reports("a") == []
    run.target("a")
    run.target("b")
    for number in range(CHECKS):
        judge_something(run, "a", number)
        parts += pickle.loads(pickle.dumps(run.unsent_reports("a")))
    judge_something(run, "b", 0)
    assert run.unsent_reports("a") == []
    parts += run.unsent_reports()
    assert run.unsent_reports() == []
    assert join_reports(parts) == run.reports()
    run.close()


def sent_by(worker: XdistWorker, nodeid: str) -> list[bytes]:
    """The reports that a worker sends with one pytest report."""
    hook: Any = worker.pytest_report_to_serializable(SimpleNamespace(nodeid=nodeid))  # type: ignore[arg-type]
    next(hook)
    with pytest.raises(StopIteration) as end:
        hook.send({})
    process, packed = end.value.value["petcheck"]
    assert process > 0
    return [packed] if packed else []


def test_a_worker_sends_each_finding_once_however_many_targets_it_has(url: str) -> None:
    names = [f"t{number}" for number in range(6)]
    run = session(url, *names)
    worker = XdistWorker(run)
    sizes, parts = [], []
    for name in names:
        packed: list[bytes] = []
        for number in range(CHECKS):
            check = judge_something(run, name, number)
            for _ in ("setup", "call", "teardown"):
                packed += sent_by(worker, check)
        assert len(packed) == CHECKS
        sizes.append(sum(map(len, packed)))
        parts += [report for part in packed for report in pickle.loads(part)]
    # each message is about one target, so the last target costs no more than the first
    assert max(sizes) - min(sizes) < 0.05 * sizes[0]
    assert join_reports(parts) == run.reports()
    run.close()


@pytest.mark.parametrize(
    ("nodeid", "target"),
    [
        ("checks/test_x.py::test_y[eu]", "eu"),
        ("checks/test_x.py::test_y[eu-west-20]", "eu-west"),
        ("checks/test_x.py::test_y[eu-20]", "eu"),
        ("checks/test_x.py::test_y", ""),
        ("checks/test_x.py", ""),
    ],
)
def test_the_target_of_a_check(nodeid: str, target: str) -> None:
    assert target_of(nodeid, ["eu", "eu-west"]) == target


def test_the_embedded_server_gets_a_new_key_each_time_it_is_opened() -> None:
    embedded = TargetConfig("reference", Embedded(), "pro", writes=True, exhaust=True)
    keys = set()
    for _ in range(2):
        run = Session(Config(date(2026, 11, 21), 1, (embedded,)))
        target = run.target("reference")
        assert target.untestable is None
        assert target.transport.base_url.startswith("http://127.0.0.1:")
        assert target.transport.base_url.endswith("/v1")
        assert target.transport.permissions.writes
        keys.add(target.transport.sender.fingerprint)
        run.close()
    assert len(keys) == 2
