"""What a recording says that no run, and no judging of traffic, could have written: as a whole, and of exchanges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import timedelta
from itertools import groupby, pairwise
from typing import Any

from petcheck.call import FORMS_OF_JSON, OWN_CONNECTION
from petcheck.config.choice import chosen
from petcheck.config.options import ALLOWED, OPTIONS, Option, Place
from petcheck.config.settings_file import SettingsFile
from petcheck.config.targets import EVERY_TARGET
from petcheck.config.values import each
from petcheck.config.waivers import GAPS, waivers_in
from petcheck.errors import ConfigError
from petcheck.exchange import MASKED, Exchange, Response
from petcheck.plan.forms import fits, spelled
from petcheck.plan.together import connections
from petcheck.results.judge import suite
from petcheck.runner.head import run_id
from petcheck.runner.schedule import planned_for
from petcheck.sanitize import comma_list, printable
from petcheck.spec.sections import TITLES
from petcheck.stream.lines import NARROWED, End, Ended, Head, Joined, Revised, Waited
from petcheck.stream.shown_keys import is_written
from petcheck.stream.stream import Part, Stream
from petcheck.stream.typed import timestamp
from petcheck.traffic.sorting import SETTINGS as OF_TRAFFIC
from petcheck.traffic.sorting import name_of
from petcheck.wire.client import BODY_CAP, KEPT_OF_MORE, RECORD_CAP
from petcheck.wire.credentials import VARIABLE
from petcheck.wire.sender import TRACE, UNDECODED, cased, usual
from petcheck.wire.tally import Unplanned
from petcheck.wire.transport import LOST_BEFORE_NONE_IS_KEPT
from petcheck.words import plural

CLOCKS_S = 60.0
"""A clock that is set while a run lasts is off by less."""
_NAMED = 6  # checks
_BELOW = re.compile(r".*(?=\bchecks/)")  # pytest may name files from a folder above
_OF_JUDGING = ("plan", "as-of", "requirements-as-of")
_CAUSES = {"", *(each.value for each in Unplanned)}
_NAME, _VALUE = re.compile(r"[^\x00-\x20:\x7f]+"), re.compile(r"[^\x00\r\n]*")
_VERSION, _BELOW_BASE = re.compile(r"HTTP/\d\.\d"), re.compile(r"[!-~]*")


def incoherent(stream: Stream) -> Iterator[str]:
    """What the stream of one run, or of traffic, says against itself as a whole."""
    yield from _options(stream.head)
    if stream.head.settings.traffic:
        yield from _traffic(stream)
    else:
        yield from _settings(stream)
        yield from _over(stream)
        yield from _lengths(stream)
        yield from _lines(stream)
        if stream.head.suite == suite():  # other versions have other checks and other ways to send them
            yield from _plans(stream)
            yield from _contradicted(stream)


def incoherent_parts(whole: Stream) -> Iterator[str]:
    """What the stream of a run in parts says against itself: it has a head, the runs that were merged, and an end."""
    head, end = whole.head, whole.end
    yield from _options(head)
    between = [entry for entry in whole.entries[1:] if not isinstance(entry, End)]
    if head.part or len(between) > 1 or not all(isinstance(entry, Joined) for entry in between):
        yield "it has lines that the stream of a run in parts has not"
    if end is not None and (end.nothing_selected or end.broken):
        yield "its end is not that of a run in parts"
    for runs in (entry.runs for entry in between if isinstance(entry, Joined)):
        if not runs:
            yield "it joins no runs"
            continue
        shards = [run.shard for run in runs if run.shard is not None]
        started, finished = min(run.started for run in runs), max(run.finished for run in runs)
        if (head.run, head.seed, timestamp(head.started)) != (runs[0].id, runs[0].seed, started) or head.shard:
            yield "its head is not that of the runs that it joins"
        if end is not None and timestamp(end.finished) != finished:
            yield "it ended at another time than the runs that it joins"
        if not shards:
            continue
        alike = len({(shard.of, shard.targets, shard.list_sha256) for shard in shards}) == 1
        numbers = [shard.number for shard in shards]
        if not alike or numbers != sorted(set(numbers)) or len(shards) < len(runs):
            yield "it joins shards of different runs, or one of them twice"
        if sum(len(shard.places) for shard in shards) != len(head.targets):
            yield "it has not the targets of the shards that it joins"
        if len(shards) < shards[0].of and not whole.interrupted:
            yield "it lacks a shard, and says that it is whole"


def _plans(stream: Stream) -> Iterator[str]:
    """Where the plan of a target is not what the checks of this version yield."""
    head = stream.head
    if head.run != run_id(head.seed):
        yield "its run and its seed do not belong together"
    # a run that is judged by an earlier set has planned for the newest
    whole = replace(head, settings=replace(head.settings, requirements_as_of=None))
    for part in stream.parts:
        if part.planned is None:
            continue
        known, due = planned_for(whole, part.name), planned_for(head, part.name)
        plan = [replace(check, id=_BELOW.sub("", check.id)) for check in part.planned]
        strange = [check.id for check in plan if check not in (known.get(check.id), due.get(check.id))]
        lost = due.keys() - {check.id for check in plan} if NARROWED not in head.options else ()
        if strange or len({check.id for check in plan}) < len(plan):
            yield f"{part.name} plans what petcheck does not plan: {comma_list(strange, _NAMED)}"
        if lost:
            yield f"{part.name} lacks checks, and nothing says why: {comma_list(sorted(lost), _NAMED)}"


def _over(stream: Stream) -> Iterator[str]:
    """What the end of a run leaves open although it says that the run is over."""
    end = stream.end
    if end is None or end.interrupted or end.cut_short or end.broken:
        return
    if end.nothing_selected:
        if stream.exchanges:
            yield "it says that nothing was selected, and has exchanges"
        return
    narrowed = NARROWED in stream.head.options
    for part in stream.parts:
        if part.planned is None:
            if not narrowed:
                yield f"{part.name} was never opened, and the run says that it is over"
        elif part.gone is None and len(part.ended) < len(part.planned):
            yield f"{part.name} has checks that never ended, and the run says that it is over"


def _lines(stream: Stream) -> Iterator[str]:
    """What a recording has beside exchanges although the run cannot have written it."""
    if any(isinstance(entry, Joined) for entry in stream.entries):
        yield "it is one run, and joins runs"
    if any(isinstance(entry, Revised) for entry in stream.entries) and "update-waivers" not in stream.head.options:
        yield "it has waivers that the run wrote, and the run was not asked for any"
    helpful = {None, *(option.flag for option in OPTIONS)}
    if any(
        isinstance(entry, Ended) and entry.dropped and entry.dropped.settled_by not in helpful
        for entry in stream.entries
    ):
        yield "a check names an option that petcheck does not have"
    if any(part.key is None and part.exchanges for part in stream.parts):
        yield "it has requests to a target for which it had no key"
    yield from copies({part.name: moments_of(part.exchanges) for part in stream.parts})


def copies(moments: Mapping[str, tuple[float, ...]]) -> Iterator[str]:
    """The targets that have the exchanges of another one, by the moments of those of each target."""
    known: dict[tuple[float, ...], str] = {}
    for name, some in moments.items():
        if some and known.setdefault(some, name) != name:
            yield f"{name} has the exchanges of {known[some]}: all of them are of the same moments"


def moments_of(exchanges: Iterable[Exchange]) -> tuple[float, ...]:
    """When each exchange was sent and answered: no two targets of a run share all of it."""
    return tuple(moment for one in exchanges for moment in (one.sent, one.finished))


def _lengths(stream: Stream) -> Iterator[str]:
    """What took longer, or was more, than the run allowed."""
    lasted = (stream.finished - stream.head.started).total_seconds() + CLOCKS_S
    if lasted < 0:
        yield "it ended before it began"
    longest = stream.head.settings.max_wait + CLOCKS_S  # looking for a target that is down takes a while, too
    for entry in stream.entries:
        if isinstance(entry, Waited | Ended) and entry.seconds > lasted:
            yield "it has a pause or a check that took longer than the run"
            break
        if isinstance(entry, Waited) and entry.seconds > longest:
            yield "it has a pause that is longer than the run may wait"
            break
    for part in stream.parts:
        if part.sought + sum(not one.resent for one in part.exchanges) > stream.head.settings.max_requests:
            yield f"{part.name} got more requests than the run may send"


def _traffic(stream: Stream) -> Iterator[str]:
    """Where the stream of judged traffic contradicts the traffic in it."""
    head, exchanges, end = stream.head, stream.exchanges, stream.end
    settings = replace(head.settings, requirements_as_of=None)
    if (settings, head.run, head.seed) != (OF_TRAFFIC, name_of(exchanges), 0) or set(head.options) - set(_OF_JUDGING):
        yield "its head is not that of judged traffic"
    if any(isinstance(entry, Ended | Waited | Revised) for entry in stream.entries) or any(
        part.planned is not None or part.gone for part in stream.parts
    ):
        yield "it is judged traffic, and has lines of a run"
    last = max((one.started + timedelta(seconds=one.elapsed) for one in exchanges), default=stream.finished)
    if end is None or end.interrupted or (exchanges and (exchanges[0].started, last) != (head.started, end.finished)):
        yield "its beginning and end are not those of its traffic"


# ---- options


def _options(head: Head) -> Iterator[str]:
    """The options of a head that contradict what else it says; a file of settings may add to them."""
    given = head.options
    if strange := given.keys() - {option.name for option in OPTIONS} - {NARROWED}:
        yield f"petcheck has no option {comma_list(sorted(strange), _NAMED)}"
    for option in OPTIONS:
        if option.name in given and not _is_given(option, given[option.name]):
            yield f"its option {option.name} has a value that nobody can give"
        if option.name not in given or not option.decides or (option.read is None and option.field != "choice"):
            continue
        if option.group == ALLOWED and Place.TARGET in option.places:
            continue  # how a server is reached: it may hold a secret, and is shown in other words
        places = [place for place in (head.settings, head, *head.targets) if hasattr(place, option.field)]
        try:
            said = _read(option, given[option.name])
        except (ConfigError, ValueError, TypeError, AttributeError) as error:
            yield f"its option {option.name} is not one of petcheck: {printable(str(error), 200)}"
            continue
        if any(getattr(place, option.field) != said for place in places):
            yield f"its option {option.name} contradicts its settings"
    allowed, listed = given.get("allow-writes"), given.get("target")
    named = None if allowed in (None, True, EVERY_TARGET) else str(allowed).split(",")
    names = {one.name for one in head.targets}
    elsewhere = named is not None and not names.issuperset(named) and head.shard is None and not head.part
    if allowed and (elsewhere or not all(one.writes for one in head.targets if named is None or one.name in named)):
        yield "its option allow-writes contradicts its targets"
    urls = [
        re.sub("^[A-Za-z0-9_-]+=", "", str(text)).strip().rstrip("/") for text in listed or () if "://" in str(text)
    ]
    # a shard, or a part of a run, has some of the targets
    if head.shard is None and not head.part and not set(urls) <= {one.base_url for one in head.targets}:
        yield "its option target names other targets"


def _is_given(option: Option, value: Any) -> bool:
    """Whether a command line, a file or Python can have given an option that value."""
    kinds = (bool,) if option.metavar is None else (list, str) if option.repeatable else (str, int, float)
    return isinstance(value, kinds) and all(str(one).isprintable() for one in each(value))


def _settings(stream: Stream) -> Iterator[str]:
    """The settings and waivers, wherever they were given, that petcheck does not take."""
    head = stream.head
    for table, gap in (("waivers", False), (GAPS, True)):
        some = [one for one in {*head.settings.waivers, *stream.waivers} if one.gap is gap]
        rows = [{name: value for name, value in asdict(one).items() if name != "gap"} for one in some]
        try:
            waivers_in(SettingsFile("it", {table: rows}, ""), [one.target for one in some], table)
        except ConfigError as error:
            yield f"its waivers are not those of petcheck: {printable(str(error), 200)}"
    for option in (one for one in OPTIONS if one.decides and one.read is not None):
        for place in (head, head.settings, *head.targets):
            value = getattr(place, option.field, None)
            if value is None or value is False or value == ():
                continue
            try:
                _read(option, list(map(str, value)) if isinstance(value, tuple) else value)
            except ConfigError as error:
                yield f"its setting {option.name} is not one of petcheck: {printable(str(error), 200)}"


def _read(option: Option, value: Any) -> object:
    if option.field == "choice":
        return tuple(sorted(chosen(value) or ())) or None
    return option.read(value, f"--{option.name}") if option.read is not None else value


# ---- exchanges


def _contradicted(stream: Stream) -> Iterator[str]:
    """The first exchange with each target whose marks are wrong, in words."""
    for part in stream.parts:
        most = connections(stream.head.settings.connections, writes=part.settings.writes)
        found = (
            *_bursts(part, most, over=stream.end is not None),
            *_overlaps(part),
            *_connections(part),
            *_words(part),
        )
        yield from found[:1]


def _bursts(part: Part, most: int, *, over: bool) -> Iterator[str]:
    """Bursts are numbered from 1, each in one piece, of no more requests than may be under way together.

    The last one may be cut where the run is not `over`.
    """
    number = 0
    for burst, together in groupby(part.exchanges, lambda one: one.burst):
        if burst is None:
            continue
        members, number = list(together), number + 1
        which = f"the burst of exchange {members[0].index} with {part.name}"
        answered = [one for one in members if isinstance(one.answer, Response)]
        if burst != number:
            yield f"{which} has the number {burst}, and is burst {number} of the run"
        elif not (2 if over or members[-1] is not part.exchanges[-1] else 1) <= len(members) <= most:
            sent = f"{which} has {plural(len(members), 'request')}"
            yield f"{sent}; the run sends 2 to {most} at the same time"
        elif any(before.finished < after.sent for before, after in pairwise(answered)):
            yield f"{which} has requests that were answered before others of it were sent"


def _overlaps(part: Part) -> Iterator[str]:
    """Only the requests of a burst are under way at the same time."""
    latest = float("-inf")
    for _, some in groupby(part.exchanges, lambda one: (one.burst, one.index if one.burst is None else 0)):
        members = list(some)
        if members[0].sent < latest:
            yield f"exchange {members[0].index} with {part.name} was sent before the one before it was answered"
        latest = max(one.finished for one in members)


def _connections(part: Part) -> Iterator[str]:
    """Connections are numbered in their order, and one is kept only for the next request that was sent alone."""
    latest, kept = 0, 0
    for one in part.exchanges:
        number = one.connection
        own = one.on_new_connection
        if number is not None and (one.burst is not None or not (number > latest or (number == kept and not own))):
            yield f"exchange {one.index} with {part.name} was sent on connection {number}, which was not open"
        latest = max(latest, number or 0)
        kept = 0 if number is None or own else number


def _words(part: Part) -> Iterator[str]:
    """Each exchange is written as petcheck sends it and reads its answer, and has the marks that a run gives."""
    own = [(name, value) for name, _, value in (given.partition("=") for given in part.settings.headers)]
    traced = len({any(name == TRACE for name, _ in one.request.headers) for one in part.exchanges}) > 1
    if traced or sum(one.resent for one in part.exchanges) > LOST_BEFORE_NONE_IS_KEPT:
        yield f"{part.name} has requests with a trace and without one, or more that were lost than a run loses"
    # masks may have made it shorter
    full = sum(len(one.heard.body) for one in part.exchanges) > RECORD_CAP // 2
    for one in part.exchanges:
        said = next((why for is_wrong, why in _faults(one, part, own, full=full) if is_wrong), None)
        if said is not None:
            yield f"exchange {one.index} with {part.name} {said}"


def _faults(one: Exchange, part: Part, own: list[tuple[str, str]], *, full: bool) -> Iterator[tuple[bool, str]]:
    """What may be wrong with an exchange by itself; `own` are the headers that the user sends.

    `full` says that the record may have had no room left for bodies.
    """
    request, heard, form = one.request, one.heard, one.request.form
    yield not _is_spelled(one, own), f"says that it has {form.value}, and is written otherwise"
    shown = next((value for name, value in request.headers if name == cased("Authorization", form)), None)
    # traffic may have several keys, a target has one
    odd = shown is not None and (f"{VARIABLE}_" in shown or not is_written(request.credential, shown))
    yield odd, "shows a key as petcheck does not"
    yield request.reach != part.settings.reach, "was sent on another way than its target is reached"
    odd = not _BELOW_BASE.fullmatch(request.url[len(part.base_url) :]) or "#" in request.url
    yield odd, "was sent to a URL that petcheck does not write"
    yield not _is_readable(one), "has an answer that no client of HTTP reads"
    kept, masked = len(heard.body), heard.body == UNDECODED or MASKED.search(heard.body) is not None
    cut = f"says that its body was too long to read, and keeps {kept} bytes of it"
    # a mask may be shorter than what it stands for
    yield not heard.body_complete and kept < KEPT_OF_MORE and not masked and not full, cut
    yield heard.body_complete and kept > BODY_CAP, "says that its body is whole, and has more than petcheck reads"
    yield one.section not in ("", *TITLES), "was sent for a section that the document does not have"
    yield one.cause not in _CAUSES, "was sent for a reason that petcheck does not have"
    kept_open = one.index > 0 and one.cause == "" and one.burst is None and form not in OWN_CONNECTION
    yield one.resent and not kept_open, "was sent again after a kept connection was lost, and used none"
    yield one.example and not one.on_top, "is a property example that a requirement needs"
    found = None if one.simplifies is None else part.exchanges[one.simplifies]
    yield (
        found is not None and not (one.example and found.example),
        "is a simpler form of something that is not an example",
    )
    yield one.log is not None and "//" in part.settings.base_url, "has a log of a server that the run did not serve"
    again = None if one.again is None or one.cause == Unplanned.PROBE.value else part.exchanges[one.again]
    other = again is not None and again.request.call != request.call
    yield other, f"says that it repeats exchange {one.again}, which is another request"


def _is_readable(exchange: Exchange) -> bool:
    """Whether a client of HTTP can have read the answer."""
    heard = exchange.heard
    if not isinstance(exchange.answer, Response):
        return True
    named = all(_NAME.fullmatch(name) and _VALUE.fullmatch(value) for name, value in heard.headers)
    return named and bool(_VALUE.fullmatch(heard.reason) and _VERSION.fullmatch(heard.http_version))


def _is_spelled(exchange: Exchange, own: list[tuple[str, str]]) -> bool:
    """Whether headers and body are written as the form of the request says; `own` are headers that the user sends."""
    request, call, body = exchange.request, exchange.request.call, exchange.request.body or b""
    form = request.form
    ours = (cased("Authorization", form), TRACE)
    if [row for row in request.headers if row[0] not in ours] != [*usual(replace(call, form=form)), *own]:
        return False
    if MASKED.search(body):
        return True
    return fits(form, call) and (form not in FORMS_OF_JSON or spelled(call, form).body == body)
