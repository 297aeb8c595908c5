"""`petcheck judge` and `petcheck verify` on runs of this suite: the same bytes, and nothing changed unnoticed."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petcheck.cli.main import main
from petcheck.errors import NotARun
from petcheck.evidence.verify import verify
from petcheck.reports.outputs import Material, names, write_outputs
from petcheck.results.attestation import Seal, read_seal
from petcheck.results.judge import judge
from petcheck.results.proof import Witnesses, write_proof
from petcheck.results.result import load
from petcheck.runner.head import run_id
from petcheck.stream.files import read_stream
from petcheck.stream.stream import Stream
from petstore_reference.faults import FAULTS
from tests.support.command import KEY
from tests.support.core import slow_outside
from tests.support.forked import petcheck
from tests.support.once import folder_made_once
from tests.support.programs import program
from tests.support.signing import key_files
from tests.support.trial import differences, server, without_network
from tools.kill_matrix import run_fault, run_variation

HERE = Path("reports")
BESIDES = {"pytest.html", "attestation.dsse.json"}  # of the run alone


@pytest.fixture(scope="module")
def sealed() -> Path:
    """A folder with the signed reports of a run, and the key."""
    return folder_made_once("sealed", make_sealed)


@pytest.fixture(scope="module")
def pair() -> Path:
    """A folder with the reports of a run of two targets, which were waited for, chosen and waived."""
    return folder_made_once("pair", make_pair)


def make_sealed(folder: Path) -> None:
    key_files(folder)
    with server(faults=("default-limit-50",), key=KEY) as url:
        ran = petcheck(folder, "--target", url, "--allow-writes", "--sign-key", "key.pem", "--seed", "3")
    assert ran.code == 1, ran.out + ran.err


def make_pair(folder: Path) -> None:
    waiver = '[[waivers]]\nrequirement = "LIST-4"\ntarget = "b"\nreason = "agreed"\nexpires = 2099-01-01\n'
    (folder / "petcheck.toml").write_text(waiver)
    with server(key=KEY) as url, server(faults=("default-limit-50",), key=KEY) as broken:
        targets = ("--target", f"a={url}", "--target", f"b={broken}", "--plan", "pro")
        ran = petcheck(folder, "LIST", "RATE", *targets, "--seed", "3", "--max-requests", "300")
    assert ran.code == 0, ran.out + ran.err


def copied(made: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(made, place)
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def folder(sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the signed reports in the current folder."""
    return copied(sealed, tmp_path / "copy", monkeypatch)


