"""Sorts out what a HAR holds: which exchanges are with the four operations, below which base URL, with which key.

What it comes to is a stream, so that it is judged as a run is. Nothing is sent.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

from petcheck.call import Credential
from petcheck.errors import NotARun, NotEvidence
from petcheck.exchange import Exchange, Request
from petcheck.results.judge import suite
from petcheck.sanitize import printable
from petcheck.spec.figures import BASE_SEGMENT, RATE_HEADERS, RETRY_AFTER
from petcheck.spec.operations import Operation
from petcheck.stream.entries import shared
from petcheck.stream.environment import environment
from petcheck.stream.har_reader import head_and_entries
from petcheck.stream.lines import End, Head, Opened, RunSettings, TargetSettings
from petcheck.stream.shown_keys import can_be, is_expression
from petcheck.stream.stream import TOO_HEAVY, WEIGHT_CAP, Stream, checked, weight_of
from petcheck.traffic.bodies import LeftAlone
from petcheck.traffic.masks import Masks
from petcheck.traffic.rows import Row, in_order, without_redirects, without_repeats
from petcheck.traffic.secrets import secrets_of
from petcheck.traffic.seen import Seen, method_of, plain, seen_of, url_of
from petcheck.wire.credentials import VARIABLE, ApiKey

TARGET = "traffic"
_FIRST_ERROR = 400
_NAMED = 6  # base URLs in a message
_WINDOW_S = 60.0  # until a 429 without readable seconds surely ends
_PATHS = {operation: re.escape(operation.path).replace(r"\{petId\}", "[^/]+") for operation in Operation}
_OPERATION = re.compile(f"(?P<base>.*?)(?P<below>{'|'.join(_PATHS.values())})")
_SIGNS_OF_A_KEY = 2
_OTHER_SCHEMES = {
    "apikey": Credential.SIX_LETTERS,
    "basic": Credential.BASIC,
    "digest": Credential.SIX_LETTERS,
    "token": Credential.TOKEN,
}
_SCHEMES = frozenset(("bearer", "basic", "token", "digest", "apikey", "key", "negotiate", "ntlm", "aws4-hmac-sha256"))
_MASK_WORD = re.compile(
    r"\W*(your[-_ ]?)?(mask|filter|saniti[sz]|strip|censor|scrub|obfuscat|omit|conceal|secret|private|confidential|api|"
    r"access|auth|token|key|value|placeholder|null|none|undefined|[-_ ]|ed|d)+\W*",
    re.IGNORECASE,
)
_REDACTED = re.compile(r"redact|\*\*\*|\$|<|\[|^\s*$|hidden|removed|xxxx", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ForeignTraffic:
    """The exchanges of a HAR with the four operations below a base URL.

    `entries` counts all that the HAR holds, `left_alone` those that show nothing, by reason. `key` is the fingerprint
    of the key that was used most.
    """

    base_url: str
    exchanges: tuple[Exchange, ...]
    entries: int
    left_alone: Counter[str]
    key: str | None


def sorted_out(path: Path, base_url: str | None, own_key: str | None) -> ForeignTraffic:
    """The traffic in a HAR; `base_url` is worked out where it is None, `own_key` is valid for certain.

    Raises NotARun if the file is not a HAR, is too large, or has several base URLs.
    """
    name = printable(str(path))
    chosen = None if base_url is None else plain(base_url)
    secrets: set[str] = set() if own_key is None else {own_key}
    candidates: list[tuple[str, Operation, Seen]] = []
    left_alone: Counter[str] = Counter()
    scheme = urlsplit(chosen).scheme if chosen else None
    entries = weight = 0
    try:
        for entry in islice(head_and_entries(path), 1, None):
            entries += 1
            secrets.update(secrets_of(entry))
            url = url_of(entry, scheme)
            place = _place(url, method_of(entry), chosen)
            if place is None:
                continue
            try:
                seen = seen_of(entry, url)
            except LeftAlone as reason:
                left_alone[str(reason)] += 1
                continue
            weight += weight_of((*seen.request_headers, *seen.answer.headers), seen.answer.body, seen.request_body)
            if weight > WEIGHT_CAP:
                raise NotEvidence(TOO_HEAVY)
            candidates.append((*place, seen))
    except OSError as error:
        raise NotARun(f"{name} cannot be read: {error.strerror}") from None
    except NotEvidence as error:
        raise NotARun(f"{name} {printable(str(error), 200)}") from None
    base = chosen or _base_of(candidates, name, secrets)
    rows = in_order([(operation, seen) for found, operation, seen in candidates if found == base])
    candidates.clear()
    kept = without_repeats(_with_empty_bodies(rows))
    left_alone["recorded twice"] += len(rows) - len(kept)
    keys = _Keys(kept, own_key)
    rows = without_redirects(kept, lambda seen: keys.of(seen)[0])
    left_alone["with a redirect, which another server may have sent"] += len(kept) - len(rows)
    masks = Masks(keys.tokens, secrets)
    kept.clear()
    exchanges = tuple(_exchanges(base, rows, keys, masks))
    return ForeignTraffic(masks.in_base(base), exchanges, entries, +left_alone, keys.fingerprint)


def _with_empty_bodies(rows: Sequence[Row]) -> list[Row]:
    """The rows, where a body that is said to be empty is: another one to that operation has its body."""

    def kind(row: Row) -> tuple[Operation, int]:
        return row.operation, row.seen.answer.status // 100

    kinds = {kind(row) for row in rows if row.seen.answer.body}

    def told(row: Row) -> Row:
        seen, answer = row.seen, row.seen.answer
        is_empty = seen.said_empty and kind(row) in kinds
        return replace(row, seen=replace(seen, answer=replace(answer, body_complete=True))) if is_empty else row

    return [told(row) for row in rows]


# ---- the base URL


def _place(url: str, method: str, base_url: str | None) -> tuple[str, Operation] | None:
    """The base URL and the operation of a request; None for any other operation."""
    parts = urlsplit(url)
    found = _OPERATION.fullmatch(parts.path) if parts.scheme in ("http", "https") and parts.netloc else None
    if found is None:
        return None
    base, below = f"{parts.scheme}://{parts.netloc}{found['base']}", found["below"]
    if base_url is not None:
        if not url.startswith(f"{base_url.rstrip('/')}/"):
            return None
        base, below = base_url, parts.path.removeprefix(urlsplit(base_url).path)
    for operation in Operation:
        if method == operation.method and re.fullmatch(_PATHS[operation], below):
            return base, operation
    return None


def _base_of(candidates: Sequence[tuple[str, Operation, Seen]], name: str, secrets: Iterable[str]) -> str:
    """The base URL of a HAR: one that shows the document's headers, or ends as the document says, goes first."""
    bases = list(dict.fromkeys(base for base, _, _ in candidates))
    if not bases:
        return ""
    limited = {base for base, _, seen in candidates if any(map(seen.answer.header, RATE_HEADERS))}
    segment = f"/{BASE_SEGMENT}"
    for some in (bases, [one for one in bases if one in limited], [one for one in bases if one.endswith(segment)]):
        if len(some) == 1:
            return some[0]
    masks = Masks((), secrets)
    named = ", ".join(printable(masks.in_base(base)) for base in bases[:_NAMED])
    more = f" and {len(bases) - _NAMED} more" if len(bases) > _NAMED else ""
    raise NotARun(f"{name} has several base URLs: {named}{more}; choose one with --base-url")


