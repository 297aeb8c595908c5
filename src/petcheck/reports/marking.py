"""Exchanges side by side as visible text in pieces, those marked that differ from what stands beside them.

What changes from run to run is not marked, nor are the values of animals on a page: two stores hold other animals.
Everything is cut at the limits that every report cuts at, before it is compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile

from petcheck.reports.har import Evidence
from petcheck.reports.visible import visible, visible_bytes
from petcheck.reports.volatile import header_is_volatile, host, member_is_volatile, request_path, settled

HEADERS = 40
"""Headers of one message that are shown."""

# a member with its scalar value, a bracket, a run of other characters, or space
_CHUNK = re.compile(
    r'"(?:[^"\\]|\\.)*"(?:\s*:\s*(?:"(?:[^"\\]|\\.)*"|[^\s\[\]{},"]+))?|[\[\]{},]|\s+|[^\s"\[\]{},]+|.', re.DOTALL
)
_STEPS = 250_000  # a tenth of a second
_NOTE = re.compile(r" … \[cut at [\d,]+ of [\d,]+ characters, whole in exchanges\.har\]\Z")
_STATUSES = ('"available"', '"pending"', '"sold"')
_MEMBER = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:\s*(.+)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of visible text, and whether it differs from what stands beside it."""

    text: str
    differs: bool = False


Line = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """One exchange for showing. `error` stands in place of an answer; `response_body` is empty where none came."""

    entry: Evidence
    request_line: Line
    request_headers: tuple[Line, ...]
    request_body: Line
    status_line: Line
    response_headers: tuple[Line, ...]
    response_body: Line


def side_by_side(
    entries: Sequence[Evidence | None], base_urls: Sequence[str], runs: Sequence[str]
) -> tuple[Shown | None, ...]:
    """Exchanges that answer to one another, one for each side, with what differs marked; None stays None.

    `base_urls` and `runs` are those of the sides.
    """
    there = [(entry, base, run) for entry, base, run in zip(entries, base_urls, runs, strict=True) if entry is not None]
    paths = [request_path(entry, base) for entry, base, _ in there]
    sent = _headers([entry.request_headers for entry, _, _ in there], [(host(base), run) for _, base, run in there])
    came = _headers([entry.response_headers for entry, _, _ in there], [(host(base), run) for _, base, run in there])
    filtered = any("status=" in path for path in paths)
    asked = _bodies([_Body(entry.request_body or b"", run) for entry, _, run in there])
    answered = _bodies(
        [_Body(entry.response_body, run, _id_asked_for(entry), statuses_tell=filtered) for entry, _, run in there]
    )
    lines = [_status_parts(entry) for entry, _, _ in there]
    shown: list[Shown | None] = []
    for number, (entry, _, _) in enumerate(there):
        shown.append(
            Shown(
                entry,
                (Piece(f"{visible(entry.method, 20)} "), Piece(visible(entry.url), len(set(paths)) > 1)),
                sent[number],
                asked[number],
                tuple(
                    Piece(part, any(other[place : place + 1] != [part] for other in lines))
                    for place, part in enumerate(lines[number])
                ),
                came[number],
                answered[number],
            )
        )
    left = iter(shown)
    return tuple(next(left) if entry is not None else None for entry in entries)


def _status_parts(entry: Evidence) -> list[str]:
    if entry.error is not None:
        return [visible(entry.error)]
    return [visible(entry.http_version, 40), str(entry.status), visible(entry.reason)]


def _headers(
    messages: Sequence[Sequence[tuple[str, str]]], contexts: Sequence[tuple[str, str]]
) -> list[tuple[Line, ...]]:
    """The header lines of each message: a name that another lacks is marked with its value, else a value that it lacks.

    `contexts` are the host and the run's id of each side.
    """

    def kept(name: str, value: str, context: tuple[str, str]) -> str:
        own, run = context
        return "" if header_is_volatile(name) else settled(value.replace(own, "{host}") if own else value, run)

    known = [
        {(name.lower(), kept(name, value, context)) for name, value in message}
        for message, context in zip(messages, contexts, strict=True)
    ]
    names = [{name for name, _ in pairs} for pairs in known]
    made = []
    for message, context in zip(messages, contexts, strict=True):
        lines: list[Line] = []
        for name, value in message[:HEADERS]:
            key = name.lower()
            missing = any(key not in others for others in names)
            other = any((key, kept(name, value, context)) not in pairs for pairs in known)
            lines.append((Piece(f"{visible(name)}: ", missing), Piece(visible(value), missing or other)))
        if len(message) > HEADERS:
            lines.append((Piece(f"[cut at {HEADERS} of {len(message)} headers, whole in exchanges.har]"),))
        made.append(tuple(lines))
    return made