def files_in(folder: Path) -> dict[str, bytes]:
    """The files that follow from the stream of a run."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name not in BESIDES}


def write_again(stream: Stream, folder: Path, seal: Seal | None = None) -> None:
    """Write everything that a stream comes to, as its run would have."""
    made = Material(judge(stream), stream)
    assert write_outputs(made, folder) == {}
    assert write_proof(folder, names(made), made.result, made.stream.head.environment, Witnesses(seal)) == {}


# ---- judge


@pytest.mark.parametrize(
    ("made", "recording"),
    [pytest.param("sealed", "reports", marks=pytest.mark.slow), ("pair", "reports/exchanges.jsonl")],
)
def test_a_recording_comes_to_the_same_bytes(
    made: str,
    recording: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    copied(request.getfixturevalue(made), tmp_path / "copy", monkeypatch)
    code = load(HERE / "result.json").run.exit
    with without_network():
        assert main(["judge", recording, "--reports", "again"]) == code
        assert capsys.readouterr().out.startswith(f"judged from {recording}: ")
        assert files_in(Path("again")) == files_in(HERE)
        for proven in ("reports", "again"):
            assert main(["verify", proven]) == 0
            assert capsys.readouterr().out.startswith(f"proven: the verdicts in {proven} follow from its recording, ")
    assert KEY not in capsys.readouterr().out


def test_a_har_comes_to_the_same_verdicts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "reports/exchanges.har", "--reports", "again"]) == 1
    assert "LIST-4 · section 4.1" in capsys.readouterr().out
    again, live = load(Path("again/result.json")), load(HERE / "result.json")
    assert (again.requirements, again.observations, again.targets) == (
        live.requirements,
        live.observations,
        live.targets,
    )


def test_another_day_is_judged_otherwise(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "reports", "--as-of", "2030-12-05"]) == 1
    assert "judged as on 2030-12-05" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "name",
    [
        "created-not-stored",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("any-key@getPet", "no-remaining@listPets", "limit-30s-crash")
        ),
    ],
)
def test_a_faulty_server(name: str) -> None:
    assert name in FAULTS
    assert differences(run_fault(name)) == []


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) for name in ("429-html", "empty-store", "www-authenticate")]
)
def test_an_unusual_server(name: str) -> None:
    assert differences(run_variation((name,), writes=True)) == []


def test_a_recording_of_another_suite_is_judged_by_this_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream = read_stream(HERE / "exchanges.jsonl")
    write_again(stream.with_head(replace(stream.head, suite=replace(stream.head.suite, version="0.0.9"))), HERE)
    assert main(["judge", "reports"]) == 1
    assert "recorded by petcheck 0.0.9, which has other rules" in capsys.readouterr().out
    assert main(["verify", "reports"]) == 0
    assert "recorded by petcheck 0.0.9, judged by this one" in capsys.readouterr().out


# ---- verify


def test_what_was_written_is_proven(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with without_network():
        assert main(["verify", "reports", "--public-key", "key.pub"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("proven: the verdicts in reports follow from its recording, every file matches it, ")
    assert "  options   allow-writes, " in said
    assert "['" not in said  # a list is told in words
    Path("reports/mine.txt").touch()
    assert main(["verify", "reports"]) == 0
    said = capsys.readouterr().out
    assert "mine.txt is not in the manifest and proves nothing" in said
    assert "attestation.dsse.json was not checked: give --public-key" in said


def in_json(name: str, edit: Callable[[Any], object]) -> Callable[[], None]:
    """An edit of the JSON in a file of the folder."""

    def change() -> None:
        document = json.loads((HERE / name).read_bytes())
        edit(document)
        (HERE / name).write_text(json.dumps(document, indent=1) + "\n", "utf-8")

    return change


def in_stream(edit: Callable[[list[Any]], object]) -> Callable[[], None]:
    """An edit of the lines of the stream."""

    def change() -> None:
        path = HERE / "exchanges.jsonl"
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        edit(lines)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")

    return change


def in_text(name: str, old: str, new: str) -> Callable[[], None]:
    def change() -> None:
        text = (HERE / name).read_text("utf-8")
        assert old in text
        (HERE / name).write_text(text.replace(old, new, 1), "utf-8")

    return change


def first(lines: list[Any], kind: str) -> int:
    return next(place for place, line in enumerate(lines) if kind in line)


def head(lines: list[Any]) -> Any:
    return lines[0]["petcheck"]


def put(place: Any, **members: Any) -> None:
    assert members.keys() <= place.keys() | {"plan"}
    assert any(place.get(name) != value for name, value in members.items())
    place.update(members)


RESULT = "result.json is not what the recording comes to"
STREAM = "exchanges.jsonl"
EDITS: dict[str, tuple[Callable[[], object], str]] = {
    "a row is left out": (in_json("result.json", lambda one: one["requirements"].pop(0)), RESULT),
    "a verdict is another": (in_json("result.json", lambda one: put(one["requirements"][0], outcome="pass")), RESULT),
    "a reason is another": (in_json("result.json", lambda one: put(one["requirements"][7], reason="fine")), RESULT),
    "a target is left out": (
        in_json(
            "result.json",
            lambda one: one.update(
                targets=one["targets"][:1], requirements=[row for row in one["requirements"] if row["target"] == "a"]
            ),
        ),
        RESULT,
    ),
    "no waiver in the result": (in_json("result.json", lambda one: put(one["run"]["settings"], waivers=[])), RESULT),
    "another choice in it": (
        in_json("result.json", lambda one: put(one["run"]["settings"], choice=["LIST-4"])),
        RESULT,
    ),
    "another plan in it": (in_json("result.json", lambda one: put(one["targets"][0], plan="free")), RESULT),
    "another key in it": (in_json("result.json", lambda one: put(one["targets"][0], key="sha256:00000000")), RESULT),
    "another budget in it": (in_json("result.json", lambda one: put(one["run"]["settings"], max_requests=9)), RESULT),
    "not complete, and exit 0": (in_json("result.json", lambda one: put(one, complete=False)), RESULT),
    "another exit": (in_json("result.json", lambda one: put(one["run"], exit=5)), RESULT),
    "no waiver in the stream": (in_stream(lambda lines: put(head(lines)["settings"], waivers=[])), RESULT),
    "another choice": (in_stream(lambda lines: put(head(lines)["settings"], choice=["LIST-4"])), RESULT),
    "another plan": (in_stream(lambda lines: put(head(lines)["targets"][0], plan="free")), RESULT),
    "another budget": (in_stream(lambda lines: put(head(lines)["settings"], max_requests=9)), RESULT),
    "a target fewer": (in_stream(lambda lines: head(lines)["targets"].pop()), STREAM),
    "another key": (
        in_stream(lambda lines: put(lines[first(lines, "opened")]["opened"], key="sha256:00000000")),
        RESULT,
    ),
    "another answer": (
        in_stream(lambda lines: put(lines[first(lines, "request")]["response"]["content"], text="[]")),
        STREAM,
    ),
    "an exchange fewer": (in_stream(lambda lines: lines.pop(first(lines, "request"))), STREAM),
    "an exchange twice": (
        in_stream(lambda lines: lines.insert(first(lines, "request"), lines[first(lines, "request")])),
        STREAM,
    ),
    "a check fewer": (in_stream(lambda lines: lines.pop(first(lines, "ended"))), RESULT),
    "no plan": (in_stream(lambda lines: lines.pop(first(lines, "planned"))), STREAM),
    "no end": (in_stream(lambda lines: lines.pop()), RESULT),
    "two ends": (in_stream(lambda lines: lines.append(lines[-1])), STREAM),
    "torn": (lambda: (HERE / STREAM).write_bytes((HERE / STREAM).read_bytes()[:-20]), RESULT),
    "report.html": (in_text("report.html", "<h1", "<h1 "), "report.html is not what"),
    "statement.html": (in_text("statement.html", "<h1", "<h1 "), "statement.html is not what"),
    "comparison.html": (in_text("comparison.html", "<h1", "<h1 "), "comparison.html is not what"),
    "badge.svg": (in_text("badge.svg", "<svg", "<svg "), "badge.svg is not what"),
    "badge.json": (in_json("badge.json", lambda one: put(one, color="red")), "badge.json is not what"),
    "summary.md": (in_text("summary.md", "LIST", "LISTS"), "summary.md is not what"),
    "junit.xml": (in_text("junit.xml", "<testsuite", "<testsuite "), "junit.xml is not what"),
    "exchanges.har": (in_text("exchanges.har", '"GET"', '"PUT"'), "exchanges.har is not what"),
    "manifest.json": (in_text("manifest.json", "result.json", "results.json"), "manifest.json is not what"),
    "attestation.json": (in_json("attestation.json", lambda one: put(one, _type="x")), "attestation.json is not what"),
    "a file is gone": (lambda: (HERE / "summary.md").unlink(), "summary.md cannot be read"),
}


# tests/evidence has such edits, of small runs: here one of each file that all others follow from, and of a page
IN_THE_CORE = {"a verdict is another", "another plan", "an exchange twice", "torn", "report.html", "manifest.json"}


@pytest.mark.parametrize("edit", slow_outside(IN_THE_CORE, EDITS))
def test_an_edit_is_named(
    edit: str, pair: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copied(pair, tmp_path / "copy", monkeypatch)
    change, line = EDITS[edit]
    change()
    assert main(["verify", "reports"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("not proven: reports does not prove what it says.\n")
    assert any(line in shown for shown in said.splitlines()[1:]), said


EVERY = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))


@EVERY
@given(st.data())
@pytest.mark.slow  # test_an_edit_is_named has the same, file by file
def test_one_byte_that_is_changed_is_noticed(folder: Path, data: st.DataObject) -> None:
    reports = folder / "reports"
    path = data.draw(st.sampled_from([reports / name for name in files_in(reports)]))
    before = path.read_bytes()
    place = data.draw(st.integers(0, len(before) - 1))
    put = data.draw(st.integers(0, 255).filter(lambda byte: byte != before[place]))
    path.write_bytes(before[:place] + bytes([put]) + before[place + 1 :])
    try:
        assert verify(path.parent, None).wrong
    except NotARun:
        return  # it is refused
    finally:
        path.write_bytes(before)


def test_a_run_that_was_made_up_as_a_whole_has_no_signature(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    in_stream(lambda lines: put(lines[0]["petcheck"], seed=4, run=run_id(4), options={}))()
    write_again(read_stream(HERE / "exchanges.jsonl"), HERE)
    assert main(["verify", "reports"]) == 0
    assert main(["verify", "reports", "--public-key", "key.pub"]) == 1
    assert "it is not signed: there is no attestation.dsse.json" in capsys.readouterr().out


def test_a_result_that_does_not_follow_is_not_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    in_json("result.json", lambda one: put(one["requirements"][0], outcome="not-run"))()
    shutil.copytree("reports", "other")
    with pytest.raises(SystemExit) as ended:
        main(["compare", "reports", "other"])
    assert ended.value.code == 4
    assert "reports does not follow from its recording" in capsys.readouterr().err


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
    assert f"{name} contradicts itself in line " in said
    assert " had a valid key, and shows no Authorization header" in said
    assert main(["verify", "reports"]) == 1


def test_an_attestation_that_says_another_thing_is_noticed(folder: Path) -> None:
    document = json.loads(Path("reports/attestation.json").read_bytes())
    document["predicate"]["result"] = "PASSED"
    Path("reports/attestation.json").write_text(json.dumps(document))
    found = verify(Path("reports"), Path("key.pub"))
    assert found.wrong == (
        "attestation.json is not what the recording comes to",
        "attestation.dsse.json signs another attestation than attestation.json",
    )


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
    write_again(read_stream(HERE / "exchanges.jsonl"), HERE, read_seal(Path("id")))
    assert verify(HERE, Path("id.pub")).wrong == ()
    assert verify(HERE, Path("key.pub")).wrong != ()


# ---- bad input


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["judge"], "judge: name a recording: petcheck judge reports/"),
        (["judge", "nowhere"], "judge: nowhere cannot be read: No such file or directory"),
        (["judge", "."], "judge: . holds no recording: neither exchanges.jsonl nor exchanges.har"),
        (["judge", "key.pub"], "judge: key.pub is not whole JSON"),
        (["judge", "reports", "--reports", "reports"], "judge: reports holds an input of the command; give --"),
        (["judge", "reports", "--plan", "fre"], "--plan fre: no such plan; did you mean free"),
        (["verify"], "verify: name one folder of reports: petcheck verify reports/"),
        (["verify", "nowhere"], "verify: nowhere/manifest.json cannot be read"),
        (["verify", "reports", "--public-key", "key.pem"], "verify: --public-key key.pem holds no public key in PEM"),
        # an empty variable of a CI job must not switch a check off
        (["verify", "reports", "--public-key", ""], "verify: --public-key . cannot be read (Not a file)"),
        (["verify", "reports", "--timestamp-ca", ""], "verify: --timestamp-ca . cannot be read (Not a file)"),
        (["merge", "reports", "-o", "all", "--sign-key", ""], "merge: --sign-key . cannot be read (Not a file)"),
        (
            ["merge", "reports", "-o", "all", "--timestamp-url", ""],
            "merge: --timestamp-url '': not an http or https URL",
        ),
        (["--self-test", "--sign-key", "key.pub"], "--sign-key key.pub holds no private key in PEM"),
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


def test_no_recording_is_replaced_before_it_is_judged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for place in ("runs/1", "runs/2"):
        shutil.copytree(HERE, place)
    before = files_in(Path("runs/1"))
    with pytest.raises(SystemExit) as ended_:
        main(["judge", "runs/2", "runs/1/exchanges.har", "--reports", "runs"])
    assert ended_.value.code == 4
    assert (
        capsys.readouterr().err
        == "petcheck: judge: runs/1 holds an input of the command; give --reports another folder\n"
    )
    assert files_in(Path("runs/1")) == before
    assert main(["judge", "runs/2", "runs/1", "--reports", "again"]) == 1


def test_the_signing_key_is_nowhere(sealed: Path) -> None:
    secret = (sealed / "key.pem").read_bytes().splitlines()[1]
    assert [path.name for path in (sealed / "reports").iterdir() if secret in path.read_bytes()] == []
