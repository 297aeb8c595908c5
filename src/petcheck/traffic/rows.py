"""When each recorded exchange happened, which of them are one, and which were answered by something in front."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from urllib.parse import urlsplit

from petcheck.call import Credential
from petcheck.spec.operations import Operation
from petcheck.traffic.seen import Seen

_UNKNOWN_S = 60.0  # until then an answer may have come of which nobody knows when
_CLOCKS_S = 2.0  # two clocks that agree differ by less, since a Date is of the second
_LONGEST_S = 3600.0  # a recorder that says more has counted wrongly
_ROUNDED_S = 0.001  # what a start may have lost, and a time that is whole
_REDIRECTS = range(300, 400)
_SURELY_WITHOUT_A_KEY = (Credential.MISSING, Credential.EMPTY)


@dataclass(frozen=True, slots=True)
class Row:
    """An exchange, the earliest moment at which it may have begun, and the seconds until it surely had ended."""

    operation: Operation
    seen: Seen
    sent: datetime
    seconds: float


def in_order(found: Sequence[tuple[Operation, Seen]]) -> list[Row]:
    """Exchanges in the order in which they began; what a recorder does not say of times is taken as any order."""
    unit = _unit(seen.took for _, seen in found)
    behind = [behind for _, seen in found if (behind := _behind(seen)) is not None]
    usual = median(behind) if behind else 0.0
    begun = [_begun(seen, unit, usual) for _, seen in found]
    latest = next((moment for moment in begun if moment is not None), None) or datetime.now(UTC)
    rows = []
    for (operation, seen), moment in zip(found, begun, strict=True):
        told = seen.started is not None and moment == seen.started
        # a Date is of the second: the order of the file is better
        latest = moment if told and moment else max(moment or latest, latest)
        rows.append(Row(operation, seen, latest, _seconds(seen, unit) if told else _UNKNOWN_S))
    return sorted(rows, key=lambda row: row.sent)


def _unit(times: Iterable[float]) -> float | None:
    """Seconds in one unit of a recorder's times: some write seconds instead of milliseconds. None without times."""
    known = [time for time in times if time > 0]
    return None if not known else 1.0 if median(known) < 1.0 else 0.001


def _behind(seen: Seen) -> float | None:
    """Seconds that the recorder's clock is behind the server's, when the request began; None if nothing shows it."""
    date = seen.answer.date
    return None if seen.started is None or date is None else (date - seen.started).total_seconds()


def _begun(seen: Seen, unit: float | None, usual: float) -> datetime | None:
    """When a request began, by the clock of most of the recording: several recorders may have made it."""
    date, behind, took = seen.answer.date, _behind(seen), max(seen.took, 0.0) * (unit or 0.0)
    if date is None or (behind is not None and abs(behind - usual) <= _CLOCKS_S + min(took, _LONGEST_S)):
        return seen.started
    return date - timedelta(seconds=usual + min(took, _LONGEST_S))


def _seconds(seen: Seen, unit: float | None) -> float:
    took = seen.took * unit if unit is not None and seen.took >= 0 else _LONGEST_S
    if took >= _LONGEST_S:
        return _UNKNOWN_S
    return took + (2 * _ROUNDED_S if seen.took.is_integer() else _ROUNDED_S)


def without_repeats(rows: Iterable[Row]) -> list[Row]:
    """The rows without those that are another one once more: of a second recorder, or of a file that was joined."""
    known: set[bytes] = set()
    kept = []
    for row in rows:
        name = _name(row)
        if name not in known:
            known.add(name)
            kept.append(row)
    return kept


def _name(row: Row) -> bytes:
    """What an exchange and its copies share: all of it, with the server's time; without one, the recorder's."""
    seen, answer = row.seen, row.seen.answer
    told = sorted((name.lower(), value) for name, value in answer.headers)
    moment = "" if answer.date is not None else row.sent.isoformat()
    texts = (row.operation, seen.url, seen.authorization, moment, answer.status, told, seen.request_body)
    return hashlib.sha256(repr(texts).encode("utf-8", "surrogatepass") + answer.body).digest()


def without_redirects(rows: Sequence[Row], credential_of: Callable[[Seen], Credential]) -> list[Row]:
    """The rows without redirects, but for those that a request got which has no key and is else answered here.

    A redirect to the same path is that of a gateway, or of the browser itself.
    """
    served = {row.operation for row in rows if row.seen.answer.status < _REDIRECTS.start}

    def counts(row: Row) -> bool:
        if row.seen.answer.status not in _REDIRECTS:
            return True
        to = row.seen.answer.header("Location") or ""
        elsewhere = urlsplit(to.partition("?")[0]).path not in ("", urlsplit(row.seen.url).path)
        return elsewhere and row.operation in served and credential_of(row.seen) in _SURELY_WITHOUT_A_KEY

    return [row for row in rows if counts(row)]
