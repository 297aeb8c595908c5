"""Folders of reports as runs write them, and edits of them by somebody who knows the format and the code."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.serialization import load_pem_private_key

from petcheck.errors import NotARun
from petcheck.reports.outputs import Material
from petcheck.results.attestation import Seal, read_seal
from petcheck.results.judge import judge
from petcheck.results.parts import outline, part_of
from petcheck.results.proof import NOBODY, Witnesses
from petcheck.runner.fleet import write_parts
from petcheck.runner.merge import merge
from petcheck.runner.written import written
from petcheck.spec.outcomes import Waiver
from petcheck.stream.files import as_json, from_json, read_stream
from petcheck.stream.lines import NARROWED, End, Label, Subject
from petcheck.stream.stream import Stream, checked
from tests.support import samples, streams
from tests.support.signing import key_files

Edit = Callable[[Path], object]
STREAM, RESULT, MANIFEST, STATEMENT, ENVELOPE = (
    "exchanges.jsonl",
    "result.json",
    "manifest.json",
    "attestation.json",
    "attestation.dsse.json",
)
NAMES = ("a", "b", "c")
SETTINGS = replace(
    streams.SETTINGS,
    choice=("LIST-2", "LIST-3", "PETS-1"),
    waivers=(Waiver("LIST-2", "staging", "agreed", date(2099, 1, 1)),),
    labels=(Label("build", "1742"),),
    subjects=(Subject("shop", "e" * 64),),
)
CHOSEN = {NARROWED: ["-k list"]}  # the small runs have few checks

# ---- the folders


def make(folder: Path) -> None:
    """Write a folder of each kind: a signed run, one of two targets, a signed fleet, and two runs that were merged."""
    key_files(folder)
    seal = read_seal(folder / "key.pem")
    write(checked(streams.lines(streams.OF_TODAY, settings=SETTINGS, options=CHOSEN)), folder / "one", seal)
    run = samples.whole_run(number=12)[1]
    write(streams.around(run, "staging", "production", options=CHOSEN), folder / "pair")
    write_fleet(folder / "fleet", seal)
    accepted = (Waiver("LIST-3", "staging", "agreed", date(2099, 1, 1)),)
    write(
        checked(streams.lines(streams.OF_TODAY, settings=replace(streams.SETTINGS, waivers=accepted), options=CHOSEN)),
        folder / "conforming",
    )
    for number, name in enumerate(("a", "b"), 1):
        write(of_target(name, seed=number), folder / f"run-{name}")
    merge([folder / "run-a", folder / "run-b"], folder / "merged", NOBODY)


def write_fleet(folder: Path, seal: Seal | None, **of_head: Any) -> None:
    """Write all that a run of many targets comes to."""
    ends = []
    for name in NAMES:
        write(of_target(name, part=True, **of_head), part_of(folder, name), seal)
        ends.append(outline(judge(of_target(name))))
    end = End(streams.FINISHED + timedelta(seconds=9))
    write_parts(Stream((streams.head(*NAMES, **of_head), end)), ends, folder, Witnesses(seal))


def of_target(name: str, *, recorded_with: str | None = None, **of_head: Any) -> Stream:
    """The small run, of a target with that name; its exchanges may be those that were `recorded_with` another one."""
    lines = streams.lines(streams.OF_TODAY, **{"options": CHOSEN | {"target": [name]}} | of_head)
    entries = [json.loads(json.dumps(as_json(entry)).replace("staging", name)) for entry in lines]
    for entry in entries:
        for moment in {"sent", "finished"} & entry.get("_petcheck", {}).keys():
            entry["_petcheck"][moment] += ord(recorded_with or name)  # no two targets share a moment
    entries[0]["petcheck"]["targets"] = [{"name": name, "base_url": f"https://{name}.pets.example/v1", "writes": True}]
    return checked(map(from_json, entries))


def write(stream: Stream, folder: Path, seal: Seal | None = None) -> None:
    """Write all that a run comes to."""
    end = written(Material(judge(stream), stream), folder, Witnesses(seal))
    assert (end.trouble, end.unwritten) == ([], {})


# ---- edits


def in_json(name: str, edit: Callable[[Any], object], *, listed: bool = True) -> Edit:
    """An edit of the JSON in a file; the manifest and the statement then list what is there."""

    def change(folder: Path) -> None:
        document = json.loads((folder / name).read_bytes())
        before = json.dumps(document)
        edit(document)
        assert json.dumps(document) != before
        (folder / name).write_text(json.dumps(document, indent=1) + "\n", "utf-8")
        if listed:
            list_again(folder)

    return change


def in_text(name: str, old: str, new: str, *, everywhere: bool = False, made: bool = False) -> Edit:
    """An edit of a file's text; the manifest and the statement then list what is there, or all is `made` again."""

    def change(folder: Path) -> None:
        text = (folder / name).read_text("utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, -1 if everywhere else 1), "utf-8")
        if made:
            write(read_stream(folder / STREAM), folder)
        else:
            list_again(folder)

    return change


def in_bytes(name: str, edit: Callable[[bytes], bytes]) -> Edit:
    """An edit of a file's bytes."""

    def change(folder: Path) -> None:
        before = (folder / name).read_bytes()
        assert edit(before) != before
        (folder / name).write_bytes(edit(before))

    return change


def in_stream(edit: Callable[[list[Any]], object], *, made: bool = False, listed: bool = False) -> Edit:
    """An edit of the lines of the stream. With `made`, every other file is made again from it, if it can be read."""

    def change(folder: Path) -> None:
        lines = [json.loads(line) for line in (folder / STREAM).read_text("utf-8").splitlines()]
        before = json.dumps(lines)
        edit(lines)
        assert json.dumps(lines) != before
        (folder / STREAM).write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        if made:
            with suppress(NotARun):
                write(read_stream(folder / STREAM), folder)
        if listed:
            list_again(folder)

    return change


def made_up(edit: Callable[[list[Any]], object]) -> Edit:
    """An edit of the stream, after which every other file is made again from it."""
    return in_stream(edit, made=True)


def list_again(folder: Path) -> None:
    """Let the manifest list the files as they are, and the statement the manifest."""
    manifest, statement = (json.loads((folder / name).read_bytes()) for name in (MANIFEST, STATEMENT))
    for name, entry in manifest["files"].items():
        if (folder / name).is_file():
            data = (folder / name).read_bytes()
            entry.update(sha256=hashlib.sha256(data).hexdigest(), size=len(data))
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
    digests = {name: entry["sha256"] for name, entry in manifest["files"].items()}
    digests[MANIFEST] = hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()
    for subject in statement["subject"]:
        subject["digest"]["sha256"] = digests.get(subject["name"], subject["digest"]["sha256"])
    (folder / STATEMENT).write_text(json.dumps(statement, indent=1) + "\n", "utf-8")


def in_part(name: str, edit: Edit) -> Edit:
    """An edit of the folder of one target."""
    return lambda folder: edit(part_of(folder, name))


def both(*edits: Edit) -> Edit:
    """Several edits, one after the other."""
    return lambda folder: [edit(folder) for edit in edits]


def signed_again(change: Callable[[dict[str, Any], Callable[[bytes], str]], object]) -> Edit:
    """An edit of the envelope, which gets the envelope and what signs bytes with the key of the run."""

    def edit(folder: Path) -> None:
        key: Any = load_pem_private_key(next(folder.resolve().parent.glob("key.pem")).read_bytes(), None)
        envelope = json.loads((folder / ENVELOPE).read_bytes())
        change(envelope, lambda data: base64.b64encode(key.sign(data)).decode())
        (folder / ENVELOPE).write_text(json.dumps(envelope, indent=1) + "\n", "utf-8")

    return edit


# ---- places in a stream


def head(lines: list[Any]) -> Any:
    """What the first line says."""
    return lines[0]["petcheck"]


def line(lines: list[Any], kind: str, number: int = 0) -> Any:
    """The line of that kind and number: "request" is an exchange."""
    found = [one for one in lines if kind in one][number]
    return found if kind == "request" else found[kind]


def put(place: Any, **members: Any) -> Any:
    """Give members other values."""
    place.update(members)
    return place


# ---- what is no file


def fifo(path: Path) -> None:
    """A pipe that nobody writes to."""
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def directory(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


def elsewhere(path: Path) -> None:
    """A link to the same file in another place."""
    path.symlink_to(path.rename(path.parent.parent / f"other-{path.name}"))


def loop(path: Path) -> None:
    """A link to itself."""
    path.unlink(missing_ok=True)
    path.symlink_to(path.name)


def endless(path: Path) -> None:
    """A link to a device without an end."""
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")


def huge(path: Path) -> None:
    """A file of three gigabytes, which takes no room on the disk."""
    with path.open("r+b" if path.exists() else "wb") as file:
        file.truncate(3 * 1024**3)


def gone(path: Path) -> None:
    path.unlink()


NO_FILES: dict[str, Callable[[Path], object]] = {
    "a pipe": fifo,
    "a directory": directory,
    "a link to itself": loop,
    "a link to what it was": elsewhere,
    "an endless device": endless,
    "three gigabytes": huge,
    "missing": gone,
}