# ---- the key


class _Keys:
    """The credential of each request, as far as its header shows it."""

    def __init__(self, rows: Sequence[Row], own_key: str | None) -> None:
        tokens = Counter[str]()
        # a key may be issued or revoked during the recording: a 401 counts only after one answer that accepts it and
        # before a request whose answer does
        self._from: dict[str, datetime] = {}
        self._until: dict[str, datetime] = {}
        self._banned = _banned(rows)
        self._times = {id(row.seen): (row.sent, row.sent + timedelta(seconds=row.seconds)) for row in rows}
        for row in rows:
            token = _token(row.seen)
            if token and row.seen.answer.status < 300:
                tokens[token] += 1
                sent, came = self._times[id(row.seen)]
                self._from[token] = min(came, self._from.get(token, came))
                self._until[token] = sent
        used = [token for token, _ in tokens.most_common()]
        self._valid = list(dict.fromkeys([own_key, *used] if own_key else used))
        shown = [row.seen for row in rows if row.seen.authorization is not None]
        self._recorded = bool(shown)
        # a recorder may mask a key by cutting it off
        self._emptied = not any(map(_token, shown)) and any(
            (seen.authorization or "").strip() == "Bearer" and seen.answer.status < 300 for seen in shown
        )
        self.tokens = list(dict.fromkeys([*self._valid, *filter(None, map(_token, shown))]))
        """Every token that was sent, the valid ones first."""
        self.fingerprint = ApiKey(self._valid[0]).fingerprint if self._valid else None

    def of(self, seen: Seen) -> tuple[Credential, str | None]:
        """The credential of a request, and its header as a report shows it."""
        credential, shown = self._in_header(seen)
        beside = seen.secret_elsewhere and credential is not Credential.VALID
        return (Credential.UNKNOWN if beside else credential), shown

    def _in_header(self, seen: Seen) -> tuple[Credential, str | None]:
        header = seen.authorization
        if header is not None and (_is_redacted(header) or (self._emptied and header.strip() == "Bearer")):
            said = _credential(seen.credential, header)
            return (said, _shown(said, header)) if said else (self._by_status(seen), "Bearer [redacted]")
        if header is None:
            return (Credential.MISSING if self._recorded and not seen.headless else self._by_status(seen)), None
        scheme, _, rest = header.strip().partition(" ")
        token = rest.strip()
        if not token and scheme in self._valid:
            return Credential.NO_SCHEME, VARIABLE
        if scheme.lower() == "bearer" and not token:
            return Credential.EMPTY, "Bearer"
        if token not in self._valid:
            return Credential.UNKNOWN, f"{_scheme(scheme)} [redacted]".lstrip()
        shown = f"{_scheme(scheme)} {self._variable(token)}".lstrip()
        if scheme == "Bearer":
            return (Credential.UNKNOWN if self._may_be_out(seen, token) else Credential.VALID), shown
        return _OTHER_SCHEMES.get(scheme.lower(), Credential.UNKNOWN), shown

    def _may_be_out(self, seen: Seen, token: str) -> bool:
        sent, came = self._times[id(seen)]
        if seen.answer.status == 403:
            return token in self._banned and self._banned[token] <= sent
        accepted = token in self._from and self._from[token] < sent and came < self._until[token]
        return seen.answer.status == 401 and not accepted

    def _variable(self, token: str) -> str:
        place = self._valid.index(token)
        return VARIABLE if place == 0 else f"{VARIABLE}_{place + 1}"

    @staticmethod
    def _by_status(seen: Seen) -> Credential:
        """Where no key was recorded: what was served had one."""
        refused = seen.answer.status in (401, 403) or 300 <= seen.answer.status < 400
        return Credential.UNKNOWN if refused else Credential.VALID


