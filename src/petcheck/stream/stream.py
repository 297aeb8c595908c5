"""A whole stream as a value: its lines, and what they say of each target. One that contradicts itself is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import TypeAlias

from petcheck.errors import NotEvidence
from petcheck.exchange import MASKED, Exchange, Response
from petcheck.judging.once import WholeRecord
from petcheck.sanitize import printable
from petcheck.spec.catalogue import catalogue
from petcheck.spec.operations import Operation
from petcheck.spec.outcomes import Waiver
from petcheck.stream.addresses import is_base
from petcheck.stream.lines import (
    End,
    Ended,
    Gone,
    Head,
    Joined,
    Line,
    Opened,
    Planned,
    PlannedCheck,
    Revised,
    TargetSettings,
    Waited,
)
from petcheck.stream.shown_keys import contradiction

Entry: TypeAlias = Line | Exchange
_Fault: TypeAlias = tuple[bool, str]  # is it so? what it says then

_FINGERPRINT = re.compile("sha256:[0-9a-f]{8}")
_NAME, _LEAST = re.compile(r"[A-Za-z0-9_-]+"), re.compile("[0-9]{1,4}%?")

# exchanges are in memory when they are judged
WEIGHT_CAP = 512 * 1024 * 1024
TOO_HEAVY = f"holds more than {WEIGHT_CAP // 1024**2} MB of exchanges; give a shorter recording"
_OBJECTS = 2_500  # bytes of an exchange without its texts
# a moment so much later can be computed
_SWITCHED, _LAST_STATUS = 101, 999
_LONGEST_S, _LAST_YEAR = 366 * 24 * 3600.0, 9000


@dataclass(frozen=True)
class Part:
    """What a stream says of one target. `planned` is None where no check was: the traffic of another program.

    `waited_s` are the seconds of its pauses. `gone` says why it could not be tested, or no longer; None if it could.
    """

    settings: TargetSettings
    base_url: str
    key: str | None = None
    sought: int = 0
    planned: tuple[PlannedCheck, ...] | None = None
    ended: tuple[Ended, ...] = ()
    exchanges: WholeRecord = field(default=WholeRecord(), repr=False)
    waited_s: float = 0.0
    gone: str | None = None

    @property
    def name(self) -> str:
        """The target's name."""
        return self.settings.name

    @cached_property
    def checks(self) -> Mapping[str, PlannedCheck]:
        """The planned checks by id."""
        return {check.id: check for check in self.planned or ()}


@dataclass(frozen=True)
class Stream:
    """A run: its lines in their order, and whether the reading had to end before the last (`cut` says why)."""

    entries: tuple[Entry, ...] = field(repr=False)
    cut: str | None = None

    @property
    def head(self) -> Head:
        """The first line."""
        head = self.entries[0]
        if not isinstance(head, Head):
            raise TypeError("a stream begins with its head")
        return head

    @property
    def end(self) -> End | None:
        """The last line; None if the run was killed, or is not over."""
        last = self.entries[-1]
        return last if isinstance(last, End) else None

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before its end, or killed."""
        return self.end is None or self.end.interrupted

    @cached_property
    def waivers(self) -> tuple[Waiver, ...]:
        """The waivers that decide: those that the run wrote at its end, otherwise those that it was given."""
        revised = [entry for entry in self.entries if isinstance(entry, Revised)]
        return revised[-1].waivers if revised else self.head.settings.waivers

    @cached_property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Every exchange, in the order in which they were recorded."""
        return tuple(entry for entry in self.entries if isinstance(entry, Exchange))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What it says of each target, in the order of the head."""
        mine: dict[str, list[Entry]] = {settings.name: [] for settings in self.head.targets}
        for entry in self.entries:
            mine.get(getattr(entry, "target", ""), []).append(entry)
        return tuple(_part(settings, mine[settings.name]) for settings in self.head.targets)

    @property
    def finished(self) -> datetime:
        """When the run ended; if it was killed, when the last response had come."""
        if self.end is not None:
            return self.end.finished
        return max((e.started + timedelta(seconds=e.elapsed) for e in self.exchanges), default=self.head.started)

    def damaged(self, why: str) -> Stream:
        """The same lines without the end, since what followed them cannot be read."""
        return Stream(tuple(entry for entry in self.entries if not isinstance(entry, End)), why)

    def only(self, target: str) -> Stream:
        """The stream of one target alone."""
        head = replace(self.head, targets=tuple(one for one in self.head.targets if one.name == target))
        kept = (entry for entry in self.entries[1:] if getattr(entry, "target", target) == target)
        return replace(self, entries=(head, *kept))

    def with_head(self, head: Head) -> Stream:
        """The same exchanges under another head, to judge them otherwise."""
        return replace(self, entries=(head, *self.entries[1:]))


def _part(settings: TargetSettings, mine: Sequence[Entry]) -> Part:
    opened = next((entry for entry in mine if isinstance(entry, Opened)), None)
    planned = next((entry for entry in mine if isinstance(entry, Planned)), None)
    return Part(
        settings,
        opened.base_url if opened else settings.base_url,
        opened.key if opened else None,
        opened.sought if opened else 0,
        planned.checks if planned else None,
        tuple(entry for entry in mine if isinstance(entry, Ended)),
        WholeRecord(entry for entry in mine if isinstance(entry, Exchange)),
        sum((entry.seconds for entry in mine if isinstance(entry, Waited)), 0.0),
        next((entry.reason for entry in mine if isinstance(entry, Gone)), None),
    )


# ---- does it contradict itself?


class Contradiction(NotEvidence):
    """A line of a stream, counted from 1, cannot follow those before it."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"contradicts itself in line {line}: {why}")


