"""An exchange as text: in a few words, and its messages in pieces, with the part that decides a verdict marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from petcheck.exchange import Exchange
from petcheck.reports.json_pointer import first_mistake, span
from petcheck.results.result import Result
from petcheck.sanitize import BODY_LIMIT, HEADER_LIMIT, comma_list, printable
from petcheck.stream.curl import curl_in_turn, curl_line
from petcheck.words import plural

_BREAK = re.compile(r"\s*\n\s*")  # other spaces may be what is wrong
_TOKEN = re.compile(r"-?\w+|.", re.DOTALL)
_BESIDE = 700  # characters shown of a body if one part of the exchange decides
_AROUND = 200  # characters shown at least on either side of that part, if it is far into the body
_FIRST = 100  # characters shown of the beginning of a body that is cut so
_NAMES = 12  # headers of an answer that lacks one
_ONE_LINE = 240  # characters shown of a body in one line


@dataclass(frozen=True, slots=True)
class Marked:
    """Printable text, and whether to mark it: it decides, or differs from the text beside it."""

    text: str
    marked: bool = False


def request_of(exchange: Exchange, result: Result) -> str:
    """The method, and the URL below the target's base URL."""
    base = next((target.base_url for target in result.targets if target.name == exchange.target), "")
    return f"{printable(exchange.request.method, 20)} {printable(exchange.request.path_below(base))}"


def curl_of(exchange: Exchange, *, short: bool = False, before: Exchange | None = None) -> str:
    """The `curl` line that sends the request again; `short` as in `curl_line`.

    It sends that of the exchange `before` first, on the same connection.
    """
    served = exchange.log is not None
    both = "" if before is None else curl_in_turn([before.request, exchange.request], short=short, served=served)
    return both or curl_line(exchange.request, short=short, served=served)


def status_or_error(exchange: Exchange) -> str:
    """The status, or why there was no answer."""
    return str(exchange.status) if exchange.status is not None else f"no answer ({printable(str(exchange.answer), 80)})"


def milliseconds(exchange: Exchange) -> str:
    """The duration, to about three digits."""
    duration = round(max(exchange.elapsed, 0.0) * 1000, 3)  # as a HAR keeps it
    return f"{duration:,.0f} ms" if duration >= 10 else f"{duration:.1f} ms"


def lasting(seconds: float) -> str:
    """The length of a span that may be long."""
    return f"{seconds:,.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def decided_by(evidence: Exchange, part: str) -> str:
    """The part that decides, in words, with backticks around code; empty if the whole exchange decides."""
    kind, _, which = part.partition(":")
    if evidence.status is None or not kind:
        return ""
    if kind == "header":
        sent = any(name.lower() == which.lower() for name, _ in evidence.heard.headers)
        return f"by its header `{printable(which)}`" if sent else f"by having no header `{printable(which)}`"
    if kind == "status":
        return "by its status"
    if not evidence.heard.body:
        return "by its body, which is empty"
    *_, last = which.split("/")
    if last.isdecimal():
        return f"by item {int(last) + 1} of its body"
    return f"by `{printable(last)}` in its body" if last else "by its body"


def header_pieces(pairs: Sequence[tuple[str, str]], part: str = "") -> Iterator[Marked]:
    """The headers of a message, one per line; `part` may be `header:Name`."""
    wanted = part.removeprefix("header:").lower() if part.startswith("header:") else None
    shown = pairs[:HEADER_LIMIT]
    # the deciding header is shown even beyond the limit
    shown = [*shown, *(pair for pair in pairs[HEADER_LIMIT:] if pair[0].lower() == wanted)]
    for number, (name, value) in enumerate(shown):
        yield Marked("\n" if number else "")
        yield Marked(f"{printable(name)}: {printable(value)}", name.lower() == wanted)
    if len(pairs) > len(shown):
        yield Marked(f"\n[cut at {len(shown)} of {len(pairs)} headers, whole in exchanges.jsonl]")


