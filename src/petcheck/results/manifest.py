"""manifest.json: the digest of each file of a run, and what made them. Written last."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from petcheck.errors import NotARun
from petcheck.results.result import Result, head_of
from petcheck.sanitize import printable
from petcheck.stream.environment import Environment
from petcheck.stream.reading import RECORDING_CAP, SMALL_CAP, Ambiguous, open_file, parsed, read_file, why_unread
from petcheck.stream.typed import plain

FILE = "manifest.json"
FORMAT = 1

PARTS = "targets"
"""The folder below which each target of a run in parts has its own."""

_PART = re.compile(rf"{PARTS}/([A-Za-z0-9_-]+)/{re.escape(FILE)}")


def entry_of_part(name: str) -> str:
    """The entry in the manifest of a run in parts for the manifest of a target."""
    return f"{PARTS}/{name}/{FILE}"


def name_of_part(entry: str) -> str | None:
    """The target whose manifest an entry lists; None for any other entry."""
    found = _PART.fullmatch(entry)
    return found[1] if found else None


def names_in(manifest: Mapping[str, Any]) -> list[str]:
    """The targets whose manifests a manifest lists; none if it is not of a run in parts."""
    return [name for name in map(name_of_part, manifest["files"]) if name is not None]


def claims_of(result: Result) -> dict[str, Any]:
    """What a manifest repeats of a result: the suite, the run with its options, and the targets."""
    document = head_of(result)
    targets = [{name: target[name] for name in ("name", "base_url", "key")} for target in document["targets"]]
    return {"suite": document["suite"], "run": document["run"], "targets": targets}


@dataclass(frozen=True, slots=True)
class Digest:
    """The sha256 of a file, in hex, and its size in bytes."""

    sha256: str
    size: int


def digest_of_text(pieces: Iterable[str]) -> Digest:
    """The digest of a file with that text, as it is written."""
    digest, size = hashlib.sha256(), 0
    for piece in pieces:
        data = piece.encode("utf-8", "backslashreplace")
        digest.update(data)
        size += len(data)
    return Digest(digest.hexdigest(), size)


def digest_of_file(path: Path) -> Digest:
    """The digest of a file. Raises OSError."""
    with open_file(path, RECORDING_CAP) as file:
        return Digest(hashlib.file_digest(file, "sha256").hexdigest(), file.tell())


def manifest(files: Mapping[str, Digest], result: Result, environment: Environment) -> dict[str, Any]:
    """The manifest of a run with those files."""
    return {
        "format": FORMAT,
        **claims_of(result),
        "environment": plain(environment),
        "files": plain(files, whole=True),
    }


def text_of(document: Mapping[str, Any]) -> str:
    """The text of manifest.json, of the attestation and of its envelope."""
    return json.dumps(document, indent=1) + "\n"


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder of reports. Raises NotARun where it has none, or none of petcheck."""
    document = read_json(folder / FILE)
    if document.get("format") != FORMAT:
        raise NotARun(f"{printable(str(folder / FILE))} is not a petcheck manifest of format {FORMAT}")
    files = document.get("files")
    if not isinstance(files, dict) or not all(_is_entry(name, entry) for name, entry in files.items()):
        raise NotARun(f"{printable(str(folder / FILE))} does not list files as petcheck lists them")
    return document


def changed_files(folder: Path, document: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """The files that are not those that a manifest lists: the name, and why it cannot be read, None if it can be."""
    for name, entry in document["files"].items():
        try:
            if digest_of_file(folder / name).sha256 != entry["sha256"]:
                yield name, None
        except (OSError, ValueError) as error:
            yield name, why_unread(error)


def read_json(path: Path, cap: int = SMALL_CAP) -> dict[str, Any]:
    """The JSON object in a small file. Raises NotARun."""
    name = printable(str(path))
    try:
        text = read_file(path, cap)
    except (OSError, ValueError) as error:
        raise NotARun(f"{name} cannot be read: {why_unread(error)}; give a folder of reports") from None
    try:
        document = parsed(text)
    except Ambiguous as error:
        raise NotARun(f"{name} {error}") from None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise NotARun(f"{name} is not a JSON object")
    return document


def _is_entry(name: str, entry: object) -> bool:
    """Whether it is the digest of a file in the folder or of a target's manifest; another name would lead elsewhere."""
    plain = name not in ("", ".", "..") and not set(name) & set("/\\\0")
    known = plain or name_of_part(name) is not None
    return known and isinstance(entry, dict) and isinstance(entry.get("sha256"), str)
