"""What a recording says as a whole that no run, and no judging of traffic, could have written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

from petcheck.config.choice import chosen
from petcheck.config.options import ALLOWED, OPTIONS, Option, Place
from petcheck.config.targets import EVERY_TARGET
from petcheck.errors import ConfigError
from petcheck.evidence.marks import contradicted
from petcheck.results.judge import suite
from petcheck.runner.head import run_id
from petcheck.runner.schedule import planned_for
from petcheck.sanitize import comma_list, printable
from petcheck.stream.lines import NARROWED, End, Ended, Head, Joined, Revised, Waited
from petcheck.stream.stream import Stream
from petcheck.stream.typed import timestamp
from petcheck.traffic.sorting import SETTINGS as OF_TRAFFIC
from petcheck.traffic.sorting import name_of

_CLOCKS_S = 60.0  # a clock that is set while a run lasts is off by less
_NAMED = 6  # checks
_BELOW = re.compile(r".*(?=\bchecks/)")  # pytest may name files from a folder above
_OF_JUDGING = ("plan", "as-of", "requirements-as-of")


def incoherent(stream: Stream) -> Iterator[str]:
    """What the stream of one run, or of traffic, says against itself as a whole."""
    yield from _options(stream.head)
    if stream.head.settings.traffic:
        yield from _traffic(stream)
    else:
        yield from _over(stream)
        yield from _lengths(stream)
        if stream.head.suite == suite():  # other versions have other checks and other ways to send them
            yield from _plans(stream)
            yield from contradicted(stream)


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
        if part.plan is None:
            continue
        known, due = planned_for(whole, part.name), planned_for(head, part.name)
        plan = [replace(check, id=_BELOW.sub("", check.id)) for check in part.plan]
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
        if part.plan is None:
            if not narrowed:
                yield f"{part.name} was never opened, and the run says that it is over"
        elif part.gone is None and len(part.ended) < len(part.plan):
            yield f"{part.name} has checks that never ended, and the run says that it is over"


def _lengths(stream: Stream) -> Iterator[str]:
    """What took longer, or was more, than the run allowed."""
    lasted = (stream.finished - stream.head.started).total_seconds() + _CLOCKS_S
    if lasted < 0:
        yield "it ended before it began"
    for entry in stream.entries:
        if isinstance(entry, Waited | Ended) and entry.seconds > lasted:
            yield "it has a pause or a check that took longer than the run"
            break
    for part in stream.parts:
        if sum(not one.resent for one in part.exchanges) > stream.head.settings.max_requests:
            yield f"{part.name} got more requests than the run may send"


def _traffic(stream: Stream) -> Iterator[str]:
    """Where the stream of judged traffic contradicts the traffic in it."""
    head, exchanges, end = stream.head, stream.exchanges, stream.end
    settings = replace(head.settings, requirements_as_of=None)
    if (settings, head.run, head.seed) != (OF_TRAFFIC, name_of(exchanges), 0) or set(head.options) - set(_OF_JUDGING):
        yield "its head is not that of judged traffic"
    if any(isinstance(entry, Ended | Waited | Revised) for entry in stream.entries) or any(
        part.plan is not None or part.gone for part in stream.parts
    ):
        yield "it is judged traffic, and has lines of a run"
    last = max((one.started + timedelta(seconds=one.elapsed) for one in exchanges), default=stream.finished)
    if end is None or end.interrupted or (exchanges and (exchanges[0].started, last) != (head.started, end.finished)):
        yield "its beginning and end are not those of its traffic"


# ---- options


def _options(head: Head) -> Iterator[str]:
    """The options of a head that contradict what else it says; a file of settings may add to them."""
    given = head.options
    for option in OPTIONS:
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


def _read(option: Option, value: Any) -> object:
    if option.field == "choice":
        return tuple(sorted(chosen(value) or ())) or None
    return option.read(value, f"--{option.name}") if option.read is not None else value