def checked(entries: Iterable[Entry]) -> Stream:
    """The stream of some lines, up to one that is there already.

    Raises `NotEvidence` if it has no head, is too large, or contradicts itself.
    """
    watch = _Watch()
    kept: list[Entry] = []
    for line, entry in enumerate(entries, 1):
        if (why := watch.wrong(entry)) is not None:
            if entry in kept:  # no run writes a line twice, but a disk may
                before = kept.index(entry) + 1
                why = f"line {line} is line {before} again, so nothing from there on was read"
                return Stream(tuple(kept)).damaged(why)
            raise Contradiction(line, why)
        kept.append(entry)
    if not kept:
        raise NotEvidence("is empty: the run ended before it had begun")
    return Stream(tuple(kept))


class _Watch:
    """Remembers of each target what the next line must agree with."""

    def __init__(self) -> None:
        self._head: Head | None = None
        self._ended = False
        self._targets: dict[str, TargetSettings] = {}
        self._opened: dict[str, Opened] = {}
        self._planned: dict[str, set[str]] = {}
        self._latest: dict[str, Exchange] = {}
        self._gone: set[str] = set()
        self._weight = 0

    def wrong(self, entry: Entry) -> str | None:
        """Why a line cannot come next; None if it can."""
        self._weight += _OBJECTS // 5
        if self._weight > WEIGHT_CAP:
            raise NotEvidence(TOO_HEAVY)
        return next((why for is_wrong, why in self._faults(entry) if is_wrong), None)

    def _faults(self, entry: Entry) -> Iterator[_Fault]:
        """What may be wrong with a line, one after the other: nobody asks for the next one behind the first fault."""
        if isinstance(entry, Head):
            yield from self._faults_of_head(entry)
            return
        yield self._head is None, "it does not begin with the head of a run"
        yield self._ended, "it follows the end of the run"
        self._ended = isinstance(entry, End)
        if isinstance(entry, End | Joined | Revised):
            return
        yield entry.target not in self._targets, "it is about a target that the run does not have"
        match entry:
            case Opened():
                again = self._opened.setdefault(entry.target, entry) is not entry
                yield again, "the target is opened a second time"
                yield from self._faults_of_base(entry)
            case Planned():
                yield entry.target in self._planned, "the target's checks are planned a second time"
                yield entry.target in self._latest, "the target's checks are planned after the first request"
                self._planned[entry.target] = {check.id for check in entry.checks}
            case Ended():
                planned = self._planned.get(entry.target, set())
                yield entry.check not in planned, "a check ends that was not planned, or a second time"
                planned.discard(entry.check)
                yield entry.seconds < 0, "a check took less than no time"
            case Waited():
                yield entry.seconds < 0, "a pause took less than no time"
            case Exchange():
                yield entry.target in self._gone, "it follows that the target is gone"
                yield from self._faults_of_exchange(entry)
            case Gone():
                yield entry.target not in self._opened, "a target is gone that was not opened"
                self._gone.add(entry.target)

    def _faults_of_head(self, head: Head) -> Iterator[_Fault]:
        names = [target.name for target in head.targets]
        twice = self._head is not None or len(set(names)) < len(names)
        yield twice, "it begins a second run, or names a target twice"
        # a name is that of a folder too
        yield not all(map(_NAME.fullmatch, names)), "it has a name of a target that petcheck does not give"
        sets, asked = catalogue().sets, head.settings.requirements_as_of
        if asked is not None and asked not in sets:
            why = f"which this version does not have; it has {', '.join(sets)}"
            raise NotEvidence(f"is judged by the requirements of {printable(asked, 20)}, {why}")
        places = names if head.shard is None else head.shard.places
        yield len(places) != len(names), "it has not as many targets as its shard"
        least = head.settings.min_examined or "1"
        yield not _LEAST.fullmatch(least), "it has no number of requirements to examine"
        # an application that the run serves has a name instead
        nowhere = any("//" in one.base_url and not is_base(one.base_url) for one in head.targets)
        yield nowhere, "it has a target without a valid URL"
        self._head, self._targets = head, {target.name: target for target in head.targets}

    def _faults_of_base(self, opened: Opened) -> Iterator[_Fault]:
        """What may be wrong with where a target is; an application that does not start is nowhere."""
        url, given = opened.base_url, self._targets[opened.target].base_url
        yield url not in ("", given) and not is_base(url), "the target is opened without a valid URL"
        bad_key = opened.key is not None and not _FINGERPRINT.fullmatch(opened.key)
        yield bad_key, "the target is opened with a fingerprint that no key has"
        elsewhere = "//" in given and given != url and not MASKED.search(url.encode())
        yield elsewhere, "the target is opened elsewhere than the head says"
        never = opened.sought < 0 or (opened.sought > 0 and "//" in given)
        yield never, "the target was sought where the head says that it is"

    def _faults_of_exchange(self, exchange: Exchange) -> Iterator[_Fault]:
        opened, before = self._opened.get(exchange.target), self._latest.get(exchange.target)
        self._latest[exchange.target] = exchange
        base = "" if opened is None else opened.base_url
        yield not is_base(base), "a request goes to a target that is not open"
        in_a_row = exchange.index == (before.index + 1 if before else 0)
        yield not in_a_row, f"the requests to {exchange.target} are not numbered one after the other"
        yield not exchange.sent <= exchange.finished, "the response came before the request was sent"
        far = exchange.elapsed > _LONGEST_S or exchange.started.year > _LAST_YEAR
        yield far, "the response took more than a year, or came in a year that no run will see"
        early = before is not None and exchange.sent < before.sent
        yield early, "the request was sent before the one with the number below"
        earlier, simplifies, again = range(exchange.index), exchange.simplifies, exchange.again
        yield simplifies is not None and simplifies not in earlier, "the request is a simpler form of none before it"
        yield again is not None and again not in earlier, "the request repeats none before it"
        nameless = exchange.burst is not None and exchange.burst < 1
        yield nameless, "the request is part of a burst without a number"
        yield exchange.connection is not None and exchange.connection < 1, "the connection has no number"
        request, heard, operation = exchange.request, exchange.heard, exchange.request.operation
        same = request.method == operation.method and _is_below(request.url, base, operation)
        yield not same, "the method or the URL is of another operation"
        permitted = operation.safe or self._targets[exchange.target].writes
        yield not permitted, "it is a POST to a target that may only be read"
        self._weight += weight_of((*request.headers, *heard.headers), request.body, heard.body)
        traffic = self._head is not None and self._head.settings.traffic
        why = contradiction(exchange, traffic=traffic)
        yield why is not None, why or ""
        if not traffic:
            yield from _faults_of_message(exchange)


