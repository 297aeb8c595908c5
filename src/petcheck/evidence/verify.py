"""Checks whether a folder of reports proves what it says: judges its stream, makes every file again, compares bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from petcheck.errors import NotAResult, NotARun
from petcheck.reports.outputs import Material, material_of_parts, render
from petcheck.results import attestation
from petcheck.results.attestation import signed_payload
from petcheck.results.judge import judge, suite
from petcheck.results.load import recording_in
from petcheck.results.manifest import FILE as MANIFEST
from petcheck.results.manifest import (
    PARTS,
    Digest,
    changed_files,
    digest_of_file,
    digest_of_text,
    entry_of_part,
    names_in,
    read_json,
    read_manifest,
    why_unread,
)
from petcheck.results.parts import outline, part_of
from petcheck.results.proof import FILES as PROOF
from petcheck.results.proof import proof_of
from petcheck.results.result import FILE, Result, load
from petcheck.runner.processes import Processes, Task
from petcheck.runner.reports_folder import DEBUGGING_PAGE
from petcheck.sanitize import printable
from petcheck.spec.version import VERSION
from petcheck.stream import files
from petcheck.stream.files import read_stream


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found: each of `wrong` is a reason why the folder proves nothing; `notes` add to it."""

    result: Result | None
    wrong: tuple[str, ...]
    notes: tuple[str, ...]


def verify(folder: Path, public_key: Path | None) -> Verification:
    """Verify a folder; nothing is sent. Raises NotARun if it is not a folder of reports, and NotAKey."""
    document = read_manifest(folder)
    names = names_in(document)
    if public_key is not None:
        signed_payload({}, public_key)  # raises NotAKey before anything takes long
    found = _verify_parts(folder, document, names, public_key) if names else _verify_one(folder, document)
    wrong, notes = list(found.wrong), [*_unlisted(folder, document), *found.notes]
    if public_key is not None:
        wrong += _signed(folder, public_key)
    elif (folder / attestation.ENVELOPE_FILE).exists():
        notes.append(f"{attestation.ENVELOPE_FILE} was not checked: give --public-key")
    return Verification(found.result, tuple(wrong), tuple(notes))


def unfounded(folder: Path) -> tuple[str, ...]:
    """What a folder's result says that does not follow from its stream. Raises NotARun."""
    result = load(folder / FILE)
    stream = recording_in(folder)
    judged = judge(stream)
    if result.run.id != judged.run.id or result.run.started != judged.run.started:
        return (f"{FILE} is of another run than the recording",)
    if stream.head.suite != suite():
        return ()
    return _differing_rows(folder, judged)


def _verify_one(folder: Path, document: Mapping[str, Any]) -> Verification:
    """Verify a folder that has one stream."""
    changed = tuple(_changed(folder, document))
    try:
        stream = read_stream(folder / files.FILE)
    except NotARun as error:
        return Verification(None, (*changed, str(error)), ())
    made = Material(judge(stream), stream)
    if stream.head.suite != suite():
        return Verification(made.result, (*changed, _of_another_suite(stream.head.suite.version, document)), ())
    wrong = [f"{files.FILE}: {stream.cut}"] if stream.cut else []
    return Verification(made.result, (*wrong, *_rebuilt(folder, made, {})), ())


def _rebuilt(folder: Path, material: Material, besides: Mapping[str, Digest]) -> Iterator[str]:
    """What in a folder is not what its stream comes to."""
    due = {name: digest_of_text(pieces) for name, pieces in render(material)} | dict(besides)
    proof = proof_of(due, material.result, material.environment)
    for name, digest in (due | {name: digest_of_text([text]) for name, text in proof.items()}).items():
        try:
            if digest_of_file(folder / name) == digest:
                continue
            yield f"{printable(name)} is not what the recording comes to"
        except (OSError, ValueError) as error:
            yield f"{printable(name)} cannot be read: {why_unread(error)}"
        if name == FILE and material.folder is None:
            yield from _differing_rows(folder, material.result)


