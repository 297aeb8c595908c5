"""attestation.json: an in-toto Statement of what a run found, over the digests of its files; its signed envelope."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from petcheck.errors import NotAKey
from petcheck.results import manifest as manifests
from petcheck.results.fleet import members
from petcheck.results.result import Result

FILE = "attestation.json"
ENVELOPE_FILE = "attestation.dsse.json"
_STATEMENT = "https://in-toto.io/Statement/v1"
_PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
_PAYLOAD = "application/vnd.in-toto+json"
_KEY_CAP = 64 * 1024  # bytes


Seal: TypeAlias = Callable[[bytes], str]
"""A private key at work: it puts a payload into a signed DSSE envelope, as text."""


def statement(manifest: Mapping[str, Any], manifest_sha256: str, result: Result) -> dict[str, Any]:
    """The in-toto Statement v1 with the test-result v0.1 predicate of a run; its subjects are the run's files.

    Its tests are the requirements on each target. Of a run in parts, whose targets have their own statements, they are
    the targets.
    """
    files = {name: entry["sha256"] for name, entry in manifest["files"].items()}
    suite = result.suite
    if any(map(manifests.name_of_part, files)):
        tests = [(member.target.name, member.outcome) for member in members(result)]
    else:
        tests = [(f"{row.target}: {row.id}", row.outcome) for row in result.requirements if row.in_force]
    failed, passed = ([test for test, outcome in tests if outcome == wanted] for wanted in ("fail", "pass"))
    warned = [test for test, outcome in tests if outcome not in ("pass", "fail")]
    return {
        "_type": _STATEMENT,
        "subject": [
            {"name": name, "digest": {"sha256": digest}}
            for name, digest in {manifests.FILE: manifest_sha256, **files}.items()
        ],
        "predicateType": _PREDICATE,
        "predicate": {
            "result": "FAILED" if failed else "WARNED" if warned or not passed else "PASSED",
            "configuration": [
                {"name": "openapi.yaml", "digest": {"sha256": suite.openapi_sha256}},
                {"name": "requirements.yaml", "digest": {"sha256": suite.requirements_sha256}},
            ],
            "passedTests": passed,
            "warnedTests": warned,
            "failedTests": failed,
        },
    }


# ---- keys; securesystemslib and cryptography take a tenth of a second, so only where one is given


def read_seal(path: Path) -> Seal:
    """The Ed25519 private key in a PEM file. Raises NotAKey, whose message shows no part of the file."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_ssh_private_key
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import CryptoSigner  # type: ignore[attr-defined]

    text = _key_text(path)
    load = load_ssh_private_key if b"OPENSSH PRIVATE KEY" in text else load_pem_private_key
    try:
        key = load(text, password=None)
    except TypeError:
        raise NotAKey("is encrypted; give a key without a passphrase") from None
    except (ValueError, UnsupportedAlgorithm):
        raise NotAKey("holds no private key in PEM") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise NotAKey("holds another kind of private key; give an Ed25519 key")
    signer = CryptoSigner(key)

    def seal(payload: bytes) -> str:
        envelope = Envelope(payload, _PAYLOAD, {})
        envelope.sign(signer)
        return manifests.text_of(envelope.to_dict())

    return seal


def signed_payload(envelope: dict[str, Any], public_key: Path) -> bytes | None:
    """The payload of a DSSE envelope that the Ed25519 key in a PEM file has signed; None where it has not.

    Raises NotAKey.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key, load_ssh_public_key
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import Error
    from securesystemslib.signer import SSlibKey  # type: ignore[attr-defined]

    text = _key_text(public_key)
    load = load_ssh_public_key if text.startswith(b"ssh-") else load_pem_public_key
    try:
        key = load(text)
    except (ValueError, UnsupportedAlgorithm):
        raise NotAKey("holds no public key in PEM") from None
    if not isinstance(key, Ed25519PublicKey):
        raise NotAKey("holds another kind of public key; give an Ed25519 key")
    try:
        signed = Envelope.from_dict(envelope)
        if signed.payload_type != _PAYLOAD:
            return None
        signed.verify([SSlibKey.from_crypto(key)], 1)
    except (Error, KeyError, TypeError, ValueError, AttributeError):
        return None
    return bytes(signed.payload)


def _key_text(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_KEY_CAP)
    except (OSError, ValueError) as error:
        raise NotAKey(f"cannot be read ({getattr(error, 'strerror', None) or 'not a path'})") from None
