"""A run in progress: a target is opened on first use, and all that becomes known is in the stream."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from petcheck.config.options import Config
from petcheck.config.targets import App, Embedded, TargetConfig, Url
from petcheck.errors import NotSent
from petcheck.exchange import Exchange
from petcheck.judging.verdicts import Dropped
from petcheck.runner.schedule import Check
from petcheck.runner.session import Session
from petcheck.runner.xdist import target_of
from petcheck.stream.files import StreamWriter
from petcheck.stream.lines import Ended, Head, Opened, Planned
from petcheck.toolkit.target import Target
from petcheck.wire.credentials import ApiKey
from tests.support.trial import KEY, server


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with server(plan="enterprise") as up:
        yield up


def session(url: str, *names: str, writer: StreamWriter | None = None) -> Session:
    source = Url(url, ApiKey(KEY))
    config = Config(date(2026, 11, 21), 1, tuple(TargetConfig(name, source) for name in names))
    return Session(config, writer=writer or StreamWriter(None))


def check(target: str, number: int = 0) -> Check:
    return Check(f"checks/test_x.py::test_y[{target}-{number}]", target, ("LIST-1",), (), "usual", ())


def test_a_target_is_opened_on_first_use(url: str) -> None:
    run = session(url, "a", "b")
    run.begin()
    assert (run.names, dict(run.opened)) == (["a", "b"], {})
    assert run.target("b") is run.target("b")
    assert list(run.opened) == ["b"]
    assert [line.target for line in run.writer.kept().entries if isinstance(line, Opened)] == ["b"]
    run.close()


def test_a_target_that_breaks_petcheck_is_opened_once(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(target: Target) -> None:
        raise RuntimeError(f"broken with {KEY}")

    monkeypatch.setattr(Target, "probe", breaks)
    run = session(url, "a")
    run.plan([check("a")])
    run.begin()
    with pytest.raises(RuntimeError) as broken:
        run.target("a")
    run.ended(check("a"), broken.value, 0.5)
    run.close()
    opened, planned, ended = run.writer.kept().entries[1:]
    assert (type(opened), type(planned)) == (Opened, Planned)
    assert isinstance(ended, Ended)
    assert ended.dropped is not None
    assert ended.dropped.outcome == "error"
    assert "RuntimeError: broken with [redacted-key]" in ended.dropped.reason


def test_nothing_is_sent_for_a_check_that_an_error_has_ended(url: str) -> None:
    run = session(url, "a")
    run.begin()
    target = run.target("a")
    before = target.transport.purpose
    with pytest.raises(ValueError, match="broken"), target.on_behalf_of("8", on_top=True):
        raise ValueError("broken")
    run.close()
    assert target.transport.purpose == before


def test_the_stream_has_the_plan_what_was_sent_and_what_came_of_each_check(url: str, tmp_path: Path) -> None:
    run = session(url, "a", "b", writer=StreamWriter(tmp_path))
    checks = [check(name, number) for name in run.names for number in range(2)]
    run.plan(checks)
    run.begin()
    run.target("a").api.list_pets(limit=3)
    run.ended(checks[0], None, 0.5)
    said = NotSent(f"nobody answered {KEY}", "--plan")
    run.ended(checks[1], said, 0.25)
    run.target("b")
    run.close()
    stream = run.writer.stream()
    assert stream == run.writer.kept()
    probe, page = (Exchange, Exchange)
    kinds = [(type(line), getattr(line, "target", None)) for line in stream.entries]
    assert kinds[:3] == [(Head, None), (Opened, "a"), (Planned, "a")]
    assert [kind for kind, target in kinds if target == "a"] == [Opened, Planned, probe, page, Ended, Ended]
    part = stream.parts[0]
    assert [one.id for one in part.planned or ()] == [checks[0].id, checks[1].id]
    assert [(one.check, one.seconds, one.dropped) for one in part.ended] == [
        (checks[0].id, 0.5, None),
        (checks[1].id, 0.25, Dropped("inconclusive", "Nobody answered [redacted-key].", "--plan")),
    ]


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


def test_an_application_that_starts_too_late_is_not_tested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "late_shop.py").write_text("async def app(*_):\n    import asyncio\n    await asyncio.sleep(1e6)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("petstore_reference.uvicorn_server.START_S", 0.1)
    late = TargetConfig("late", App("late_shop:app", ApiKey(KEY)))
    run = Session(Config(date(2026, 11, 21), 1, (late,)))
    assert run.target("late").untestable == "--app late_shop:app does not start within 0.1 s, and does not say why"
    run.close()


def test_the_embedded_server_gets_a_new_key_each_time_it_is_opened() -> None:
    embedded = TargetConfig("reference", Embedded(), "pro", writes=True, exhaust=True)
    keys = set()
    for _ in range(2):
        run = Session(Config(date(2026, 11, 21), 1, (embedded,)))
        target = run.target("reference")
        assert target.untestable is None
        assert target.transport.sender.base_url.startswith("http://127.0.0.1:")
        assert target.transport.sender.base_url.endswith("/v1")
        assert target.transport.permissions.writes
        keys.add(target.transport.sender.key.fingerprint)
        run.close()
    assert len(keys) == 2
