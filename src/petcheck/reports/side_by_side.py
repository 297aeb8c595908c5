"""Splits exchanges that are shown side by side into printable pieces, and marks the pieces that differ.

Values that change from run to run are not marked, nor are the animals on a page: two stores hold different animals.
Texts are cut at the limits of every report before they are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from urllib.parse import urlsplit

from petcheck.comparison.normalize import header_varies, member_varies, normalized, request_path
from petcheck.exchange import Exchange
from petcheck.reports.exchange_text import Marked
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

Line = tuple[Marked, ...]


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
            (
                Marked(f"{printable(e.request.method, 20)} "),
                Marked(printable(e.request.url), len(set(paths)) > 1),
            )
            for e, _, _ in given
        ),
        _headers([entry.request.headers for entry, _, _ in given], contexts),
        _bodies(_body(entry.request.body or b"", run) for entry, _, run in given),
        (
            tuple(
                Marked(part, any(other[at : at + 1] != [part] for other in statuses)) for at, part in enumerate(parts)
            )
            for parts in statuses
        ),
        _headers([entry.heard.headers for entry, _, _ in given], contexts),
        _bodies(_body(e.heard.body, run, _id_asked_for(e), statuses_count=filtered) for e, _, run in given),
    )
    return tuple(next(aligned) if entry is not None else None for entry in entries)


def _id_asked_for(entry: Exchange) -> str | None:
    return entry.request.url.rpartition("/")[2] if entry.request.operation is Operation.GET_PET else None


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
    compared = [
        [(name.lower(), "" if header_varies(name) else _without_context(value, *context)) for name, value in message]
        for message, context in zip(messages, contexts, strict=True)
    ]
    names = [{name for name, _ in pairs} for pairs in compared]
    made = []
    for message, pairs in zip(messages, compared, strict=True):
        lines: list[Line] = []
        for (name, value), pair in list(zip(message, pairs, strict=True))[:HEADER_LIMIT]:
            missing = any(pair[0] not in others for others in names)
            other = any(pair not in others for others in compared)
            lines.append((Marked(f"{printable(name)}: ", missing), Marked(printable(value), missing or other)))
        if len(message) > HEADER_LIMIT:
            lines.append((Marked(f"[cut at {HEADER_LIMIT} of {len(message)} headers, whole in exchanges.jsonl]"),))
        made.append(tuple(lines))
    return made


def _without_context(value: str, host: str, run: str) -> str:
    return normalized(value.replace(host, "{host}") if host else value, run)


@dataclass(frozen=True, slots=True)
class _Body:
    """A body in chunks, the text by which each is compared, the note that it was cut, and the places that differ."""

    chunks: list[str]
    keys: list[str]
    note: str
    marked: set[int] = field(default_factory=set)


def _body(content: bytes, run: str, asked_id: str | None = None, *, statuses_count: bool = True) -> _Body:
    """A body; the run's id and the requested id may occur in it, and the animals' status may count."""
    text, note = printable_parts(content.decode("utf-8", "backslashreplace"), BODY_LIMIT, lines=True)
    chunks, in_list = _CHUNK.findall(text), text.lstrip().startswith("[")
    keys = [_key(chunk, run, asked_id, in_list=in_list, statuses_count=statuses_count) for chunk in chunks]
    if note:  # the cut may split the last member
        last = max((place for place, chunk in enumerate(chunks) if chunk in "{}[],"), default=-1)
        keys[last + 1 :] = [""] * (len(keys) - last - 1)
    return _Body(chunks, keys, note)


def _bodies(bodies: Iterable[_Body]) -> list[Line]:
    """The bodies in pieces. The first is compared with all others, each other one with the first."""
    first, *others = bodies
    for other in others:
        _mark(first, other)
    return [_joined(one.chunks, one.marked) + ((Marked(one.note),) if one.note else ()) for one in (first, *others)]


def _key(chunk: str, run: str, asked_id: str | None, *, in_list: bool, statuses_count: bool) -> str:
    """The text by which a chunk is compared; empty if it is ignored: space, and the status of an animal on a page."""
    if chunk.isspace() or (in_list and chunk == ","):
        return ""
    member = _MEMBER.fullmatch(chunk)
    if member is None:
        return normalized(chunk, run)
    name, value = member[1], member[2]
    if in_list and name == "status" and not statuses_count and value in _STATUSES:
        return ""
    if name == "id" and asked_id is not None:
        return f"id:{'asked for' if value == asked_id else _kind(value)}"
    if (in_list and name == "name") or (member_varies(name) and (in_list or name != "categoryId")):
        return f"{name}:{_kind(value)}"
    return f"{name}:{normalized(value, run)}"


def _kind(value: str) -> str:
    """The type of a JSON scalar: its value may change from run to run, its type does not."""
    if value.startswith('"'):
        return "text"
    return "integer" if re.fullmatch(r"-?\d+", value) else value


def _mark(one: _Body, other: _Body) -> None:
    """Mark what each of two bodies has and the other lacks, except what the other's cut end may hold.

    Everything, if finding it would take too long.
    """
    mine = [place for place, key in enumerate(one.keys) if key]
    others = [place for place, key in enumerate(other.keys) if key]
    left, right = [one.keys[place] for place in mine], [other.keys[place] for place in others]
    if left == right:
        return
    codes = [("replace", 0, len(left), 0, len(right))]
    if len(left) * len(right) <= _STEPS:
        codes = list(SequenceMatcher(None, left, right, autojunk=False).get_opcodes())
    for tag, start, end, other_start, other_end in codes:
        at_end = end == len(mine) and other_end == len(others)
        if tag != "equal" and not (at_end and other.note):
            one.marked.update(mine[start:end])
        if tag != "equal" and not (at_end and one.note):
            other.marked.update(others[other_start:other_end])


def _joined(chunks: Sequence[str], marked: set[int]) -> Line:
    """Chunks as pieces, with adjacent ones of one kind joined; a space between two marked chunks is marked too."""
    pieces: list[Marked] = []
    for place, chunk in enumerate(chunks):
        differs = place in marked or (chunk.isspace() and place - 1 in marked and place + 1 in marked)
        if pieces and pieces[-1].marked == differs:
            pieces[-1] = Marked(pieces[-1].text + chunk, differs)
        else:
            pieces.append(Marked(chunk, differs))
    return tuple(pieces)