def _differing_rows(folder: Path, judged: Result) -> tuple[str, ...]:
    """Each requirement of which result.json says something else than its recording."""
    try:
        claimed = {(row.target, row.id): row for row in load(folder / FILE).requirements}
    except NotAResult as error:
        return (printable(str(error), 400),)
    lines = []
    for row in judged.requirements:
        other = claimed.pop((row.target, row.id), None)
        name = printable(row.id, 60) + (f" on {printable(row.target, 60)}" if len(judged.targets) > 1 else "")
        if other is None:
            lines.append(f"{name}: the result does not have it, and its recording says {row.outcome}")
        elif other.outcome != row.outcome:
            reason = printable(row.reason)
            lines.append(f"{name}: the result says {other.outcome}, its recording {row.outcome} ({reason})")
        elif other != row:
            lines.append(f"{name}: {row.outcome}, with another reason or other evidence")
    return (*lines, *(f"{printable(name, 60)}: the result has it, its recording does not" for _, name in claimed))


def _verify_parts(folder: Path, document: Mapping[str, Any], names: list[str], public_key: Path | None) -> Verification:
    """Verify a run in parts: each target's folder in its own process, and what joins them."""
    found: dict[str, Verification] = {}
    at_work = Processes(os.cpu_count() or 1)
    for done in at_work.each(Task(name, _verify_part, (part_of(folder, name), public_key)) for name in names):
        found[done.name] = done.value or Verification(None, ("could not be verified: its process died",), ())
    if at_work.interrupted:
        raise KeyboardInterrupt
    wrong = [f"{PARTS}/{name}: {line}" for name in names for line in found[name].wrong]
    notes = [f"{PARTS}/{name}: {line}" for name in names for line in found[name].notes]
    outlines = {name: result for name in names if (result := found[name].result) is not None}
    try:
        stream = read_stream(folder / files.FILE)
        listed = [target.name for target in stream.head.targets]
        if sorted(listed) != sorted(names):
            wrong.append(f"{MANIFEST} lists other targets than {files.FILE}")
        made = material_of_parts(stream, list(outlines.values()), folder)
        entries = [entry_of_part(name) for name in listed if name in outlines]
        manifests = {entry: digest_of_file(folder / entry) for entry in entries}
        return Verification(made.result, (*wrong, *_rebuilt(folder, made, manifests)), tuple(notes))
    except (NotARun, OSError) as error:
        return Verification(None, (*wrong, printable(str(error), 400), *_changed(folder, document)), tuple(notes))


def _verify_part(folder: Path, public_key: Path | None) -> Verification:
    try:
        found = verify(folder, public_key)
    except NotARun as error:
        return Verification(None, (str(error),), ())
    return replace(found, result=found.result and outline(found.result))


def _of_another_suite(version: str, document: Mapping[str, Any]) -> str:
    environment = document.get("environment")
    commit = environment.get("commit") if isinstance(environment, dict) else None
    by = f"petcheck {printable(version, 40)}" + (
        f" of commit {printable(commit, 40)}" if isinstance(commit, str) else ""
    )
    return f"made by {by}, which has other rules than this {VERSION}; verify it with {by}"


def _changed(folder: Path, document: Mapping[str, Any]) -> Iterator[str]:
    """The files that are not those that the manifest lists."""
    for name, unread in changed_files(folder, document):
        why = "is not the file that the manifest lists: its digest differs"
        yield f"{printable(name)} {why if unread is None else f'cannot be read: {unread}'}"


def _unlisted(folder: Path, document: Mapping[str, Any]) -> list[str]:
    known = {*document["files"], *PROOF, DEBUGGING_PAGE, *([PARTS] if names_in(document) else [])}
    inside = {path.name for path in _inside(folder)} - known
    if PARTS in known:
        parts = (f"{PARTS}/{path.name}" for path in _inside(folder / PARTS))
        inside |= {part for part in parts if entry_of_part(part.partition("/")[2]) not in known}
    return [f"{printable(name)} is not in the manifest and proves nothing" for name in sorted(inside)]


def _inside(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _signed(folder: Path, public_key: Path) -> list[str]:
    name = attestation.ENVELOPE_FILE
    if not (folder / name).exists():
        return [f"it is not signed: there is no {name}"]
    try:
        payload = signed_payload(read_json(folder / name), public_key)
    except NotARun as error:
        return [str(error)]
    if payload is None:
        return [f"{name} is not signed with the key in {printable(str(public_key))}"]
    if digest_of_text([payload.decode("utf-8", "replace")]).sha256 != digest_of_file(folder / attestation.FILE).sha256:
        return [f"{name} signs another attestation than {attestation.FILE}"]
    return []
