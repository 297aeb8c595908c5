"""`petcheck judge` and `petcheck verify` on runs of this suite: the same verdicts, and nothing changed unnoticed."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from petcheck.runner.verify import follows, unchanged, verify

from petcheck.cli.main import main
from petcheck.cli.run import pytest_options
from petcheck.errors import NotAResult, NotARun
from petcheck.results.attestation import read_seal
from petcheck.results.result import Result, from_json, load, to_json, write
from petcheck.runner.finish import write_proof
from tests.results.test_attestation import key_files
from tests.support.command import KEY, ended
from tests.support.forked import petcheck, start
from tests.support.programs import program
from tests.support.trial import differences, judge_again, judge_recorded, server, without_network
from tests.system.test_interruption import until

PROOF = ["result.json", "exchanges.jsonl", "exchanges.har", "manifest.json", "attestation.json"]


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the signed reports of a run, and the key."""
    folder = tmp_path_factory.mktemp("sealed")
    key_files(folder)
    with server(faults=("default-limit-50",), key=KEY) as url:
        ran = petcheck(folder, "--target", url, "--allow-writes", "--sign-key", "key.pem", "--seed", "3")
    assert ran.code == 1, ran.out + ran.err
    return folder


@pytest.fixture
def folder(sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(sealed, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    return tmp_path / "copy"


def without_times(path: Path) -> dict[str, Any]:
    document = to_json(load(path))
    for check in document["checks"]:
        check.pop("duration_s")
    document["run"]["settings"].pop("strict")
    return document


@pytest.mark.parametrize("recording", ["reports", "reports/exchanges.har", "reports/exchanges.jsonl"])
def test_a_recording_is_judged_as_its_run_was(folder: Path, recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    with without_network():
        assert main(["judge", recording, "--reports", "again"]) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"judged from {recording}: ")
    assert "LIST-4 · section 4.1" in said
    assert without_times(Path("again/result.json")) == without_times(Path("reports/result.json"))
    assert Path("again/exchanges.har").read_bytes() == Path("reports/exchanges.har").read_bytes()
    assert main(["verify", "again"]) == 0
    assert KEY not in capsys.readouterr().out


def test_another_day_is_judged_otherwise(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "reports", "--as-of", "2030-12-05"]) == 1
    assert "judged as on 2030-12-05" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("names", [("any-key@getPet",), ("filter-ignored", "rate-headers-missing")])
def test_runs_with_faults_are_judged_again(names: tuple[str, ...]) -> None:
    from petcheck.reference.faults import FAULTS

    known = [name for name in names if name in FAULTS]
    with server(faults=known) as url:
        trial = judge_recorded(url, "--allow-writes", "--plan", "pro", seed=7)
    assert differences(trial, judge_again(trial)) == []


@pytest.mark.parametrize(("number", "exchanges"), [(signal.SIGINT, 25), (signal.SIGKILL, 25)])
def test_a_run_that_was_ended_leaves_what_it_had(number: signal.Signals, exchanges: int, tmp_path: Path) -> None:
    stream = tmp_path / "reports" / "exchanges.jsonl"
    with server(key=KEY) as url:
        process = start(tmp_path, "--target", url, "--seed", "3")
        until(lambda: stream.exists() and stream.read_bytes().count(b"\n") > exchanges)
        process.process.terminate() if number is signal.SIGINT else process.kill()
        ran = ended(process, tmp_path)
    again = petcheck(tmp_path, "judge", "reports")
    assert again.code == 0, again.out + again.err
    assert "The run stopped early" in again.out
    if number is signal.SIGINT:
        assert ran.code == 2
        held = {row.id for row in ran.result.requirements if row.outcome == "pass"}
        assert {"RATE-1", "SERVICE-1", "PETS-1"} <= held  # no check of these came, and the record shows them
        assert petcheck(tmp_path, "verify", "reports").code == 0


# ---- verify


def test_what_was_written_is_proven(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with without_network():
        assert main(["verify", "reports", "--public-key", "key.pub"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("proven: the verdicts in reports follow from its recording, no file was changed alone, ")
    assert "options: allow-writes" in said
    Path("reports/mine.txt").touch()
    assert main(["verify", "reports"]) == 0
    said = capsys.readouterr().out
    assert "mine.txt is not in the manifest and proves nothing" in said
    assert "attestation.dsse.json was not checked: give --public-key" in said


def test_a_verdict_that_was_changed_in_every_file_does_not_follow(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from petcheck.stream.environment import environment

    document = json.loads(Path("reports/result.json").read_bytes())
    for row in document["requirements"]:
        row["outcome"] = "pass" if row["outcome"] == "fail" else row["outcome"]
    document["run"]["exit"] = 0
    changed = from_json(document)
    write(changed, Path("reports"))
    environment()
    write_proof(Path("reports"), changed, {})
    assert main(["verify", "reports"]) == 1
    assert "LIST-4: the result says pass, its recording fail" in capsys.readouterr().out
    assert main(["verify", "reports", "--public-key", "key.pub"]) == 1
    assert "it is not signed: there is no attestation.dsse.json" in capsys.readouterr().out
    shutil.copytree("reports", "other")
    with pytest.raises(SystemExit) as ended_:
        main(["compare", "reports", "other"])
    assert ended_.value.code == 4
    assert "reports does not follow from its recording" in capsys.readouterr().err


FILES = st.sampled_from(["result.json", "exchanges.jsonl", "exchanges.har", "manifest.json", "attestation.json"])
EVERY = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@EVERY
@given(FILES, st.data())
def test_one_byte_that_is_changed_is_noticed(sealed: Path, name: str, data: st.DataObject) -> None:
    before = (sealed / "reports" / name).read_bytes()
    place = data.draw(st.integers(0, len(before) - 1))
    put = data.draw(st.integers(0, 255).filter(lambda byte: byte != before[place]))
    with changed(sealed / "reports" / name, before[:place] + bytes([put]) + before[place + 1 :]):
        assert is_noticed(sealed)


@EVERY
@given(FILES, st.data())
def test_one_value_that_is_changed_is_noticed(sealed: Path, name: str, data: st.DataObject) -> None:
    lines = (sealed / "reports" / name).read_text("utf-8").splitlines()
    line = data.draw(st.integers(0, len(lines) - 1)) if name == "exchanges.jsonl" else None
    document = json.loads("\n".join(lines) if line is None else lines[line])
    change_one_value(document, data)
    text = json.dumps(document, indent=1) + "\n"
    if line is not None:
        text = "\n".join([*lines[:line], json.dumps(document), *lines[line + 1 :]]) + "\n"
    with changed(sealed / "reports" / name, text.encode()):
        assert is_noticed(sealed)


def is_noticed(sealed: Path) -> bool:
    """Whether the digests show it; they are checked without judging, which would take a second each time."""
    try:
        return bool(unchanged(sealed / "reports", None).wrong)
    except NotARun:
        return True


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(["requirements", "checks", "observations", "targets"]), st.data())
def test_one_value_of_the_result_that_is_changed_with_all_digests_is_noticed(
    sealed: Path, member: str, data: st.DataObject
) -> None:
    document = json.loads((sealed / "reports" / "result.json").read_bytes())
    change_one_value(document[member], data)
    try:
        forged = from_json(document)
    except NotAResult:
        return  # and so is refused
    if without_durations(forged) == without_durations(load(sealed / "reports" / "result.json")):
        return  # how long a check took is a claim
    shutil.copytree(sealed / "reports", folder := sealed / "forged")
    try:
        write(forged, folder)
        write_proof(folder, forged, {})
        assert unchanged(folder, None).wrong == ()
        assert follows(folder, pytest_options) != []
    finally:
        shutil.rmtree(folder)


def without_durations(result: Result) -> Result:
    return replace(result, checks=tuple(replace(check, duration_s=0.0) for check in result.checks))


def change_one_value(document: Any, data: st.DataObject) -> None:
    """Change, drop or double a value somewhere in parsed JSON."""
    places = [
        (inner, name)
        for inner in containers(document)
        for name in (inner if isinstance(inner, dict) else range(len(inner)))
    ]
    inner, name = data.draw(st.sampled_from(places))
    value = inner[name]
    if data.draw(st.booleans()) and not isinstance(value, dict | list):
        other = {bool: not value, int: 7, float: 7.5, str: f"{value}x"}.get(type(value), "x")
        inner[name] = other if other != value else 8
    else:
        del inner[name]


def containers(document: Any) -> Iterator[Any]:
    """Every object and array of parsed JSON."""
    if isinstance(document, dict | list):
        yield document
        for inner in document.values() if isinstance(document, dict) else document:
            yield from containers(inner)


@contextmanager
def changed(path: Path, text: bytes) -> Iterator[None]:
    before = path.read_bytes()
    path.write_bytes(text)
    try:
        yield
    finally:
        path.write_bytes(before)


def test_a_member_that_is_there_twice_is_noticed(folder: Path) -> None:
    """Of two members with one name, each reader believes another one."""
    path = Path("reports/result.json")
    path.write_text(path.read_text("utf-8").replace(' "complete": true', ' "complete": false,\n "complete": true', 1))
    write_proof(Path("reports"), load(path), {})
    assert unchanged(Path("reports"), None).wrong == ()
    assert main(["verify", "reports"]) == 1


@pytest.mark.parametrize("name", ["exchanges.jsonl", "exchanges.har"])
def test_a_credential_that_the_recorded_header_contradicts_is_not_believed(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path("reports", name)
    text = path.read_text("utf-8")
    assert text.count('"credential": "no key"') > 3
    path.write_text(text.replace('"credential": "no key"', '"credential": "a valid key"'))
    with pytest.raises(SystemExit) as ended_:
        main(["judge", str(path)])
    assert ended_.value.code == 4
    said = capsys.readouterr().err
    assert f"{name} says that request " in said
    assert " had a valid key, and shows no Authorization header: it was changed" in said
    assert main(["verify", "reports"]) == 1


def test_an_attestation_that_says_another_thing_is_noticed(folder: Path) -> None:
    document = json.loads(Path("reports/attestation.json").read_bytes())
    document["predicate"]["result"] = "PASSED"
    Path("reports/attestation.json").write_text(json.dumps(document))
    found = verify(Path("reports"), Path("key.pub"), pytest_options)
    assert found.wrong == (
        "attestation.json is not what the manifest and the result come to",
        "attestation.dsse.json signs another attestation than attestation.json",
    )


def test_a_result_of_another_suite_is_judged_by_this_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rule that the other suite applied to LIST-4 let every page pass."""
    claimed = load(Path("reports/result.json"))
    rows = [replace(row, outcome="pass", reason="") if row.id == "LIST-4" else row for row in claimed.requirements]
    other = replace(claimed, suite=replace(claimed.suite, version="0.0.9"), requirements=tuple(rows))
    write(other, Path("reports"))
    write_proof(Path("reports"), other, {})
    commit = json.loads(Path("reports/manifest.json").read_bytes())["environment"]["commit"]
    by = f"petcheck 0.0.9 of commit {commit}" if commit else "petcheck 0.0.9"
    assert main(["verify", "reports"]) == 1
    said = capsys.readouterr().out
    assert "LIST-4: it was pass and is fail (the rules changed: " in said
    assert f"made by {by}, which has other rules" in said
    assert main(["judge", "reports"]) == 1
    said = capsys.readouterr().out
    assert "recorded by petcheck 0.0.9, which has other rules; these verdicts differ:\n  LIST-4: " in said


def test_what_only_another_suite_has_asked_is_judged_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A recording holds a page that no check of this suite asks for, and the page is wrong."""
    path = Path("reports/exchanges.jsonl")
    lines = path.read_text("utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    entry = next(one for one in entries if "request" in one and "/pets?limit=20" in one["request"]["url"])
    entry["request"]["url"] = entry["request"]["url"].partition("?")[0] + "?limit=2"
    entry["response"]["content"]["text"] = '[{"id": "x", "name": "Rex", "categoryId": 1}]'
    entry["_petcheck"]["index"] = len(lines)
    path.write_text("\n".join([*lines, json.dumps(entry)]) + "\n")
    other = load(Path("reports/result.json"))
    write(replace(other, suite=replace(other.suite, version="0.0.9")), Path("reports"))
    assert main(["judge", "reports"]) == 1
    assert "PET-1: it was pass and is fail (the rules changed: GET /pets?limit=2" in capsys.readouterr().out


def test_ssh_keygen_signs_a_manifest(folder: Path) -> None:
    ssh_keygen = program("ssh-keygen")

    def run(*arguments: str, given: Path | None = None) -> subprocess.CompletedProcess[bytes]:
        text = given.read_bytes() if given else None
        return subprocess.run([ssh_keygen, *arguments], input=text, capture_output=True, check=False, timeout=30)

    manifest = Path("reports/manifest.json")
    assert run("-q", "-t", "ed25519", "-N", "", "-f", "id").returncode == 0
    Path("allowed_signers").write_text(f"me@example.com {Path('id.pub').read_text()}")
    Path("reports.sig").write_bytes(run("-Y", "sign", "-f", "id", "-n", "petcheck", given=manifest).stdout)
    check = ("-Y", "verify", "-f", "allowed_signers", "-I", "me@example.com", "-n", "petcheck", "-s", "reports.sig")
    assert run(*check, given=manifest).returncode == 0
    manifest.write_bytes(manifest.read_bytes().replace(b"result.json", b"reslut.json"))
    assert run(*check, given=manifest).returncode != 0


def test_a_key_of_openssh_seals_too(folder: Path) -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    Path("id").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    Path("id.pub").write_bytes(key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))
    write_proof(Path("reports"), load(Path("reports/result.json")), {}, seal=read_seal(Path("id")))
    assert unchanged(Path("reports"), Path("id.pub")).wrong == ()
    assert unchanged(Path("reports"), Path("key.pub")).wrong != ()


# ---- bad input


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["judge"], "judge: name a recording: petcheck judge reports/"),
        (["judge", "nowhere"], "judge: nowhere cannot be read: No such file or directory"),
        (["judge", "."], "judge: . holds no recording: neither exchanges.jsonl nor exchanges.har"),
        (["judge", "key.pub"], "judge: key.pub is not whole JSON"),
        (["judge", "reports", "--reports", "reports"], "judge: reports holds the recording; give --reports another"),
        (["judge", "reports", "--plan", "fre"], "--plan fre: no such plan; did you mean free"),
        (["verify"], "verify: name one folder of reports: petcheck verify reports/"),
        (["verify", "nowhere"], "verify: nowhere/manifest.json cannot be read"),
        (["verify", "reports", "--public-key", "key.pem"], "verify: --public-key key.pem holds no public key in PEM"),
        (["--sign-key", "key.pub"], "--sign-key key.pub holds no private key in PEM"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(
    folder: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended_:
        main(arguments)
    assert ended_.value.code == 4
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert said in shown.err


def test_the_signing_key_is_nowhere(sealed: Path) -> None:
    secret = (sealed / "key.pem").read_bytes().splitlines()[1]
    assert [path.name for path in (sealed / "reports").iterdir() if secret in path.read_bytes()] == []
