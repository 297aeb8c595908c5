"""The manifest and the attestation over it: digests that hold, a statement in in-toto's form, and a signature."""

from __future__ import annotations

import json
from datetime import date
from importlib.metadata import requires, version
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from petcheck.errors import NotAKey, NotARun
from petcheck.results import attestation, timestamp
from petcheck.results.attestation import read_seal, signed_payload, statement
from petcheck.results.manifest import digest_of_file, digest_of_text, manifest, read_manifest, text_of
from petcheck.results.proof import Witnesses, proof_of, write_proof
from petcheck.spec.outcomes import Waiver
from petcheck.stream.environment import Environment, commit_of, packages_of
from petcheck.stream.lines import Label, RunSettings, Subject
from tests.support import samples

HERE = Environment("c" * 40, "CPython 3.11.7", "Linux", {"httpx": "0.28.1"})
PRIVATE = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8)


def key_files(folder: Path, *, password: bytes | None = None) -> tuple[Path, Path]:
    """The files of a new Ed25519 key: the private half and the public one."""
    key = ed25519.Ed25519PrivateKey.generate()
    cipher = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(*PRIVATE, cipher))
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    (folder / "key.pub").write_bytes(public)
    return folder / "key.pem", folder / "key.pub"


def test_a_manifest_and_its_statement(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text("{}")
    result = samples.result(samples.row(), samples.row("LIST-4", "pass"), samples.row("LIST-5", "inconclusive"))
    made = manifest({"result.json": digest_of_file(tmp_path / "result.json")}, result, HERE)
    digest = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert made["files"] == {"result.json": {"sha256": digest, "size": 2}}
    assert made["environment"]["packages"] == {"httpx": "0.28.1"}
    assert made["targets"] == [
        {"name": "staging", "base_url": "https://staging.pets.example/v1", "key": "sha256:0123abcd"}
    ]
    assert write_proof(tmp_path, ["result.json"], result, HERE) == {}
    assert read_manifest(tmp_path) == made
    proof = proof_of({"result.json": digest_of_text(["{", "}"])}, result, HERE)
    assert proof == {name: (tmp_path / name).read_text() for name in ("manifest.json", "attestation.json")}
    assert proof["manifest.json"] == text_of(made)
    assert json.loads(proof["attestation.json"]) == statement(
        made, digest_of_file(tmp_path / "manifest.json").sha256, result
    )
    assert json.loads(proof["attestation.json"]) == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": "manifest.json", "digest": {"sha256": digest_of_file(tmp_path / "manifest.json").sha256}},
            {"name": "result.json", "digest": {"sha256": digest}},
        ],
        "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
        "predicate": {
            "result": "FAILED",
            "configuration": [
                {"name": "openapi.yaml", "digest": {"sha256": "a" * 64}},
                {"name": "requirements.yaml", "digest": {"sha256": "b" * 64}},
            ],
            "passedTests": ["staging: LIST-4"],
            "warnedTests": ["staging: LIST-5"],
            "failedTests": ["staging: LIST-3"],
            "run": {
                "id": "20261121-100312-4f2a",
                "as_of": "2026-11-21",
                "targets": [
                    {
                        "name": "staging",
                        "url": "https://staging.pets.example/v1",
                        "writes": False,
                        "plan": None,
                        "key": "sha256:0123abcd",
                    }
                ],
                "choice": None,
                "requirements_as_of": None,
                "left_out": [],
                "waivers": [],
                "labels": {},
            },
        },
    }


def test_a_statement_says_what_was_tested() -> None:
    waiver = Waiver("LIST-3", "staging", "agreed", date(2099, 1, 1))
    settings = RunSettings(
        *(1200, 120.0, None, False, False),
        choice=("LIST-3",),
        waivers=(waiver,),
        labels=(Label("build", "1742"),),
        subjects=(Subject("shop", "e" * 64),),
    )
    stated = statement({"files": {}}, "0" * 64, samples.result(run=samples.run(settings=settings)))
    assert stated["subject"] == [
        {"name": "manifest.json", "digest": {"sha256": "0" * 64}},
        {"name": "shop", "digest": {"sha256": "e" * 64}},
    ]
    run = stated["predicate"]["run"]
    assert (run["choice"], run["labels"]) == (["LIST-3"], {"build": "1742"})
    assert run["waivers"] == [
        {"requirement": "LIST-3", "target": "staging", "reason": "agreed", "expires": "2099-01-01"}
    ]


@pytest.mark.parametrize(
    ("outcomes", "verdict"), [(["pass"], "PASSED"), (["pass", "not-run"], "WARNED"), ([], "WARNED")]
)
def test_the_verdict_of_a_statement(outcomes: list[str], verdict: str) -> None:
    result = samples.result(requirements=tuple(samples.row(outcome=outcome) for outcome in outcomes))
    assert statement({"files": {}}, "0" * 64, result)["predicate"]["result"] == verdict


