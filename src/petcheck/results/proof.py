"""What proves a folder of reports: manifest.json over its files, the attestation over both, its signature, its time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

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
    """Write the proof of the files with those `names` in `folder`, as far as nothing fails.

    Returns the file that could not be written, with the reason; those that would follow it are not written either.
    """
    seal, stamp = witnesses.seal, witnesses.stamp
    name = manifest.FILE
    try:
        proof = proof_of({one: digest_of_file(folder / one) for one in names}, result, environment)
        contents: dict[str, Callable[[], str | bytes]] = {
            manifest.FILE: lambda: proof[manifest.FILE],
            attestation.FILE: lambda: proof[attestation.FILE],
        }
        if seal is not None:
            contents[attestation.ENVELOPE_FILE] = lambda: seal(proof[attestation.FILE].encode())
        if stamp is not None:
            contents[timestamp.FILE] = lambda: stamp(proof[manifest.FILE].encode())
        # first, since an envelope and a time of an earlier run prove nothing about this one
        for old in (attestation.ENVELOPE_FILE, timestamp.FILE):
            (folder / old).unlink(missing_ok=True)
        for name, content in contents.items():
            atomic_write.write(folder / name, content())
    except Exception as error:  # a proof that fails must not prevent the end of the run
        return {name: error}
    return {}