@dataclass(frozen=True, slots=True)
class _Body:
    """A body and what its members are held against: the run's id, the id asked for, and whether a status tells."""

    content: bytes
    run: str
    asked_id: str | None = None
    statuses_tell: bool = True


def _id_asked_for(entry: Evidence) -> str | None:
    return entry.url.rpartition("/")[2] if entry.operation == "getPet" else None


def _bodies(bodies: Sequence[_Body]) -> list[Line]:
    """The bodies in pieces. The first is held against all others, each other against the first."""
    texts, notes = zip(*(_cut(visible_bytes(body.content)) for body in bodies), strict=True)
    chunks = [_CHUNK.findall(text) for text in texts]
    keys = [
        [_key(chunk, body, in_list=text.lstrip().startswith("[")) for chunk in mine]
        for mine, text, body in zip(chunks, texts, bodies, strict=True)
    ]
    for mine, own, note in zip(chunks, keys, notes, strict=True):
        if note:  # the last member is half a one
            last = max((place for place, chunk in enumerate(mine) if chunk in "{}[],"), default=-1)
            own[last + 1 :] = [""] * (len(own) - last - 1)
    marked = [set[int]() for _ in bodies]
    for number in range(1, len(bodies)):
        ours, theirs = _unlike(keys[0], keys[number], cut=(bool(notes[0]), bool(notes[number])))
        marked[0] |= ours
        marked[number] |= theirs
    return [
        _joined(mine, at) + ((Piece(note),) if note else ())
        for mine, at, note in zip(chunks, marked, notes, strict=True)
    ]


def _cut(text: str) -> tuple[str, str]:
    """Visible text, and the note at its end that tells that it was cut; empty where it was not."""
    note = _NOTE.search(text)
    return (text[: note.start()], note[0]) if note else (text, "")


def _key(chunk: str, body: _Body, *, in_list: bool) -> str:
    """What a chunk is compared by; empty for what is passed over: space, and the status of an animal on a page."""
    if chunk.isspace() or (in_list and chunk == ","):
        return ""
    member = _MEMBER.fullmatch(chunk)
    if member is None:
        return settled(chunk, body.run)
    name, value = member[1], member[2]
    if in_list and name == "status" and not body.statuses_tell and value in _STATUSES:
        return ""
    if name == "id" and body.asked_id is not None:
        return f"id:{'asked for' if value == body.asked_id else _kind(value)}"
    if (in_list and name == "name") or (member_is_volatile(name) and (in_list or name != "categoryId")):
        return f"{name}:{_kind(value)}"
    return f"{name}:{settled(value, body.run)}"


def _kind(value: str) -> str:
    """What a scalar of JSON is: a value that changes from run to run is at least of the same kind each time."""
    if value.startswith('"'):
        return "text"
    return "integer" if re.fullmatch(r"-?\d+", value) else value


def _unlike(ours: Sequence[str], theirs: Sequence[str], cut: tuple[bool, bool]) -> tuple[set[int], set[int]]:
    """The places of what only the one, and only the other, has. What lies beyond the end of one that was `cut` is none
    of it: the rest may hold it.
    """
    mine = [place for place, key in enumerate(ours) if key]
    others = [place for place, key in enumerate(theirs) if key]
    left, right = [ours[place] for place in mine], [theirs[place] for place in others]
    unlike: tuple[set[int], set[int]] = (set(), set())
    for start, end, other_start, other_end in _changes(left, right):
        at_end = end == len(mine) and other_end == len(others)
        if not (at_end and cut[1]):
            unlike[0].update(mine[start:end])
        if not (at_end and cut[0]):
            unlike[1].update(others[other_start:other_end])
    return unlike


def _changes(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """The stretches of either that the other has not; one stretch where finding more of them would take too long."""
    if len(left) * len(right) <= _STEPS:
        codes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
        return [places for tag, *places in codes if tag != "equal"]  # type: ignore[misc]
    start = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(left, right, strict=False)))
    rest = min(len(left), len(right)) - start
    pairs = zip(reversed(left), reversed(right), strict=False)
    end = min(rest, sum(1 for _ in takewhile(lambda both: both[0] == both[1], pairs)))
    stretch = (start, len(left) - end, start, len(right) - end)
    return [stretch] if stretch[0] < stretch[1] or stretch[2] < stretch[3] else []


def _joined(chunks: Sequence[str], marked: set[int]) -> Line:
    """Chunks as pieces, neighbours of one kind together; a space between two marked ones is marked too."""
    pieces: list[Piece] = []
    for place, chunk in enumerate(chunks):
        differs = place in marked or (chunk.isspace() and place - 1 in marked and place + 1 in marked)
        if pieces and pieces[-1].differs == differs:
            pieces[-1] = Piece(pieces[-1].text + chunk, differs)
        else:
            pieces.append(Piece(chunk, differs))
    return tuple(pieces)
