"""What proves a folder of reports: manifest.json over its files, the attestation over both, its signature, its time."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from petcheck.errors import NotDated
from petcheck.results import atomic_write, attestation, manifest, timestamp
from petcheck.results.attestation import Seal
from petcheck.results.manifest import Digest, digest_of_file, digest_of_text
from petcheck.results.result import Result
from petcheck.results.timestamp import Stamp
from petcheck.stream.environment import Environment

FILES = (manifest.FILE, attestation.FILE, attestation.ENVELOPE_FILE, timestamp.FILE)


@dataclass(frozen=True, slots=True)
class Witnesses:
    """Who else answers for a folder: a key that signs the attestation, an authority that dates the manifest."""

    seal: Seal | None = None
    stamp: Stamp | None = None


NOBODY = Witnesses()


def proof_of(files: Mapping[str, Digest], result: Result, environment: Environment) -> dict[str, str]:
    """The text of manifest.json and attestation.json of a run with those files."""
    listed = manifest.manifest(files, result, environment)
    text = manifest.text_of(listed)
    stated = attestation.statement(listed, digest_of_text([text]).sha256, result)
    return {manifest.FILE: text, attestation.FILE: manifest.text_of(stated)}


def write_proof(
    folder: Path, names: list[str], result: Result, environment: Environment, witnesses: Witnesses = NOBODY
) -> dict[str, Exception]:
    """Write the proof of the files with those `names` in `folder`; returns what could not be written, and why."""
    try:
        proof = proof_of({name: digest_of_file(folder / name) for name in names}, result, environment)
        # first, since an envelope and a time of an earlier run prove nothing about this one
        for name in (attestation.ENVELOPE_FILE, timestamp.FILE):
            with suppress(FileNotFoundError):
                (folder / name).unlink()
        for name, text in proof.items():
            atomic_write.write(folder / name, text)
        if witnesses.seal is not None:
            atomic_write.write(folder / attestation.ENVELOPE_FILE, witnesses.seal(proof[attestation.FILE].encode()))
    except OSError as error:
        return {manifest.FILE: error}
    try:
        if witnesses.stamp is not None:
            atomic_write.write(folder / timestamp.FILE, witnesses.stamp(proof[manifest.FILE].encode()))
    except (OSError, NotDated) as error:
        return {timestamp.FILE: error}
    return {}
