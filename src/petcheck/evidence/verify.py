"""Checks whether a folder of reports proves what it says: judges its stream, makes every file again, compares bytes."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petcheck.errors import NotAResult, NotARun, NotDated
from petcheck.evidence.coherence import CLOCKS_S, copies, incoherent, incoherent_parts, moments_of
from petcheck.reports.outputs import OUTPUTS, Material, material_of_parts, render
from petcheck.results import attestation, timestamp
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
)
from petcheck.results.parts import outline, part_of, settings_of
from petcheck.results.proof import FILES as PROOF
from petcheck.results.proof import proof_of
from petcheck.results.result import FILE, Result, load
from petcheck.results.timestamp import Dated, authorities, dated
from petcheck.runner.processes import Processes, Task
from petcheck.sanitize import printable
from petcheck.spec.version import VERSION
from petcheck.stream import files
from petcheck.stream.files import read_stream
from petcheck.stream.lines import NARROWED, End, Head, Joined, JoinedRun, Revised
from petcheck.stream.reading import RESULT_CAP, SMALL_CAP, read_file, why_unread
from petcheck.stream.stream import Stream
from petcheck.stream.typed import plain
from petcheck.stream.typed import timestamp as timestamp_of

if TYPE_CHECKING:
    from cryptography.x509 import Certificate


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found: each of `wrong` is a reason why the folder proves nothing; `notes` add to it.

    `maker` is the other version that made the folder, which alone can prove it; None if this one did. `stream` says
    what was asked for. It and the `result` are None where they cannot be had. `dated` is None where no authority's time
    was checked. `moments` are those of the exchanges of a part.
    """

    result: Result | None
    wrong: tuple[str, ...]
    notes: tuple[str, ...]
    stream: Stream | None = None
    maker: str | None = None
    dated: Dated | None = None
    moments: tuple[float, ...] = ()


def verify(
    folder: Path,
    public_key: Path | None,
    authority: Path | None = None,
    response: Path | None = None,
    *,
    part: bool = False,
) -> Verification:
    """Verify a folder; nothing is sent. Raises NotARun if it is not a folder of reports, and NotAKey.

    `public_key` has signed it. `authority` is a file with the root certificate of the authority that has dated it, in
    its response in the folder, or in the file `response`. A `part` of a run needs no time, since that of the whole
    covers it.
    """
    document = read_manifest(folder)
    names = names_in(document)
    if public_key is not None:
        signed_payload({}, public_key)  # raises NotAKey before anything takes long
    trusted = authorities(authority) if authority is not None else None
    found = _verify_parts(folder, document, names, public_key, authority) if names else _verify_one(folder, document)
    known = {*document["files"], *PROOF, *([PARTS] if names else [])}
    strange = _besides(folder, known)
    wrong = [*found.wrong, *(f"{name} does not belong to this run" for name in strange if name in _OUR_NAMES)]
    wrong += [f"{name} is a link, not the file itself; put the file in its place" for name in _links(folder, known)]
    notes = [f"{printable(name)} is not in the manifest and proves nothing" for name in strange - _OUR_NAMES.keys()]
    if found.stream is not None and found.stream.head.part and not part:
        notes.append("it is a part of a run, and does not say what the run's other targets did")
    if public_key is not None:
        wrong += _signed(folder, public_key)
    elif (folder / attestation.ENVELOPE_FILE).exists():
        notes.append(f"{attestation.ENVELOPE_FILE} was not checked: give --public-key")
    stamped, dated = response or folder / timestamp.FILE, None
    if trusted is None and os.path.lexists(stamped):
        notes.append(f"{timestamp.FILE} was not checked: give --timestamp-ca")
    elif trusted is not None and (os.path.lexists(stamped) or not part):
        try:
            dated = _dated(folder, stamped, trusted)
            notes += _clock_ahead(found.stream, dated)
        except NotDated as error:
            wrong.append(str(error))
    return replace(found, wrong=tuple(wrong), notes=(*sorted(notes), *found.notes), dated=dated)


def unfounded(folder: Path) -> tuple[str, ...]:
    """What a folder's result says that does not follow from its stream. Raises NotARun."""
    result = load(folder / FILE)
    stream = recording_in(folder)
    judged = judge(stream)
    if result.run.id != judged.run.id or result.run.started != judged.run.started:
        return (f"{FILE} is of another run than the recording",)
    if result.suite != suite():
        return ()
    return _differing_rows(folder, judged)