def _banned(rows: Iterable[Row]) -> dict[str, datetime]:
    """From when on a token may be banned: its requests did not wait for the end of a `Retry-After` (section 8)."""
    limited: dict[str, datetime] = {}
    found: dict[str, datetime] = {}
    for row in rows:
        token = _token(row.seen) or ""
        if token in limited and row.sent < limited[token]:
            found.setdefault(token, row.sent)
        if row.seen.answer.status == 429:
            pause = row.seen.answer.header(RETRY_AFTER) or ""
            wait = float(pause) if re.fullmatch("[0-9]{1,5}", pause) else _WINDOW_S
            limited[token] = row.sent + timedelta(seconds=row.seconds + wait)
    return found


def _token(seen: Seen) -> str | None:
    scheme, _, token = (seen.authorization or "").strip().partition(" ")
    return token.strip() or None if scheme == "Bearer" and not _is_redacted(token) else None


def _is_redacted(header: str) -> bool:
    scheme, _, rest = header.strip().partition(" ")
    token = rest.strip() or scheme
    # of one letter or digit over and over, or of none
    mask = len(set(filter(str.isalnum, token.lower()))) < _SIGNS_OF_A_KEY or _MASK_WORD.fullmatch(token)
    return header.strip() != "Bearer" and bool(mask or _REDACTED.search(header))


