"""The time of a folder: an authority is asked once, and `verify` checks what it says."""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from petcheck.cli.main import main
from petcheck.evidence.verify import verify
from petcheck.reports.outputs import Material, not_written
from petcheck.results.judge import judge
from petcheck.runner.start import witnesses_of
from petcheck.runner.written import written
from petcheck.stream.lines import End
from petcheck.stream.stream import checked
from tests.evidence.forging import CHOSEN, of_target, write
from tests.support import streams
from tests.support.authorities import REFUSAL, REPLY, Authority, authority, refusing
from tests.support.command import KEY, ended
from tests.support.forked import petcheck, start
from tests.support.peers import Behaviour, Caller, peer
from tests.support.trial import server

RESPONSE = "manifest.tsr"


@pytest.fixture(scope="module")
def notary(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("notary"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small run, in the current folder."""
    monkeypatch.chdir(tmp_path)
    write(checked(streams.lines(streams.OF_TODAY, options=CHOSEN)), Path("reports"))
    return Path("reports")


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    return code, capsys.readouterr().out


# ---- what an authority says


@pytest.mark.parametrize(
    "parts", [(), pytest.param(("--shard", "1/1"), marks=pytest.mark.slow)], ids=["whole", "in parts"]
)
def test_a_run_is_dated_once_and_no_key_goes_to_the_authority(
    notary: Authority, tmp_path: Path, parts: tuple[str, ...]
) -> None:
    with server(key=KEY) as url, notary.serving() as asked:
        options = ("--label", "build=1", "--timestamp-url", f"{asked.url}/tsr/")
        ran = petcheck(tmp_path, "LIST-4", "--target", url, *options, *parts)
    assert (ran.code, ran.err) == (0, "")
    (head,) = asked.heads
    assert head.startswith(b"POST /v1/tsr/ HTTP/1.1\r\n")
    assert b"Content-Type: application/timestamp-query\r\n" in head
    assert b"Authorization" not in head
    assert notary.accepts(ran.reports / RESPONSE, ran.reports / "manifest.json")
    checked_ = petcheck(tmp_path, "verify", "reports", "--timestamp-ca", str(notary.root))
    assert (checked_.code, checked_.err) == (0, "")
    sentence = r"dated: manifest\.json existed at 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC, says the authority (.*)\."
    assert re.findall(sentence, checked_.out) == ["CN=Authority one,O=Notary"]
    assert "when it was made: the authority only says that all of it existed at that time" in checked_.out
    assert KEY not in "".join(map(str, asked.heads))


def test_a_response_that_was_made_elsewhere(
    notary: Authority, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notary.dates(folder)
    code, text = said(capsys, "verify", "reports")
    assert (code, "manifest.tsr was not checked: give --timestamp-ca" in text) == (0, True)
    assert "when it was: the times are those of a clock that its owner sets" in text
    (folder / RESPONSE).rename("elsewhere.tsr")
    code, text = said(capsys, "verify", "reports", "--timestamp", "elsewhere.tsr", "--timestamp-ca", str(notary.root))
    assert (code, "says the authority CN=Authority one,O=Notary." in text) == (0, True)
    (folder / "report.html").write_text("another page")
    code, text = said(capsys, "verify", "reports", "--timestamp", "elsewhere.tsr", "--timestamp-ca", str(notary.root))
    assert (code, text[:11]) == (1, "not proven:")


def test_a_response_without_certificates_takes_that_of_the_authority(notary: Authority, folder: Path) -> None:
    notary.dates(folder, "one", "-no_nonce")
    lacking = "manifest.tsr lacks its authority's certificate; add it to the file of --timestamp-ca"
    assert verify(folder, None, notary.root).wrong == (lacking,)
    both = Path("both.pem")
    both.write_text(notary.root.read_text() + (notary.folder / "one.pem").read_text())
    assert verify(folder, None, both).wrong == ()


def test_a_run_that_ended_after_its_time_is_told(notary: Authority, folder: Path) -> None:
    *entries, end = streams.lines(streams.OF_TODAY, options=CHOSEN)
    assert isinstance(end, End)
    write(checked([*entries, replace(end, finished=datetime(2999, 1, 1, tzinfo=UTC))]), Path("late"))
    notary.dates(Path("late"))
    found = verify(Path("late"), None, notary.root)
    assert (found.wrong, len(found.notes)) == ((), 1)
    assert found.notes[0].endswith("after the authority dated it: one of the clocks is wrong")


def of_another(notary: Authority, folder: Path) -> None:
    Path("other").mkdir()
    Path("other/manifest.json").write_text("{}")
    notary.dates(Path("other"))
    shutil.copy(Path("other") / RESPONSE, folder)


def broken(notary: Authority, folder: Path) -> None:
    notary.dates(folder)
    whole = (folder / RESPONSE).read_bytes()
    (folder / RESPONSE).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))


def of_two_names(notary: Authority, folder: Path) -> None:
    query = notary.query((folder / "manifest.json").resolve(), "-cert")
    (folder / RESPONSE).write_bytes(notary.response_with_two_names(query))


def holding(data: bytes) -> Callable[[Authority, Path], object]:
    return lambda notary, folder: (folder / RESPONSE).write_bytes(data)


WRONG: dict[str, tuple[Callable[[Authority, Path], object], str]] = {
    "over another manifest": (of_another, "manifest.tsr is about another file than this manifest.json"),
    "of another authority": (
        lambda notary, folder: notary.dates(folder, "stranger"),
        "manifest.tsr is of an authority that the file of --timestamp-ca does not vouch for",
    ),
    "of an expired one": (
        lambda notary, folder: notary.dates(folder, "expired"),
        "manifest.tsr was signed with a certificate that was not valid at the time that it states",
    ),
    "broken": (broken, "manifest.tsr proves no time: "),
    "with a false name": (of_two_names, "manifest.tsr has several certificates for its one signature"),
    "a refusal": (holding(REFUSAL), "manifest.tsr is a refusal with status 2"),
    "without a time": (holding(bytes.fromhex("30053003020100")), "manifest.tsr has no time"),
    "empty": (holding(b""), "manifest.tsr is not a time stamp response of RFC 3161 ("),
    "a page": (holding(b"<html>"), "manifest.tsr is not a time stamp response of RFC 3161 ("),
    "a pipe": (lambda notary, folder: os.mkfifo(folder / RESPONSE), "manifest.tsr cannot be read: Not a file"),
    "missing": (lambda notary, folder: None, "it is not dated: there is no manifest.tsr"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_proves_no_time(what: str, notary: Authority, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make, why = WRONG[what]
    make(notary, folder)
    code, text = said(capsys, "verify", "reports", "--timestamp-ca", str(notary.root))
    lines = text.splitlines()
    assert (code, lines[0]) == (1, "not proven: reports does not prove what it says.")
    assert lines[1].startswith(f"  {why}")
    assert (lines[2], "\ndated:" in text) == ("It says of the run:", False)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--timestamp", "x.tsr"], "verify: --timestamp needs --timestamp-ca FILE, the root certificate"),
        (["--timestamp", "x.tsr", "--timestamp-ca", "root.pem"], "verify: --timestamp x.tsr is not a file"),
        (["--timestamp-ca", "none.pem"], "verify: --timestamp-ca none.pem cannot be read (No such file or directory)"),
        (["--timestamp-ca", "reports"], "verify: --timestamp-ca reports cannot be read (Not a file)"),
        (["--timestamp-ca", "reports/result.json"], "reports/result.json holds no certificate in PEM"),
        (["--timestamp-ca", "leaf.pem"], "verify: --timestamp-ca leaf.pem holds no root certificate"),
    ],
)
def test_a_certificate_that_cannot_be_used(
    arguments: list[str], why: str, notary: Authority, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(notary.folder / "one.pem", "leaf.pem")
    shutil.copy(notary.root, "root.pem")
    with pytest.raises(SystemExit) as refused:
        main(["verify", "reports", *arguments])
    shown = capsys.readouterr()
    assert (refused.value.code, shown.out, shown.err.count("\n")) == (4, "", 1)
    assert why in shown.err


# ---- an authority that is not as it should be


def dripping(caller: Caller) -> None:
    caller.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    caller.drip(b"0" * 1000, 0.1)


def endless(caller: Caller) -> None:
    caller.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/timestamp-reply\r\n\r\n")
    while not caller.stopping.is_set():
        caller.send(b"0" * 65_536)


def answering(data: bytes, status: str = "200 OK", headers: bytes = REPLY) -> Behaviour:
    return lambda caller: caller.answer(data, status=status, headers=headers)


HOSTILE: dict[str, tuple[Behaviour, str]] = {
    "an error": (answering(b"", "503 Service Unavailable"), "{url} answered with status 503"),
    "a redirect": (answering(b"", "302 Found", b"Location: /elsewhere\r\n"), "{url} answered with status 302"),
    "a large answer": (answering(b"0" * 65_537), "{url} answered with more than 64 KB"),
    "an endless answer": (endless, "{url} answered with more than 64 KB"),
    "a slow answer": (dripping, "{url} did not answer: no complete answer within 0.5 s: status 200 was received"),
    "no answer": (Caller.hang, "{url} did not answer: no complete answer within 0.5 s: nothing was received"),
    "a reset": (Caller.reset, "{url} did not answer: "),
    "a web page": (answering(b"<html>"), "the authority's response is not a time stamp response of RFC 3161 ("),
    "a refusal": (refusing, "the authority's response is a refusal with status 2"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_an_authority_that_gives_no_time(what: str, tmp_path: Path) -> None:
    behaviour, why = HOSTILE[what]
    with peer(behaviour) as asked:
        lost(tmp_path, asked.url, why.format(url=asked.url))


def test_an_authority_that_is_not_there(tmp_path: Path) -> None:
    with peer(Caller.hang) as asked:
        url = asked.url
    lost(tmp_path, url, f"{url} did not answer: ")


def test_an_authority_that_answers_another_query(notary: Authority, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("another file")
    response = notary.response(notary.query(tmp_path / "file", "-cert"))
    with peer(answering(response)) as asked:
        lost(tmp_path, asked.url, "the authority's response is to another query")


def lost(folder: Path, url: str, why: str) -> None:
    """The reports are complete without the time, that of an earlier run goes, and one line says why."""
    (folder / RESPONSE).write_text("of an earlier run")
    stream = checked(streams.lines(streams.OF_TODAY, options=CHOSEN))
    end = written(Material(judge(stream), stream), folder, witnesses_of(None, url, 0.5))
    assert list(end.unwritten) == [RESPONSE]
    assert not (folder / RESPONSE).exists()
    assert not_written(folder, end.unwritten).startswith(f"not written into {folder}: {RESPONSE} ({why}")
    assert (len(end.trouble), end.code) == (1, 3)
    assert verify(folder, None).wrong == ()


def test_a_run_keeps_its_reports_and_says_that_the_time_is_missing(tmp_path: Path) -> None:
    with server(key=KEY) as url, peer(answering(b"", "500 Oops")) as asked:
        ran = petcheck(tmp_path, "LIST-4", "--target", url, "--timestamp-url", asked.url)
    line = f"petcheck: not written into reports: {RESPONSE} ({asked.url} answered with status 500)\n"
    assert (ran.code, ran.err) == (3, line)
    assert (ran.result.run.exit, ran.result.complete) == (0, True)
    assert verify(ran.reports, None).wrong == ()


def test_signals_end_the_wait_for_the_authority_and_lose_nothing(tmp_path: Path) -> None:
    waiting: list[int] = []

    def interrupting(caller: Caller) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(waiting[0], number)
        caller.hang()

    with server(key=KEY) as url, peer(interrupting) as asked:
        options = ("--timestamp-url", asked.url, "--timeout", "60")
        run = start(tmp_path, "LIST-4", "--target", url, "--examples", "0", *options)
        waiting.append(run.pid)
        ran = ended(run, tmp_path)
    assert (ran.code, ran.err) == (2, "\npetcheck: ended at once\n")
    assert verify(ran.reports, None).wrong == ()


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("tsa.example", "--timestamp-url tsa.example: not an http or https URL; write it as https://host/tsr"),
        ("ftp://tsa.example", "--timestamp-url ftp://tsa.example: not an http or https URL"),
        (
            "https://me:pass@tsa.example",
            "https://…@tsa.example: a URL must not have a user or password",
        ),
        (
            "https://tsa.example/?key=1",
            "a URL must not have a query or a fragment; end it after the path, as in /tsr",
        ),
    ],
)
def test_a_wrong_url_stops_the_run_before_it_begins(url: str, why: str, tmp_path: Path) -> None:
    for command in (("--self-test", "--dry-run"), ("merge", "run", "-o", "merged")):
        ran = petcheck(tmp_path, *command, "--timestamp-url", url)
        assert (ran.code, ran.out, ran.err.count("\n")) == (4, "", 1)
        assert why in ran.err


# ---- runs in parts


def test_a_fleet_has_one_time_and_merged_runs_keep_theirs(
    notary: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("a", "b"), 1):
        write(of_target(name, seed=number), Path(f"run-{name}"))
    notary.dates(Path("run-a"))
    with notary.serving() as asked:
        assert said(capsys, "merge", "run-a", "run-b", "-o", "whole", "--timestamp-url", asked.url)[0] == 1
    assert len(asked.heads) == 1
    dated_files = sorted(str(path) for path in Path("whole").rglob(RESPONSE))
    assert dated_files == ["whole/manifest.tsr", "whole/targets/a/manifest.tsr"]
    code, text = said(capsys, "verify", "whole", "--timestamp-ca", str(notary.root))
    assert (code, text.count("\ndated: ")) == (0, 1)
    assert said(capsys, "verify", "whole/targets/a", "--timestamp-ca", str(notary.root))[0] == 0
    shutil.copy("whole/manifest.tsr", "whole/targets/a/manifest.tsr")
    code, text = said(capsys, "verify", "whole", "--timestamp-ca", str(notary.root))
    assert (code, "targets/a: manifest.tsr is about another file than this manifest.json" in text) == (1, True)