def body_pieces(raw: bytes, part: str = "") -> Iterator[Marked]:
    """A body, cut so that the deciding part is shown; `part` may be `body`, or `body:` and a JSON pointer.

    Less of the body is shown than usual if a part of the exchange decides.
    """
    text = raw.decode("utf-8", "backslashreplace")
    kind, _, pointer = part.partition(":")
    place = span(text, pointer) if kind == "body" and pointer else None
    limit = _BESIDE if part and part != "body" else BODY_LIMIT
    if place is None:
        yield Marked(printable(text, limit, lines=True), kind == "body")
        return
    begin, end = place
    near = begin - _AROUND
    if end > limit and near > _FIRST:
        yield Marked(_uncut(text[:_FIRST]))
        yield Marked(f" … [{plural(near - _FIRST, 'character')} left out, whole in exchanges.jsonl] … ")
        yield Marked(_uncut(text[near:begin]))
    else:
        yield Marked(_uncut(text[:begin]))
    yield Marked(printable(text[begin:end], BODY_LIMIT, lines=True), marked=True)
    last = max(limit, end + _AROUND)
    yield Marked(_uncut(text[end:last]))
    if len(text) > last:
        yield Marked(f" … [cut at {last:,} of {len(text):,} characters, whole in exchanges.jsonl]")


def answer_line(evidence: Exchange, part: str) -> str:
    """The part of an answer that decides, in one line; empty if there is nothing to show of it."""
    return "".join(piece.text for piece in answer_pieces(evidence, part))


def answer_pieces(evidence: Exchange, part: str) -> tuple[Marked, ...]:
    """The same line in pieces, with what decides marked."""
    kind, _, which = part.partition(":")
    if kind == "header":
        values = [value for name, value in evidence.heard.headers if name.lower() == which.lower()]
        shown = f"{printable(which)}: {printable(', '.join(values))}" if values else _without(evidence, which)
        return (Marked(shown),)
    excerpt = _excerpt(evidence.heard.body, part)
    shown = "".join(piece.text for piece in excerpt)
    return (Marked(status_or_error(evidence), kind == "status"), Marked(" "), *excerpt) if shown else ()


def _without(evidence: Exchange, name: str) -> str:
    """The headers of an answer that lacks one: it may be there under another name."""
    names = list(dict.fromkeys(printable(sent, 40) for sent, _ in evidence.heard.headers))
    there = comma_list(names, _NAMES, quote=str) if names else "no header at all"
    return f"{status_or_error(evidence)} without {printable(name)}; it has {there}"


def _excerpt(raw: bytes, part: str) -> tuple[Marked, ...]:
    """Some of a body in one line, around the part that decides."""
    text = raw.decode("utf-8", "backslashreplace")
    kind, _, pointer = part.partition(":")
    begin, end = _place(text, pointer) if kind == "body" else (0, 0)
    half, quarter = _ONE_LINE // 2, _ONE_LINE // 4
    first = max(0, min(begin, end - half if end - begin > half else begin - quarter))
    first = first if first > quarter else 0
    last = max(first + _ONE_LINE, min(end, first + 2 * _ONE_LINE))
    before, decides, after = (
        _BREAK.sub(" ", _uncut(text[one:other]))
        for one, other in ((first, max(begin, first)), (max(begin, first), min(end, last)), (min(end, last), last))
    )
    pieces = (
        Marked("… " * (first > 0)),
        Marked(before.lstrip() if first == 0 else before),
        Marked(decides, marked=bool(decides)),
        Marked(after.rstrip()),
        Marked(" …" * (last < len(text))),
    )
    return tuple(piece for piece in pieces if piece.text)


def _place(text: str, pointer: str) -> tuple[int, int]:
    """Start and end of the value at a JSON pointer, or of the first place where the text is not JSON."""
    if not pointer:
        wrong = first_mistake(text)
        word = None if wrong is None else _TOKEN.match(text, wrong)
        if word is None:  # JSON, or cut: its end shows that
            return (wrong or 0, wrong or 0)
        return word.span() if wrong else (0, 0)
    return span(text, pointer) or (0, 0)


def _uncut(text: str) -> str:
    return printable(text, len(text), lines=True)