def _credential(text: str | None, header: str) -> Credential | None:
    """The credential that our own extension names, unless the header contradicts it."""
    found = next((one for one in Credential if one.value == text), None)
    return found if found is not None and can_be(found, header) else None


def _shown(credential: Credential, header: str) -> str:
    """A header whose key was masked, as a report shows it."""
    if is_expression(header):
        return header
    scheme = header.rpartition(" ")[0]
    return f"Bearer {VARIABLE}" if credential is Credential.VALID else f"{_word(scheme)} [redacted]".lstrip()


def _scheme(word: str) -> str:
    """A scheme that is known; any other first word may be a key."""
    return word if word.lower() in _SCHEMES else ""


def _word(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9-]{0,20}", text) else "[redacted]"


# ---- exchanges


def _exchanges(base: str, rows: list[Row], keys: _Keys, masks: Masks) -> Iterator[Exchange]:
    """The rows as exchanges; each row is dropped when its exchange is made, since both need memory."""
    shown_base, first = masks.in_base(base), rows[0].sent if rows else None
    rows.reverse()
    for index in range(len(rows)):
        row = rows.pop()
        seen, answer = row.seen, row.seen.answer
        credential, shown = keys.of(seen)
        sent = (row.sent - first).total_seconds() if first else 0.0
        sent_headers = (shared(*masks.in_header(*header)) for header in seen.request_headers)
        headers = (*sent_headers, *((("Authorization", shown),) if shown is not None else ()))
        yield Exchange(
            index=index,
            target=TARGET,
            request=Request(
                row.operation,
                row.operation.method,
                shown_base + _below(seen.url[len(base) :], masks),
                headers,
                None if seen.request_body is None else masks.in_body(seen.request_body),
                credential,
            ),
            answer=replace(
                answer,
                reason=masks.in_text(answer.reason),
                http_version=masks.in_text(answer.http_version),
                headers=tuple(shared(*masks.in_header(*header)) for header in answer.headers),
                body=masks.in_body(answer.body, error=answer.status >= _FIRST_ERROR),
            ),
            started=row.sent,
            sent=sent,
            finished=sent + row.seconds,
            section=row.operation.section,
        )


def _below(path: str, masks: Masks) -> str:
    """The part of a URL below the base URL: only the id and the parameters may be secret."""
    path, mark, query = path.partition("?")
    before, slash, last = path.rpartition("/")
    fixed = any(path == operation.path for operation in Operation)
    return (path if fixed else before + slash + masks.in_text(last)) + mark + masks.in_text(query)


# ---- as a stream, so that it is judged as a run is

SETTINGS = RunSettings(0, 0.0, 0, seed_given=False, strict=False, traffic=True)
"""Nothing was sent, so nothing steered it."""


def stream_of(traffic: ForeignTraffic) -> Stream:
    """The stream that traffic comes to, to be judged as on the day of its last exchange."""
    exchanges = traffic.exchanges
    started = exchanges[0].started if exchanges else datetime.fromtimestamp(0, UTC)
    finished = max((one.started + timedelta(seconds=one.elapsed) for one in exchanges), default=started)
    head = Head(
        suite=suite(),
        run=name_of(exchanges),
        started=started,
        as_of=max((one.started for one in exchanges), default=started).date(),
        seed=0,
        options={},
        settings=SETTINGS,
        targets=(TargetSettings(TARGET, traffic.base_url, writes=True),),
        environment=environment(),
    )
    return checked([head, Opened(TARGET, traffic.base_url, traffic.key), *exchanges, End(finished)])


def name_of(exchanges: Sequence[Exchange]) -> str:
    """A name that the same traffic always has."""
    digest = hashlib.sha256()
    for exchange in exchanges:
        digest.update(f"{exchange.started.isoformat()} {exchange.request.url}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:8]
