"""One message of an exchange in pieces, those marked that decide a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from petcheck.reports.har import Evidence
from petcheck.reports.pointed import span
from petcheck.reports.visible import BODY_LIMIT, visible

HEADERS = 40
"""Headers of one message that a report shows."""

_BESIDE = 700  # characters of a body that is shown for a part that decides
_AROUND = 200  # at least on either side of that part, where it is far into a body
_FIRST = 100  # of such a body


@dataclass(frozen=True, slots=True)
class Piece:
    """Visible text, and whether it is what decides."""

    text: str
    decides: bool = False


def words(evidence: Evidence, part: str) -> str:
    """What decides, in words of which backticks mark code; empty where that is the whole exchange."""
    kind, _, which = part.partition(":")
    if evidence.error is not None or not kind:
        return ""
    if kind == "header":
        there = any(name.lower() == which.lower() for name, _ in evidence.response_headers)
        return f"by its header `{visible(which)}`" if there else f"by having no header `{visible(which)}`"
    if kind == "status":
        return "by its status"
    if not evidence.response_body:
        return "by its body, which is empty"
    *_, last = which.split("/")
    if last.isdecimal():
        return f"by item {int(last) + 1} of its body"
    return f"by `{visible(last)}` in its body" if last else "by its body"


def headers(listed: Sequence[tuple[str, str]], part: str = "") -> Iterator[Piece]:
    """The headers of a message, a line each; `part` may be `header:Name`."""
    wanted = part.removeprefix("header:").lower() if part.startswith("header:") else None
    shown = listed[:HEADERS]
    # a header that decides is shown wherever it stands
    shown = [*shown, *(pair for pair in listed[HEADERS:] if pair[0].lower() == wanted)]
    for number, (name, value) in enumerate(shown):
        yield Piece("\n" if number else "")
        yield Piece(f"{visible(name)}: {visible(value)}", name.lower() == wanted)
    if len(listed) > len(shown):
        yield Piece(f"\n[cut at {len(shown)} of {len(listed)} headers, whole in exchanges.har]")


def body(raw: bytes, part: str = "") -> Iterator[Piece]:
    """A body, with what decides shown wherever in it that stands; `part` may be `body` or `body:` and a pointer.

    Beside a part that decides, whichever it is, less of the rest is shown than of a body alone.
    """
    text = raw.decode("utf-8", "backslashreplace")
    kind, _, pointer = part.partition(":")
    place = span(text, pointer) if kind == "body" and pointer else None
    limit = _BESIDE if part and part != "body" else BODY_LIMIT
    if place is None:
        yield Piece(visible(text, limit, lines=True), kind == "body")
        return
    begin, end = place
    near = begin - _AROUND
    if end > limit and near > _FIRST:
        yield Piece(_whole(text[:_FIRST]))
        yield Piece(f" … [{near - _FIRST:,} characters left out, whole in exchanges.har] … ")
        yield Piece(_whole(text[near:begin]))
    else:
        yield Piece(_whole(text[:begin]))
    yield Piece(visible(text[begin:end], BODY_LIMIT, lines=True), decides=True)
    last = max(limit, end + _AROUND)
    yield Piece(_whole(text[end:last]))
    if len(text) > last:
        yield Piece(f" … [cut at {last:,} of {len(text):,} characters, whole in exchanges.har]")


def _whole(text: str) -> str:
    return visible(text, len(text), lines=True)