def _verify_one(folder: Path, document: Mapping[str, Any]) -> Verification:
    """Verify a folder that has one stream."""
    changed, maker = tuple(_changed(folder, document)), _other_maker(document)
    try:
        stream = read_stream(folder / files.FILE)
    except NotARun as error:
        if maker is not None:
            return Verification(None, changed, (f"this version does not read its recording: {error}",), maker=maker)
        return Verification(None, (*changed, str(error)), ())
    wrong = [f"{files.FILE}: {stream.cut}"] if stream.cut else []
    wrong += [*_clocks(stream), *(f"{files.FILE}: {line}" for line in incoherent(stream))]
    if maker is not None:
        wrong += [*changed, *_other_claims(folder, document, stream.head)]
        return Verification(None, tuple(wrong), (), stream, maker)
    made, of = Material(judge(stream), stream), stream.head.suite
    alike = " of other requirements" if of.version == VERSION else ""
    unchecked = "which does not know what that one plans and how it sends it"
    note = f"recorded by petcheck {printable(of.version, 40)}{alike}, judged by this one, {unchecked}"
    notes = () if of == suite() else (note,)
    return Verification(made.result, (*wrong, *_rebuilt(folder, made, {})), notes, stream)


# ---- what does not depend on the rules


def _clocks(stream: Stream) -> Iterator[str]:
    """Where the two clocks of a run contradict each other; other programs have one."""
    if stream.head.settings.traffic:
        return
    for part in stream.parts:
        for one in part.exchanges:
            first, which = part.exchanges[0], f"exchange {one.index} with {part.name}"
            apart = abs((one.started - first.started).total_seconds() - (one.sent - first.sent))
            left = (stream.end.finished - one.started).total_seconds() - one.elapsed if stream.end else 0.0
            if apart > CLOCKS_S:
                yield f"the clocks of {which} differ by {apart:,.0f} s: one was set, or the recording was edited"
            elif (stream.head.started - one.started).total_seconds() > CLOCKS_S:
                yield f"{which} was sent before the run began"
            elif left < -CLOCKS_S:
                yield f"{which} was answered after the run had ended"
            else:
                continue
            break


def _other_maker(document: Mapping[str, Any]) -> str | None:
    """The suite that a manifest names as its maker; None if it is this one."""
    made_by, environment = document.get("suite"), document.get("environment")
    if not isinstance(made_by, dict) or made_by == plain(suite()):
        return None
    commit = environment.get("petcheck_commit") if isinstance(environment, dict) else None
    other = "" if made_by.get("version") != VERSION else f" with catalogue {made_by.get('requirements_sha256')}"
    of = f" of commit {commit}" if isinstance(commit, str) else ""
    return f"petcheck {printable(str(made_by.get('version')), 40)}{printable(other, 40)}{printable(of, 60)}"


def _other_claims(folder: Path, document: Mapping[str, Any], head: Head) -> Iterator[str]:
    """What the manifest, the result and the statement of another version contradict each other or the stream in."""
    run = {"id": head.run, "started": timestamp_of(head.started), "as_of": str(head.as_of), "seed": head.seed}
    try:
        for name, claims in ((MANIFEST, document), (FILE, read_json(folder / FILE, RESULT_CAP))):
            said = claims.get("run")
            told = {member: said.get(member) for member in run} if isinstance(said, dict) else None
            if (claims.get("suite"), told) != (document["suite"], run):
                yield f"{name} is of another run or suite than {files.FILE}"
        listed = {name: entry["sha256"] for name, entry in document["files"].items()}
        due = [
            {"name": name, "digest": {"sha256": digest}}
            for name, digest in {MANIFEST: digest_of_file(folder / MANIFEST).sha256, **listed}.items()
        ]
        subjects = read_json(folder / attestation.FILE).get("subject")
        if not isinstance(subjects, list) or any(one not in subjects for one in due):
            yield f"{attestation.FILE} is about other files"
    except (NotARun, OSError) as error:
        yield printable(str(error), 400)


# ---- what the rules make


