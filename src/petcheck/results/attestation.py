"""attestation.json: an in-toto Statement of what a run found, over the digests of its files; its signed envelope."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from petcheck.errors import NotAKey
from petcheck.results import manifest as manifests
from petcheck.results.fleet import members
from petcheck.results.result import Result
from petcheck.stream.reading import SMALL_CAP, read_file
from petcheck.stream.typed import plain

FILE = "attestation.json"
ENVELOPE_FILE = "attestation.dsse.json"
_STATEMENT = "https://in-toto.io/Statement/v1"
_PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
_PAYLOAD = "application/vnd.in-toto+json"


Seal: TypeAlias = Callable[[bytes], str]
"""A private key at work: it puts a payload into a signed DSSE envelope, as text."""


def statement(manifest: Mapping[str, Any], manifest_sha256: str, result: Result) -> dict[str, Any]:
    """The in-toto Statement v1 with the test-result v0.1 predicate of a run.

    Its subjects are the run's files, and the artifacts that were tested, where the operator named some.
    Its tests are the requirements on each target. Of a run in parts, whose targets have their own statements, they are
    the targets.
    """
    files = {name: entry["sha256"] for name, entry in manifest["files"].items()}
    suite, settings = result.suite, result.run.settings
    artifacts = [(one.name, one.sha256) for one in settings.subjects] if settings is not None else []
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
            for name, digest in [(manifests.FILE, manifest_sha256), *files.items(), *artifacts]
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
            "run": _run(result),
        },
    }


def _run(result: Result) -> dict[str, Any]:
    """What a run tested, and how; other readers of the predicate pass over it."""
    run, settings = result.run, result.run.settings
    return {
        "id": run.id,
        "as_of": run.as_of,
        "targets": [
            {"name": one.name, "url": one.base_url, "writes": one.writes, "plan": one.plan, "key": one.key}
            for one in result.targets
        ],
        "choice": plain(settings.choice) if settings is not None else None,
        "requirements_as_of": settings.requirements_as_of if settings is not None else None,
        "left_out": list(run.left_out),
        "waivers": plain(settings.waivers) if settings is not None else [],
        "labels": {one.name: one.value for one in settings.labels} if settings is not None else {},
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
    """The payload of a DSSE envelope, if one of its signatures is by the Ed25519 key in a PEM file; None otherwise.

    Raises NotAKey.
    """
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key, load_ssh_public_key
    from securesystemslib.dsse import Envelope

    text = _key_text(public_key)
    load = load_ssh_public_key if text.startswith(b"ssh-") else load_pem_public_key
    try:
        key = load(text)
    except (ValueError, UnsupportedAlgorithm):
        raise NotAKey("holds no public key in PEM") from None
    if not isinstance(key, Ed25519PublicKey):
        raise NotAKey("holds another kind of public key; give an Ed25519 key")
    signatures = envelope.get("signatures")
    try:
        payload = _from_base64(envelope.get("payload"))
    except ValueError:
        return None
    if envelope.get("payloadType") != _PAYLOAD or not isinstance(signatures, list):
        return None
    signed = Envelope(payload, _PAYLOAD, {}).pae()
    for one in signatures:  # those of others, and their key ids, do not matter
        with suppress(InvalidSignature, ValueError):
            key.verify(_from_base64(one.get("sig") if isinstance(one, dict) else None), signed)
            return payload
    return None


def _from_base64(text: object) -> bytes:
    """The bytes of base64 in either alphabet. Raises ValueError."""
    if not isinstance(text, str):
        raise ValueError("not text")
    return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)


def _key_text(path: Path) -> bytes:
    try:
        return read_file(path, SMALL_CAP)
    except (OSError, ValueError) as error:
        raise NotAKey(f"cannot be read ({getattr(error, 'strerror', None) or 'not a path'})") from None
