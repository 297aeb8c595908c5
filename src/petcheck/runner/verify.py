"""Checks whether a folder of reports proves what it says, by its digests, its recording and its signature."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from petcheck.errors import NotAResult, NotARun
from petcheck.results import attestation, har, recording
from petcheck.results.attestation import signed_payload, statement
from petcheck.results.differences import differing_members, differing_rows, differing_verdicts
from petcheck.results.load import recording_in
from petcheck.results.manifest import FILE as MANIFEST
from petcheck.results.manifest import PARTS, claims_of, digest_of, entry_of_part, read_json, read_manifest
from petcheck.results.parts import exit_of_parts, head_in, join, names_in, outline, part_of, pieces
from petcheck.results.recording import Recording
from petcheck.results.result import FILE, Result, head_of, load, text_of
from petcheck.results.sanitize import printable
from petcheck.runner.judge import judged_again
from petcheck.runner.processes import Processes, Task
from petcheck.runner.replay import config_of, is_of_this_suite
from petcheck.spec.version import VERSION

_OURS = (MANIFEST, attestation.FILE, attestation.ENVELOPE_FILE)
_LISTED = (FILE, recording.FILE, har.FILE)


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found: each of `wrong` is a reason why the folder proves nothing; `notes` add to it."""

    result: Result | None
    wrong: tuple[str, ...]
    notes: tuple[str, ...]


def verify(folder: Path, public_key: Path | None, options: Callable[[], list[str]]) -> Verification:
    """Verify a folder; nothing is sent. `options` are those with which pytest runs the checks.

    Raises NotARun if it is not a folder of reports, and NotAKey.
    """
    document = read_manifest(folder)
    names = names_in(document)
    if names:
        return _verify_parts(folder, document, names, public_key, options)
    sealed = unchanged(folder, public_key)
    if sealed.result is None:
        return sealed
    return replace(sealed, wrong=(*sealed.wrong, *follows(folder, options)))


def unchanged(folder: Path, public_key: Path | None) -> Verification:
    """Verify all but the verdicts: the digests, the attestation, and the signature. Raises NotARun and NotAKey."""
    document = read_manifest(folder)
    wrong = _digests(folder, document, _LISTED)
    notes = [f"{printable(name)} is not in the manifest and proves nothing" for name in _unlisted(folder, document)]
    try:
        result = load(folder / FILE)
    except NotAResult as error:
        return Verification(None, (*wrong, printable(str(error), 400)), tuple(notes))
    wrong += _claimed(folder, document, result, public_key)
    notes += _unchecked(folder, public_key)
    if not is_of_this_suite(result):
        notes.append(_of_another_suite(document, result))
    return Verification(result, tuple(wrong), tuple(notes))


def _verify_parts(
    folder: Path, document: dict[str, Any], names: list[str], public_key: Path | None, options: Callable[[], list[str]]
) -> Verification:
    """Verify a run in parts: each target's folder in its own process, and what joins them."""
    wrong = _digests(folder, document, (FILE,))
    notes = [f"{printable(name)} is not in the manifest and proves nothing" for name in _unlisted(folder, document)]
    if public_key is not None:
        signed_payload({}, public_key)  # raises NotAKey once, and not in each process
    found: dict[str, Verification] = {}
    at_work = Processes(os.cpu_count() or 1)
    tasks = (Task(name, _verify_part, (part_of(folder, name), public_key, options())) for name in names)
    for done in at_work.each(tasks):
        lost = Verification(None, ("could not be verified: its process died",), ())
        found[done.name] = done.value or lost
    if at_work.interrupted:
        raise KeyboardInterrupt
    for name in names:
        wrong += [f"{PARTS}/{name}: {line}" for line in found[name].wrong]
        notes += [f"{PARTS}/{name}: {line}" for line in found[name].notes]
    outlines = {name: each.result for name, each in found.items() if each.result is not None}
    try:
        head = head_in(folder)
        ordered = [outlines[target.name] for target in head.targets]
    except NotARun as error:
        return Verification(None, (*wrong, str(error)), tuple(notes))
    except KeyError as missing:
        return Verification(None, (*wrong, f"{FILE} names {missing}, which the manifest does not list"), tuple(notes))
    joined = join(ordered, head.run, complete=head.complete)
    if head.complete and exit_of_parts(ordered, interrupted=False) != head.run.exit:
        wrong.append(f"{FILE}: exit {head.run.exit} does not follow from the targets' results")
    digest = hashlib.sha256()
    for piece in pieces(joined, folder):
        digest.update(piece.encode())
    if len(ordered) != len(names) or digest.hexdigest() != digest_of(folder / FILE):
        wrong.append(f"{FILE} does not join what the targets' own results say")
    wrong += _claimed(folder, document, joined, public_key)
    return Verification(joined, tuple(wrong), tuple(notes + _unchecked(folder, public_key)))