def _rebuilt(folder: Path, material: Material, besides: Mapping[str, Digest]) -> Iterator[str]:
    """What in a folder is not what its stream comes to."""
    try:
        due = {name: digest_of_text(pieces) for name, pieces in render(material)} | dict(besides)
    except NotAResult as error:
        yield f"what the recording comes to {printable(str(error), 400)}"
        return
    proof = proof_of(due, material.result, material.stream.head.environment)
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


def _verify_parts(
    folder: Path, document: Mapping[str, Any], names: list[str], public_key: Path | None, authority: Path | None
) -> Verification:
    """Verify a run in parts: each target's folder in its own process, and what joins them."""
    found: dict[str, Verification] = {}
    at_work = Processes(os.cpu_count() or 1)
    for done in at_work.each(
        Task(name, _verify_part, (part_of(folder, name), public_key, authority)) for name in names
    ):
        found[done.name] = done.value or Verification(None, ("could not be verified: its process died",), ())
    if at_work.interrupted:
        raise KeyboardInterrupt
    try:
        whole = read_stream(folder / files.FILE)
    except NotARun as error:
        stream, lost = None, [str(error)]
    else:
        stream, lost = whole, [f"{files.FILE}: {whole.cut}"] if whole.cut else []
        lost += [f"{files.FILE}: {line}" for line in incoherent_parts(whole)]
        found = {name: replace(one, wrong=(*one.wrong, *_stray(name, one, whole))) for name, one in found.items()}
        if any(one.stream is not None and one.stream.interrupted for one in found.values()) and not whole.interrupted:
            lost.append(f"{files.FILE}: a target's run was interrupted, and it says that the whole was not")
    lost += [f"{PARTS}/{line}" for line in copies({name: found[name].moments for name in names})]
    wrong = [*lost, *(f"{PARTS}/{name}: {line}" for name in names for line in found[name].wrong)]
    notes = [f"{PARTS}/{name}: {line}" for name in names for line in found[name].notes]
    maker = next((one.maker for one in found.values() if one.maker), _other_maker(document))
    if stream is None:
        return Verification(None, (*wrong, *_changed(folder, document)), tuple(notes), maker=maker)
    listed = [target.name for target in stream.head.targets]
    ended_early = stream.interrupted or (stream.end is not None and stream.end.cut_short)
    if set(names) - set(listed) or (set(listed) - set(names) and not ended_early):
        wrong.append(f"{MANIFEST} lists other targets than {files.FILE}")
    if maker is not None:
        wrong += [*_changed(folder, document), *_other_claims(folder, document, stream.head)]
        return Verification(None, tuple(wrong), tuple(notes), stream, maker)
    outlines = {name: result for name in names if (result := found[name].result) is not None}
    try:
        made = material_of_parts(stream, list(outlines.values()), folder)
        if set(listed) - set(names) and not made.result.run.exit:
            wrong.append(f"{MANIFEST} lists other targets than {files.FILE}")
        entries = [entry_of_part(name) for name in listed if name in outlines]
        manifests = {entry: digest_of_file(folder / entry) for entry in entries}
        return Verification(made.result, (*wrong, *_rebuilt(folder, made, manifests)), tuple(notes), stream)
    except (NotARun, OSError) as error:
        wrong += [printable(str(error), 400), *_changed(folder, document)]
        return Verification(None, tuple(wrong), tuple(notes), stream)


def _verify_part(folder: Path, public_key: Path | None, authority: Path | None) -> Verification:
    try:
        found = verify(folder, public_key, authority, part=True)
    except NotARun as error:
        return Verification(None, (str(error),), ())
    kept = () if found.stream is None else found.stream.entries
    ends = (entry for entry in kept if isinstance(entry, Head | Revised | End))
    stream = found.stream and replace(found.stream, entries=tuple(ends))
    moments = () if found.stream is None else moments_of(found.stream.exchanges)
    return replace(found, result=found.result and outline(found.result), stream=stream, moments=moments)