def _is_below(url: str, base_url: str, operation: Operation) -> bool:
    """Whether a URL is that of the operation below the base URL."""
    if not url.startswith(base_url):
        return False
    path = url[len(base_url) :].partition("?")[0]
    before, parameter, _ = operation.path.partition("{")
    return path.startswith(before) and "/" not in path[len(before) :] if parameter else path == before


def _faults_of_message(exchange: Exchange) -> Iterator[_Fault]:
    """What petcheck sends in no request, and no client of HTTP can have read, mostly by Content-Length."""
    request, heard = exchange.request, exchange.heard
    yield request.operation.safe and request.body is not None, "a GET has a body"
    twice = [name.lower() for name, _ in request.headers].count("authorization") > 1
    yield twice, "a request has two Authorization headers"
    final = heard.status == _SWITCHED or 200 <= heard.status <= _LAST_STATUS
    yield isinstance(exchange.answer, Response) and not final, "an answer has a status that ends no exchange"
    unsaid = heard.encoding_broken is not None and heard.header("Content-Encoding") is None
    yield unsaid, "it says that an encoding is broken, and its answer has none"
    bare = heard.status in (204, 304)
    yield bare and heard.body != b"", "an answer that can have no body has one"
    lengths = [value for name, value in heard.headers if name.lower() == "content-length"]
    unread = len(lengths) > 1 or not all(re.fullmatch("[0-9]{1,20}", length) for length in lengths)
    yield unread, "an answer has a Content-Length that no client reads"
    if not lengths or heard.header("Content-Encoding") or heard.header("Transfer-Encoding"):
        return
    length, kept = int(lengths[0]), len(heard.body)
    if not heard.body_complete:
        yield length <= kept, "it says that its body was cut, and has all of it"
    elif not bare and not MASKED.search(heard.body):
        yield length < kept, "its body is longer than its Content-Length"
        yield length > kept, "it says that its body is whole, and is shorter than its Content-Length"


def weight_of(headers: Iterable[tuple[str, str]], *bodies: bytes | None) -> int:
    """The bytes that an exchange takes in memory."""
    return _OBJECTS + sum(len(name) + len(value) for name, value in headers) + sum(len(one) for one in bodies if one)