def _verify_part(folder: Path, public_key: Path | None, options: Sequence[str]) -> Verification:
    try:
        found = verify(folder, public_key, lambda: list(options))
    except NotARun as error:
        return Verification(None, (str(error),), ())
    return replace(found, result=found.result and outline(found.result))


def _claimed(folder: Path, document: dict[str, Any], result: Result, public_key: Path | None) -> list[str]:
    """What of the manifest and of the attestation is not what the result comes to."""
    wrong = [
        f"{MANIFEST}: its {name} are not those of {FILE}"
        for name, claim in claims_of(result).items()
        if document.get(name) != claim
    ]
    wrong += _attested(folder, document, result)
    return wrong + (_signed(folder, public_key) if public_key is not None else [])


def _unchecked(folder: Path, public_key: Path | None) -> list[str]:
    if public_key is None and (folder / attestation.ENVELOPE_FILE).exists():
        return [f"{attestation.ENVELOPE_FILE} was not checked: give --public-key"]
    return []


def follows(folder: Path, options: Callable[[], list[str]]) -> list[str]:
    """What in a folder's result does not follow from its recording."""
    try:
        found = recording_in(folder)
        if not found.result.requirements:
            return [f"{FILE} is of another run than the recording, or has no verdicts"]
        config = config_of(found, strict=bool(found.result.run.settings and found.result.run.settings.strict))
    except NotARun as error:
        return [str(error)]
    again = judged_again(config, options).product.result
    if not is_of_this_suite(found.result):
        return list(differing_verdicts(found.result, again))
    wrong = [*differing_rows(found.result, again), *differing_members(found.result, again)]
    return [*wrong, *_rewritten(folder, found.result), *_copied(folder, found)]


def _of_another_suite(document: dict[str, Any], result: Result) -> str:
    made, environment = printable(result.suite.version, 40), document.get("environment")
    commit = environment.get("commit") if isinstance(environment, dict) else None
    by = f"petcheck {made}" + (f" of commit {printable(commit, 40)}" if isinstance(commit, str) else "")
    return f"made by {by}, which has other rules than this {VERSION}; verify it with {by}"


def _digests(folder: Path, document: dict[str, Any], needed: Sequence[str]) -> list[str]:
    wrong = [f"{MANIFEST} does not list {name}" for name in needed if name not in document["files"]]
    for name, entry in document["files"].items():
        try:
            if digest_of(folder / name) != entry["sha256"]:
                wrong.append(f"{printable(name)} is not the file that the manifest lists: its digest differs")
        except (OSError, ValueError) as error:
            wrong.append(
                f"{printable(name)} cannot be read: {printable(getattr(error, 'strerror', None) or str(error))}"
            )
    return wrong


def _unlisted(folder: Path, document: dict[str, Any]) -> list[str]:
    known = {*document["files"], *_OURS, *([PARTS] if names_in(document) else [])}
    parts = {f"{PARTS}/{path.name}" for path in _inside(folder / PARTS) if entry_of_part(path.name) not in known}
    return sorted({path.name for path in _inside(folder)} - known | (parts if PARTS in known else set()))


def _inside(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _attested(folder: Path, document: dict[str, Any], result: Result) -> list[str]:
    due = attestation.text_of(statement(document, digest_of(folder / MANIFEST), result))
    try:
        found = digest_of(folder / attestation.FILE)
    except OSError as error:
        return [f"{attestation.FILE} cannot be read: {error.strerror}"]
    if found != _digest_of(due.encode()):
        return [f"{attestation.FILE} is not what the manifest and the result come to"]
    return []


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
    if _digest_of(payload) != digest_of(folder / attestation.FILE):
        return [f"{name} signs another attestation than {attestation.FILE}"]
    return []


def _rewritten(folder: Path, result: Result) -> list[str]:
    """Whether result.json is as it was written: of a member that is there twice, each reader believes another one."""
    if digest_of(folder / FILE) == _digest_of(text_of(result).encode()):
        return []
    return [f"{FILE} is not as petcheck writes it: it has other members, or a member twice"]


def _digest_of(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _copied(folder: Path, found: Recording) -> list[str]:
    """Whether exchanges.har is what is written from the stream."""
    if not (folder / recording.FILE).exists():
        return []
    digest = hashlib.sha256()
    names = [target.name for target in found.result.targets]
    entries = recording.entries_in(folder / recording.FILE, names)
    for piece in har.pieces(entries, version=found.result.suite.version, head=head_of(found.result)):
        digest.update(piece.encode())
    if digest.hexdigest() != digest_of(folder / har.FILE):
        return [f"{har.FILE} does not hold what {recording.FILE} does"]
    return []
