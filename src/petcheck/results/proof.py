"""What proves a folder of reports: manifest.json over its files, the attestation over both, and its signature."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from petcheck.results import atomic_write, attestation, manifest
from petcheck.results.attestation import Seal
from petcheck.results.manifest import Digest, digest_of_file, digest_of_text
from petcheck.results.result import Result
from petcheck.stream.environment import Environment

FILES = (manifest.FILE, attestation.FILE, attestation.ENVELOPE_FILE)


def proof_of(files: Mapping[str, Digest], result: Result, environment: Environment) -> dict[str, str]:
    """The text of manifest.json and attestation.json of a run with those files."""
    listed = manifest.manifest(files, result, environment)
    text = manifest.text_of(listed)
    stated = attestation.statement(listed, digest_of_text([text]).sha256, result)
    return {manifest.FILE: text, attestation.FILE: manifest.text_of(stated)}


def write_proof(
    folder: Path, names: list[str], result: Result, environment: Environment, seal: Seal | None
) -> dict[str, Exception]:
    """Write the proof of the files with those `names` in `folder`; returns what could not be written, and why."""
    try:
        proof = proof_of({name: digest_of_file(folder / name) for name in names}, result, environment)
        # first, since an envelope of an earlier run proves nothing about this one
        with suppress(FileNotFoundError):
            (folder / attestation.ENVELOPE_FILE).unlink()
        for name, text in proof.items():
            atomic_write.write(folder / name, text)
        if seal is not None:
            atomic_write.write(folder / attestation.ENVELOPE_FILE, seal(proof[attestation.FILE].encode()))
    except OSError as error:
        return {manifest.FILE: error}
    return {}