def test_an_envelope_is_verified_by_its_key_and_by_no_other(tmp_path: Path) -> None:
    private, public = key_files(tmp_path)
    (tmp_path / "other").mkdir()
    _, other = key_files(tmp_path / "other")
    assert write_proof(tmp_path, [], samples.result(), HERE, Witnesses(read_seal(private))) == {}
    envelope = json.loads((tmp_path / attestation.ENVELOPE_FILE).read_bytes())
    assert envelope["payloadType"] == "application/vnd.in-toto+json"
    assert signed_payload(json.loads(json.dumps(envelope)), public) == (tmp_path / attestation.FILE).read_bytes()
    assert signed_payload(json.loads(json.dumps(envelope)), other) is None
    for broken in (
        {},
        {**envelope, "payload": "e30="},
        {**envelope, "payloadType": "x"},
        {**envelope, "signatures": []},
    ):
        assert signed_payload(json.loads(json.dumps(broken)), public) is None
    assert write_proof(tmp_path, [], samples.result(), HERE) == {}
    assert not (tmp_path / attestation.ENVELOPE_FILE).exists()


def test_a_file_that_is_gone_has_no_proof(tmp_path: Path) -> None:
    assert list(write_proof(tmp_path, ["result.json"], samples.result(), HERE)) == ["manifest.json"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [OSError("no token"), ValueError("no such key")])
def test_what_could_not_be_signed_or_dated_is_named(error: Exception, tmp_path: Path) -> None:
    def fail(data: bytes) -> bytes:
        raise error

    written = {"manifest.json", "attestation.json"}
    for witnesses, file in ((Witnesses(seal=fail), attestation.ENVELOPE_FILE), (Witnesses(stamp=fail), timestamp.FILE)):  # type: ignore[arg-type]
        assert write_proof(tmp_path, [], samples.result(), HERE, witnesses) == {file: error}
        assert {path.name for path in tmp_path.iterdir()} == written


def test_other_keys_are_refused_and_nothing_of_them_is_shown(tmp_path: Path) -> None:
    curve = ec.generate_private_key(ec.SECP256R1())
    (tmp_path / "curve").write_bytes(curve.private_bytes(*PRIVATE, serialization.NoEncryption()))
    encrypted, public = key_files(tmp_path, password=b"canary-password")
    (tmp_path / "text").write_text("canary-text")
    for file, said in {
        tmp_path / "nowhere": "cannot be read (No such file or directory)",
        tmp_path / "text": "holds no private key in PEM",
        tmp_path / "curve": "holds another kind of private key; give an Ed25519 key",
        encrypted: "is encrypted; give a key without a passphrase",
        public: "holds no private key in PEM",
    }.items():
        with pytest.raises(NotAKey) as refused:
            read_seal(file)
        assert str(refused.value) == said
    with pytest.raises(NotAKey, match=r"^holds no public key in PEM$"):
        signed_payload({}, tmp_path / "curve")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1, "files": {"../x": {"sha256": ""}}}', "[" * 99_999])
def test_another_manifest_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(NotARun) as refused:
        read_manifest(tmp_path)
    assert "\n" not in str(refused.value)


def test_the_commit_of_a_checkout(tmp_path: Path) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    assert commit_of(tmp_path) is None
    git = tmp_path / ".git"
    git.mkdir()
    (git / "HEAD").write_text(f"{commit}\n")
    assert commit_of(tmp_path) == commit
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    assert commit_of(tmp_path) is None
    (git / "packed-refs").write_text(f"# pack-refs\n{commit} refs/heads/main\n")
    assert commit_of(tmp_path) == commit
    worktree = tmp_path / "tree"
    (git / "worktrees" / "tree").mkdir(parents=True)
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {git / 'worktrees' / 'tree'}\n")
    (git / "worktrees" / "tree" / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "worktrees" / "tree" / "commondir").write_text("../..\n")
    assert commit_of(worktree) == commit


def test_the_packages_are_those_that_a_run_needs() -> None:
    found = packages_of("petcheck")
    assert {"petcheck", "httpx", "httpcore", "pytest", "schemathesis"} <= found.keys()
    assert found.keys().isdisjoint({"ruff", "mypy", "playwright"})


def test_the_versions_are_those_of_the_metadata_and_no_needed_package_is_missing() -> None:
    """Compared with what importlib.metadata and packaging read; requirements that only an extra has are left out."""
    found = packages_of("petcheck")
    for name, installed in found.items():
        assert installed == version(name)
        for requirement in map(Requirement, requires(name) or ()):
            needed = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            assert not needed or canonicalize_name(requirement.name) in found, (name, str(requirement))
