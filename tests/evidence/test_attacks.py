"""Attacks on evidence. None may be proven, hang, or end in a traceback.

What nobody who holds only the folder can notice stands in docs/auditors.md.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petcheck.cli.main import main
from petcheck.errors import NotARun
from petcheck.evidence.verify import verify
from petcheck.results.judge import judge
from petcheck.results.load import read_run, recording_in
from petcheck.spec.version import VERSION
from tests.evidence.attacks import ATTACKS
from tests.evidence.attacks.exchanges import burst_of
from tests.evidence.attacks.files import SPELLINGS
from tests.evidence.attacks.rows import CONTRADICTS
from tests.evidence.forging import (
    MANIFEST,
    NAMES,
    NO_FILES,
    RESULT,
    STATEMENT,
    STREAM,
    Edit,
    both,
    head,
    in_bytes,
    in_json,
    in_part,
    in_stream,
    line,
    made_up,
    make,
    put,
    signed_again,
)
from tests.support.core import slow_outside
from tests.support.in_place import in_place
from tests.support.once import folder_made_once

__all__ = ["in_place"]


@pytest.fixture(scope="session")
def made() -> Path:
    """A folder with reports of each kind."""
    return folder_made_once("honest", make)


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Fail what takes longer, such as a command that reads a pipe to which nobody writes."""

    def late(*_: object) -> None:
        raise TimeoutError(f"it took more than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """The exit code of a command, and all that it says."""
    try:
        with within(20):
            code = main(arguments)
    except SystemExit as ended:
        code = int(ended.code or 0)
    said = capsys.readouterr()
    return code, said.out + said.err


def copied(made: Path, kind: str, folder: Path) -> Path:
    """A copy of the honest reports of a kind, beside the keys."""
    shutil.copytree(made / kind, folder / "reports", dirs_exist_ok=True)
    for key in ("key.pem", "key.pub"):
        shutil.copy(made / key, folder / key)
    return folder / "reports"


# ---- honest folders


@pytest.mark.parametrize("kind", ["one", "pair", "fleet", "merged"])
def test_an_honest_folder_is_proven(
    kind: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copied(made, kind, tmp_path)
    monkeypatch.chdir(tmp_path)
    signed = ("--public-key", "key.pub") if kind in ("one", "fleet") else ()
    code, said = told(capsys, "verify", "reports", *signed)
    assert (code, said.splitlines()[0][:8]) == (0, "proven: "), said


# ---- attacks


# what takes long to verify is in the core once for each class and what is said of it
FIRST = {(attack.partition(":")[0], words): attack for attack, (*_, words) in reversed(ATTACKS.items())}.values()
DEAR, SOON_REFUSED = ("edited", "line", "exchange", "JSON", "parts"), (CONTRADICTS, "its members do not agree")
CORE = {
    attack
    for attack, (*_, words) in ATTACKS.items()
    if attack in FIRST or not attack.startswith(DEAR) or words in SOON_REFUSED
}


@pytest.mark.parametrize("attack", slow_outside(CORE, ATTACKS))
@pytest.mark.usefixtures("in_place")
def test_an_attack_is_not_proven(
    attack: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, kind, edit, words = ATTACKS[attack]
    edit(copied(made, kind, tmp_path))
    monkeypatch.chdir(tmp_path)
    signed = ("--public-key", "key.pub") if kind in ("one", "fleet") else ()
    code, said = told(capsys, "verify", "reports", *signed)
    assert code in (1, 4), said
    assert words in said


# ---- what looks like an attack and is none


def with_other_signatures(envelope: dict[str, Any], _: object) -> None:
    """As other tools write them: no key id, an extension, others before it, and base64 for URLs."""
    ours = envelope["signatures"][0]["sig"].replace("+", "-").replace("/", "_")
    strange: list[Any] = [{"keyid": "x", "sig": "AAAA"}, {"sig": "?"}, {}, 7, {"sig": ours[::-1]}]
    envelope["signatures"] = [*strange, {"sig": ours, "extension": {}}, {"sig": ""}]


def of_suite(**other: str) -> Edit:
    """The reports as another version would have made them, if it had the same rules."""
    return both(
        in_stream(lambda lines: put(head(lines)["suite"], **other)),
        *(in_json(name, lambda one: put(one["suite"], **other)) for name in (RESULT, MANIFEST)),
    )


HONEST: dict[str, tuple[str, Edit, int, str]] = {
    "several signatures": ("one", signed_again(with_other_signatures), 0, "proven: "),
    "without key ids": ("one", signed_again(lambda one, _: one["signatures"][0].pop("keyid")), 0, "proven: "),
    "a file beside it": ("pair", lambda folder: (folder / "mine.txt").touch(), 0, "mine.txt is not in the manifest"),
    "a page to debug": (
        "pair",
        lambda folder: (folder / "pytest.html").touch(),
        0,
        "pytest.html is not in the manifest",
    ),
    "another version": (
        "pair",
        of_suite(version="0.0.9"),
        8,
        "reports was made by petcheck 0.0.9 of commit cccc",
    ),
    "another catalogue": (
        "pair",
        of_suite(requirements_sha256="0" * 64),
        8,
        "which this one (",
    ),
    "another version of the stream": (
        "pair",
        both(
            of_suite(version="9.9"),
            in_stream(lambda lines: lines.insert(1, {"hello": {}}), listed=True),
        ),
        8,
        "this version does not read its recording: ",
    ),
    "a fleet of another version": (
        "fleet",
        both(*(in_part(name, of_suite(version="0.0.9")) for name in NAMES), of_suite(version="0.0.9")),
        8,
        "made by petcheck 0.0.9",
    ),
    "an older recording, judged by this version": (
        "pair",
        made_up(lambda lines: put(head(lines)["suite"], version="0.0.9")),
        0,
        "recorded by petcheck 0.0.9, judged by this one, which does not know what that one plans and how it sends it",
    ),
    "a recording by another catalogue, judged by this version": (
        "pair",
        made_up(lambda lines: put(head(lines)["suite"], requirements_sha256="0" * 64)),
        0,
        f"recorded by petcheck {VERSION} of other requirements, judged by this one",
    ),
    "killed in the middle of a burst": (
        "conforming",
        both(
            burst_of(4, 8),
            made_up(lambda lines: lines.__delitem__(slice(lines.index(line(lines, "request", 3)), None))),
        ),
        0,
        "The run was interrupted",
    ),
    "another version, and an edit": (
        "pair",
        both(
            of_suite(version="0.0.9"),
            in_bytes("report.html", lambda data: data + b" "),
        ),
        1,
        "report.html is not the file that the manifest lists",
    ),
    "another version, and another run in its result": (
        "pair",
        both(
            of_suite(version="0.0.9"),
            in_json(RESULT, lambda one: put(one["run"], seed=9)),
        ),
        1,
        "result.json is of another run or suite than exchanges.jsonl",
    ),
    "another version, and a statement on other files": (
        "pair",
        both(
            of_suite(version="0.0.9"),
            in_json(STATEMENT, lambda one: put(one, subject=[]), listed=False),
        ),
        1,
        "attestation.json is about other files",
    ),
    "another version, and impossible times": (
        "pair",
        both(
            of_suite(version="0.0.9"),
            in_stream(lambda lines: put(line(lines, "end"), finished="2026-11-20T10:03:12.123Z"), listed=True),
        ),
        1,
        "was answered after the run had ended",
    ),
}


@pytest.mark.parametrize("case", HONEST)
@pytest.mark.usefixtures("in_place")
def test_what_is_told_apart_from_an_attack(
    case: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kind, edit, due, words = HONEST[case]
    edit(copied(made, kind, tmp_path))
    monkeypatch.chdir(tmp_path)
    code, said = told(capsys, "verify", "reports", *(("--public-key", "key.pub") if kind == "one" else ()))
    assert code == due, said
    assert words in said


@pytest.mark.usefixtures("in_place")
def test_a_part_is_not_taken_for_the_whole_run(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = told(capsys, "verify", str(copied(made, "fleet", tmp_path) / "targets" / "a"))
    assert code == 0, said
    assert "it is a part of a run, and does not say what the run's other targets did" in said
    assert "it is a part" not in told(capsys, "verify", str(tmp_path / "reports"))[1]


def test_what_a_proof_says_in_words(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copied(made, "one", tmp_path)
    monkeypatch.chdir(tmp_path)
    _, said = told(capsys, "verify", "reports", "--public-key", "key.pub")
    for words in (
        "target 1  staging at https://staging.pets.example/v1, key sha256:0123abcd, no plan given; POST was permitted",
        "day       judged as on 2026-11-21; made from 2026-11-21T10:03:12.123Z to 2026-11-21T10:03:21.123Z",
        "label build 1742",
        f"artifact  shop@sha256:{'e' * 64}",
        "chosen    LIST-2, LIST-3, PETS-1",
        "waived    LIST-2 on staging until 2099-01-01 (agreed)",
        "budget    at most 1,200 requests to a target, 120 s in one wait, seed 7",
        "  that there was no other run: one that failed may have been left out",
    ):
        assert words in said
    assert "who made it: " not in said
    assert "who made it: " in told(capsys, "verify", "reports")[1]


# ---- damage: judged up to there, told, and never better than the whole


def doubled(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join([*lines[:5], lines[3], *lines[5:]])


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "zeros in the middle": (lambda data: data[:4000] + bytes(500) + data[4500:], "is not JSON, so nothing from there"),
    "zeros at the end": (lambda data: data + bytes(512), "is not whole, so it was not read"),
    "a line of zeros": (lambda data: data + bytes(64) + b"\n", "is not JSON, so nothing from there"),
    "a doubled line": (doubled, "line 6 is line 4 again, so nothing from there on was read"),
    "a doubled end": (lambda data: data + data.splitlines(keepends=True)[-1], "again, so nothing from there"),
    "an eighth less": (lambda data: data[: len(data) * 7 // 8], "is not whole, so it was not read"),
    "cut after a line": (lambda data: b"".join(data.splitlines(keepends=True)[:-1]), "The run was interrupted"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_recording_of_what_conforms_is_told(
    damage: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Judged up to the damage: exit 2. What is written then is proven."""
    copied(made, "conforming", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert told(capsys, "judge", "reports")[0] == 0
    edit, words = DAMAGE[damage]
    in_bytes(STREAM, edit)(Path("reports"))
    code, said = told(capsys, "judge", "reports", "--reports", "again")
    assert code == 2, said
    assert words in said
    assert told(capsys, "verify", "again")[0] == 0
    assert told(capsys, "verify", "reports")[0] == 1


# ---- other commands that read our files


@pytest.mark.parametrize("what", NO_FILES)
@pytest.mark.parametrize("name", [STREAM, RESULT, MANIFEST, STATEMENT, "exchanges.har"])
def test_no_command_hangs_or_breaks_on_what_is_no_file(
    name: str,
    what: str,
    made: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    NO_FILES[what](copied(made, "conforming", tmp_path) / name)
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made / "conforming", "other")
    for command in (
        ("judge", "reports"),
        ("judge", f"reports/{name}"),
        ("compare", "reports", "other"),
        ("compare", f"reports/{name}", "other"),
        ("merge", "reports", "-o", "merged"),
        ("history", "reports"),
        ("history", f"reports/{name}"),
        ("verify", "other", "--public-key", f"reports/{name}"),
    ):
        code, said = told(capsys, *command)
        assert code in (0, 1, 4), (command, code, said)
        assert "Traceback" not in said
        assert code != 4 or said.count("\n") == 1, said


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("name", [STREAM, RESULT, "exchanges.har"])
def test_what_two_readers_read_otherwise_is_never_judged_as_it_was(
    name: str,
    spelling: str,
    made: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    in_bytes(name, SPELLINGS[spelling])(copied(made, "conforming", tmp_path))
    monkeypatch.chdir(tmp_path)
    code, said = told(capsys, *(("history",) if name == RESULT else ("judge",)), f"reports/{name}")
    assert code in (2, 4, 5), said


# ---- any value anywhere

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(
        [[], {}, [[]], "9999-12-31T23:59:59.999Z", "0001-01-01", 1e308, "\ud800", "https://[", "2026-11-21"]
    ),
)


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every member and item below a value, with what holds it."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places_in(value[key])


@settings(max_examples=int(os.environ.get("PETCHECK_EXAMPLES", "25")), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_value_in_any_place_is_judged_or_refused(
    made: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp() / "any"
    shutil.copytree(made / "one", folder, dirs_exist_ok=True)
    name = data.draw(st.sampled_from([STREAM, STREAM, RESULT, MANIFEST, STATEMENT]))
    documents = [json.loads(text) for text in (folder / name).read_text().splitlines()] if name == STREAM else None
    document: Any = documents or json.loads((folder / name).read_bytes())
    before = json.dumps(document)
    places = list(places_in(document))
    holder, key = places[data.draw(st.integers(0, len(places) - 1))]
    holder[key] = data.draw(ODD)
    text = "".join(json.dumps(one) + "\n" for one in document) if documents else json.dumps(document, indent=1) + "\n"
    (folder / name).write_text(text)
    for command in (
        lambda: verify(folder, None).wrong,
        lambda: [judge(recording_in(folder))],
        lambda: [read_run(folder)],
    ):
        with suppress(NotARun):
            assert command() or json.dumps(document) == before
