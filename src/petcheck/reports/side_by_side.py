"""Splits exchanges that are shown side by side into printable pieces, and marks the pieces that differ.

Values that change from run to run are not marked, nor are the animals on a page: two stores hold different animals.
Texts are cut at the limits of every report before they are compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from urllib.parse import urlsplit

from petcheck.comparison.normalize import header_varies, member_varies, normalized, request_path
from petcheck.exchange import Exchange
from petcheck.reports.exchange_text import Piece
from petcheck.sanitize import BODY_LIMIT, HEADER_LIMIT, printable, printable_parts
from petcheck.spec.figures import STATUSES
from petcheck.spec.operations import Operation

# a member with its scalar value, a bracket, a run of other characters, or space
_CHUNK = re.compile(
    r'"(?:[^"\\]|\\.)*"(?:\s*:\s*(?:"(?:[^"\\]|\\.)*"|[^\s\[\]{},"]+))?|[\[\]{},]|\s+|[^\s"\[\]{},]+|.', re.DOTALL
)
_STEPS = 250_000  # a tenth of a second
_STATUSES = tuple(f'"{status}"' for status in STATUSES)
_MEMBER = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:\s*(.+)', re.DOTALL)

Line = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class AlignedExchange:
    """One exchange in lines of pieces. Without an answer, `status_line` holds the error."""

    entry: Exchange
    request_line: Line
    request_headers: tuple[Line, ...]
    request_body: Line
    status_line: Line
    response_headers: tuple[Line, ...]
    response_body: Line


def side_by_side(
    entries: Sequence[Exchange | None], base_urls: Sequence[str], runs: Sequence[str]
) -> tuple[AlignedExchange | None, ...]:
    """Corresponding exchanges, one for each side, with the differences marked; None stays None.

    `base_urls` and `runs` are those of the sides.
    """
    given = [(entry, base, run) for entry, base, run in zip(entries, base_urls, runs, strict=True) if entry is not None]
    contexts = [(urlsplit(base).netloc, run) for _, base, run in given]
    paths = [request_path(entry, base) for entry, base, _ in given]
    filtered = any("status=" in path for path in paths)
    statuses = [_status_parts(entry) for entry, _, _ in given]
    aligned = map(
        AlignedExchange,
        (entry for entry, _, _ in given),
        (
            (Piece(f"{printable(e.request.method, 20)} "), Piece(printable(e.request.url), len(set(paths)) > 1))
            for e, _, _ in given
        ),
        _headers([entry.request.headers for entry, _, _ in given], contexts),
        _bodies([_Body(entry.request.body or b"", run) for entry, _, run in given]),
        (
            tuple(Piece(part, any(other[at : at + 1] != [part] for other in statuses)) for at, part in enumerate(parts))
            for parts in statuses
        ),
        _headers([entry.heard.headers for entry, _, _ in given], contexts),
        _bodies([_Body(e.heard.body, run, _id_asked_for(e), statuses_count=filtered) for e, _, run in given]),
    )
    return tuple(next(aligned) if entry is not None else None for entry in entries)


def _status_parts(entry: Exchange) -> list[str]:
    if entry.status is None:
        return [printable(str(entry.answer))]
    return [printable(entry.heard.http_version, 40), str(entry.status), printable(entry.heard.reason)]


def _headers(
    messages: Sequence[Sequence[tuple[str, str]]], contexts: Sequence[tuple[str, str]]
) -> list[tuple[Line, ...]]:
    """The header lines of each message; a name that another message lacks is marked, otherwise a value that it lacks.

    `contexts` are the host and the run's id of each side.
    """

    def kept(name: str, value: str, context: tuple[str, str]) -> str:
        own, run = context
        return "" if header_varies(name) else normalized(value.replace(own, "{host}") if own else value, run)

    known = [
        {(name.lower(), kept(name, value, context)) for name, value in message}
        for message, context in zip(messages, contexts, strict=True)
    ]
    names = [{name for name, _ in pairs} for pairs in known]
    made = []
    for message, context in zip(messages, contexts, strict=True):
        lines: list[Line] = []
        for name, value in message[:HEADER_LIMIT]:
            key = name.lower()
            missing = any(key not in others for others in names)
            other = any((key, kept(name, value, context)) not in pairs for pairs in known)
            lines.append((Piece(f"{printable(name)}: ", missing), Piece(printable(value), missing or other)))
        if len(message) > HEADER_LIMIT:
            lines.append((Piece(f"[cut at {HEADER_LIMIT} of {len(message)} headers, whole in exchanges.jsonl]"),))
        made.append(tuple(lines))
    return made


@dataclass(frozen=True, slots=True)
class _Body:
    """A body, the run's id and the requested id that may occur in it, and whether the animals' status counts."""

    content: bytes
    run: str
    asked_id: str | None = None
    statuses_count: bool = True


def _id_asked_for(entry: Exchange) -> str | None:
    return entry.request.url.rpartition("/")[2] if entry.request.operation is Operation.GET_PET else None


def _bodies(bodies: Sequence[_Body]) -> list[Line]:
    """The bodies in pieces. The first is compared with all others, each other one with the first."""
    texts, notes = zip(
        *(printable_parts(body.content.decode("utf-8", "backslashreplace"), BODY_LIMIT, lines=True) for body in bodies),
        strict=True,
    )
    chunks = [_CHUNK.findall(text) for text in texts]
    keys = [
        [_key(chunk, body, in_list=text.lstrip().startswith("[")) for chunk in mine]
        for mine, text, body in zip(chunks, texts, bodies, strict=True)
    ]
    for mine, own, note in zip(chunks, keys, notes, strict=True):
        if note:  # the cut may split the last member
            last = max((place for place, chunk in enumerate(mine) if chunk in "{}[],"), default=-1)
            own[last + 1 :] = [""] * (len(own) - last - 1)
    marked = [set[int]() for _ in bodies]
    for number in range(1, len(bodies)):
        ours, theirs = _differing(keys[0], keys[number], cut=(bool(notes[0]), bool(notes[number])))
        marked[0] |= ours
        marked[number] |= theirs
    return [
        _joined(mine, at) + ((Piece(note),) if note else ())
        for mine, at, note in zip(chunks, marked, notes, strict=True)
    ]


def _key(chunk: str, body: _Body, *, in_list: bool) -> str:
    """The text by which a chunk is compared; empty if it is ignored: space, and the status of an animal on a page."""
    if chunk.isspace() or (in_list and chunk == ","):
        return ""
    member = _MEMBER.fullmatch(chunk)
    if member is None:
        return normalized(chunk, body.run)
    name, value = member[1], member[2]
    if in_list and name == "status" and not body.statuses_count and value in _STATUSES:
        return ""
    if name == "id" and body.asked_id is not None:
        return f"id:{'asked for' if value == body.asked_id else _kind(value)}"
    if (in_list and name == "name") or (member_varies(name) and (in_list or name != "categoryId")):
        return f"{name}:{_kind(value)}"
    return f"{name}:{normalized(value, body.run)}"


def _kind(value: str) -> str:
    """The type of a JSON scalar: its value may change from run to run, its type does not."""
    if value.startswith('"'):
        return "text"
    return "integer" if re.fullmatch(r"-?\d+", value) else value


def _differing(ours: Sequence[str], theirs: Sequence[str], cut: tuple[bool, bool]) -> tuple[set[int], set[int]]:
    """The positions in each sequence of items that the other lacks, except those that its `cut` end may hold."""
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
    """The ranges that the two do not share; all of both if finding them would take too long."""
    if len(left) * len(right) > _STEPS:
        return [(0, len(left), 0, len(right))] if left != right else []
    codes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return [places for tag, *places in codes if tag != "equal"]  # type: ignore[misc]


def _joined(chunks: Sequence[str], marked: set[int]) -> Line:
    """Chunks as pieces, with adjacent ones of one kind joined; a space between two marked chunks is marked too."""
    pieces: list[Piece] = []
    for place, chunk in enumerate(chunks):
        differs = place in marked or (chunk.isspace() and place - 1 in marked and place + 1 in marked)
        if pieces and pieces[-1].marked == differs:
            pieces[-1] = Piece(pieces[-1].text + chunk, differs)
        else:
            pieces.append(Piece(chunk, differs))
    return tuple(pieces)