def _stray(name: str, part: Verification, whole: Stream) -> Iterator[str]:
    """What a target's folder says otherwise than the run, or the merged runs, that it is part of."""
    if part.stream is None:
        return
    theirs, ours = part.stream.head, whole.head
    merged = [run for entry in whole.entries if isinstance(entry, Joined) for run in entry.runs]
    itself = JoinedRun(ours.run, ours.seed, timestamp_of(ours.started), timestamp_of(whole.finished))
    runs = [one for one in merged or [itself] if one.id == theirs.run]
    if theirs.targets != tuple(target for target in ours.targets if target.name == name):
        yield "it is of other targets than the run"
    if theirs.as_of != ours.as_of:
        yield "it is judged as on another day than the run"
    if not runs:
        yield "it is of another run"
    elif all(one.seed != theirs.seed for one in runs):
        yield "it has another seed than the run"
    elif not any(_lasted(one, part.stream) for one in runs):
        yield "it was not made while the run lasted"
    if settings_of(part.stream) != settings_of(whole):
        yield "it has other settings than the run"
    if not merged and _shared(theirs) != _shared(ours):
        yield "it has other options than the run"
    alone = theirs.shard is None and (merged or (theirs.part and theirs.environment == ours.environment))
    if theirs.suite != ours.suite or not (alone or any(run.shard == theirs.shard for run in runs if merged)):
        yield "it is not a part of the run: its suite, environment or shard is another one"


def _lasted(run: JoinedRun, part: Stream) -> bool:
    """Whether a run lasted from the beginning to the end of a part."""
    end = part.end.finished if part.end else part.head.started
    return run.started <= timestamp_of(part.head.started) and timestamp_of(end) <= run.finished


def _shared(head: Head) -> dict[str, Any]:
    """The options of a run that those of its targets have too."""
    return {name: value for name, value in head.options.items() if name not in ("target", "shard", NARROWED)}


# ---- files, signature and time


def _changed(folder: Path, document: Mapping[str, Any]) -> Iterator[str]:
    """The files that are not those that the manifest lists."""
    for name, unread in changed_files(folder, document):
        why = "is not the file that the manifest lists: its digest differs"
        yield f"{printable(name)} {why if unread is None else f'cannot be read: {unread}'}"


_OUR_NAMES = {output.name: output for output in OUTPUTS}


def _links(folder: Path, names: Iterable[str]) -> list[str]:
    """What is a link, or is below one: it may lead to another file tomorrow, and a copy of the folder lacks it."""
    ways = {str(way) for name in names for way in (Path(name), *Path(name).parents)}
    return sorted(printable(way) for way in ways if way != "." and (folder / way).is_symlink())


def _besides(folder: Path, known: Collection[str]) -> set[str]:
    """The names in a folder, and in that of its targets, that are not known."""
    inside = {path.name for path in _inside(folder)} - set(known)
    if PARTS in known:
        parts = (f"{PARTS}/{path.name}" for path in _inside(folder / PARTS))
        inside |= {part for part in parts if entry_of_part(part.partition("/")[2]) not in known}
    return inside


def _inside(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _dated(folder: Path, response: Path, trusted: Sequence[Certificate]) -> Dated:
    """The time of a folder by a response. Raises NotDated."""
    name = printable(str(response) if response.parent != folder else response.name)
    try:
        return dated(read_file(response, SMALL_CAP), read_file(folder / MANIFEST, SMALL_CAP), trusted)
    except FileNotFoundError:
        raise NotDated(f"it is not dated: there is no {name}") from None
    except OSError as error:
        raise NotDated(f"{name} cannot be read: {why_unread(error)}") from None
    except NotDated as error:
        raise NotDated(f"{name} {error}") from None


def _clock_ahead(stream: Stream | None, dated: Dated) -> Iterator[str]:
    if stream is not None and (stream.finished - dated.moment).total_seconds() > CLOCKS_S:
        ended = timestamp_of(stream.finished)
        yield f"the run says that it ended at {ended}, after the authority dated it: one of the clocks is wrong"


def _signed(folder: Path, public_key: Path) -> list[str]:
    name = attestation.ENVELOPE_FILE
    if not os.path.lexists(folder / name):
        return [f"it is not signed: there is no {name}"]
    try:
        payload = signed_payload(read_json(folder / name), public_key)
        stated = read_file(folder / attestation.FILE, SMALL_CAP)
    except NotARun as error:
        return [str(error)]
    except OSError as error:
        return [f"{attestation.FILE} cannot be read: {why_unread(error)}"]
    if payload is None:
        return [f"{name} is not signed with the key in {printable(str(public_key))}"]
    if payload != stated:
        return [f"{name} signs another attestation than {attestation.FILE}"]
    return []
