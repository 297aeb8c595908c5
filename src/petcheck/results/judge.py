"""Result = judge(stream): the only way from what was recorded to verdicts. Pure.

Live runs, killed runs, recordings, traffic of other programs, shards and embedded runs all end here.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace

from petcheck.exchange import Exchange, Request
from petcheck.grouping import grouped
from petcheck.json_values import integer
from petcheck.judging.cells import coverage
from petcheck.judging.decided import decided, grounds_of
from petcheck.judging.decision import Record
from petcheck.judging.exits import exit_of
from petcheck.judging.judgement import Grounds
from petcheck.judging.observations import Observed, observed
from petcheck.judging.pages import animals_in, older_in
from petcheck.judging.traffic import Shown, forget, refused_everywhere, shown_by_traffic
from petcheck.judging.verdicts import EXHAUST, Attempt, Verdict, not_in_force, unjudged, verdict_of, without_given
from petcheck.judging.waivers import apply_waivers
from petcheck.results.findings import (
    CheckRow,
    LeftAnimal,
    Observation,
    RequestCount,
    RunInfo,
    TargetInfo,
    UntestablePoint,
)
from petcheck.results.result import Result
from petcheck.spec.catalogue import Catalogue, Requirement, catalogue
from petcheck.spec.figures import GATEWAY_TROUBLE, INTERFACE_VERSION
from petcheck.spec.files import openapi_digest
from petcheck.spec.operations import Operation
from petcheck.spec.outcomes import Exit
from petcheck.spec.sections import TITLES
from petcheck.spec.version import VERSION
from petcheck.stream.lines import Ended, Head, Joined, SuiteInfo
from petcheck.stream.stream import Part, Stream
from petcheck.stream.typed import timestamp


def judge(stream: Stream) -> Result:
    """The result of a run: one verdict for each requirement and target, with the exchanges that prove it."""
    # a recording of other programs is parsed and left again piece by piece
    with nullcontext() if stream.head.settings.traffic else _uncollected():
        return _judged(stream)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Python does not search for cycles. The exchanges of a run all stay, and each search would go through them."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _judged(stream: Stream) -> Result:
    head, end, entries = stream.head, stream.end, catalogue()
    nothing_selected = end is not None and end.nothing_selected
    parts = () if nothing_selected else stream.parts
    traffic = head.settings.traffic
    unreachable = {part.name: refused_everywhere(part.exchanges) if traffic else part.gone for part in parts}
    shown = {part.name: _shown(head, part) for part in parts}
    verdicts = [
        verdict
        for part in parts
        for verdict in _verdicts(entries.judged, stream, part, shown[part.name], unreachable[part.name])
    ]
    verdicts = apply_waivers(verdicts, stream.waivers, today=head.started.date())
    code = exit_of(
        verdicts,
        interrupted=stream.interrupted,
        nothing_selected=nothing_selected,
        untestable=any(reason is not None for reason in unreachable.values()),
        broken=end is not None and end.broken is not None,
        strict=head.settings.strict,
        chosen=head.settings.choice,
        min_examined=head.settings.min_examined,
    )
    return Result(
        complete=end is not None and stream.cut is None and not (end.interrupted or end.cut_short or end.broken),
        suite=suite(),
        run=run_info(stream, code),
        targets=tuple(_target_info(part, unreachable[part.name], stream.head.run) for part in parts),
        requirements=tuple(verdicts),
        checks=tuple(row for part in parts for row in _check_rows(stream, part)),
        observations=tuple(
            row for part in parts for row in _observations(entries, stream, part, shown[part.name].grounds)
        ),
        untestable=untestable_points(),
    )


def untestable_points() -> tuple[UntestablePoint, ...]:
    """The open points that no run can observe, and why."""
    return tuple(
        UntestablePoint(entry.id, entry.section, entry.statement, entry.untestable)
        for entry in catalogue().entries
        if entry.open and entry.untestable
    )


def failing(stream: Stream, target: str, requirements: Iterable[str]) -> frozenset[str]:
    """Those of some requirements that a stream that is not over shows broken on a target by now, and not waived."""
    part = next(part for part in stream.parts if part.name == target)
    asked = [entry for entry in catalogue().judged if entry.id in frozenset(requirements)]
    verdicts = _verdicts(asked, stream, part, _shown(stream.head, part), part.gone)
    found = apply_waivers(verdicts, stream.waivers, today=stream.head.started.date())
    return frozenset(verdict.id for verdict in found if verdict.outcome == "fail")


def suite() -> SuiteInfo:
    """This suite."""
    return SuiteInfo("petcheck", VERSION, INTERFACE_VERSION, openapi_digest(), catalogue().sha256)


# ---- verdicts


def _verdicts(
    requirements: Iterable[Requirement], stream: Stream, part: Part, shown: Shown, unreachable: str | None
) -> Iterator[Verdict]:
    head, record, grounds = stream.head, part.exchanges, shown.grounds
    attempts = _attempts(part)
    over = {ended.check for ended in part.ended}
    unfinished = {name for check in part.planned or () if check.id not in over for name in check.requirements}
    choice, older_set = head.settings.choice, head.settings.requirements_as_of
    newer = catalogue().newer_than(older_set)
    never_asked = unreachable is not None and not any(ended.dropped is None for ended in part.ended)
    for requirement in requirements:
        outside = not_in_force(requirement, part.name, head.as_of, older_set if requirement.id in newer else None)
        made = attempts.get(requirement.id, ())
        planned = part.planned is None or any(requirement.id in check.requirements for check in part.planned)
        if outside is not None:
            yield outside
        elif choice is not None and requirement.id not in choice:
            yield unjudged(requirement, part.name, "not-run", "Not chosen.")
        elif never_asked:
            yield unjudged(requirement, part.name, "error", f"{unreachable}.")
        elif not planned and not head.settings.traffic:
            yield unjudged(requirement, part.name, "not-run", _missing(stream, planned=False))
        else:
            decision = shown.decisions.get(requirement.id) or decided(requirement, record, grounds)
            covered = coverage(requirement.id, decision.examined, grounds)
            missing = "" if made and requirement.id not in unfinished else _missing(stream)
            some = shown.pieces.get(requirement.id, record)
            verdict = verdict_of(requirement, part.name, decision, some, made, missing=missing, covered=covered)
            if head.settings.traffic:
                forget(some if requirement.id in shown.pieces else decision.examined)
            yield without_given(verdict, EXHAUST) if part.settings.exhaust else verdict


def _missing(stream: Stream, *, planned: bool = True) -> str:
    """Why no check of a requirement may have ended; `planned` is false if none was to be made."""
    if stream.head.settings.traffic:
        return ""
    if stream.end is not None and stream.end.broken:
        return f"No check of this requirement ran: {stream.end.broken}."
    return _STOPPED if planned else _DESELECTED


_TO_SEEK = "to find where the application has the operations"
_DESELECTED = "Deselected: no check of this requirement ran."
_STOPPED = "The run stopped before this requirement was checked."


def _shown(head: Head, part: Part) -> Shown:
    if head.settings.traffic:
        return shown_by_traffic(part.exchanges, as_of=head.as_of, plan=part.settings.plan)
    return Shown(grounds_in(head, part), {}, {})


def grounds_in(head: Head, part: Part) -> Grounds:
    """What a run knew about a target at its end."""
    return grounds_of(
        part.exchanges,
        as_of=head.as_of,
        plan=part.settings.plan,
        writes=part.settings.writes,
        run=head.run,
        repeats=head.settings.seed_given,
    )


def _attempts(part: Part) -> Mapping[str, Sequence[Attempt]]:
    """The checks that ended, by the requirements that they asked for."""
    made = ((part.checks[ended.check], ended) for ended in part.ended)
    return grouped(
        (requirement, Attempt(ended.check, ended.dropped, check.on_top))
        for check, ended in made
        for requirement in check.requirements
    )


# ---- the run and its targets


def run_info(stream: Stream, code: Exit) -> RunInfo:
    """What a result says of a run that ended with an exit code."""
    head = stream.head
    return RunInfo(
        id=head.run,
        started=timestamp(head.started),
        finished=timestamp(stream.finished),
        as_of=head.as_of.isoformat(),
        seed=head.seed,
        exit=code.value,
        options=head.options,
        settings=replace(head.settings, waivers=stream.waivers),
        shard=head.shard,
        left_out=catalogue().newer_than(head.settings.requirements_as_of),
        joined=next((entry.runs for entry in stream.entries if isinstance(entry, Joined)), ()),
    )


def _target_info(part: Part, unreachable: str | None, run: str) -> TargetInfo:
    settings = part.settings
    return TargetInfo(
        name=part.name,
        base_url=part.base_url,
        plan=settings.plan,
        writes=settings.writes,
        key=part.key,
        requests=_requests(part.exchanges, part.sought),
        waited_s=round(float(part.waited_s), 3),
        rate_limited=sum(exchange.status == 429 for exchange in part.exchanges),
        created=tuple(_left_by(part.exchanges, run)),
        unreachable=unreachable,
        exhaust=settings.exhaust,
        category_id=settings.category_id,
    )


def _requests(record: Record, sought: int) -> RequestCount:
    methods = Counter(exchange.request.method for exchange in record)
    sections = Counter(exchange.section for exchange in record)
    repeats = Counter(exchange.cause for exchange in record if exchange.cause) + Counter({_TO_SEEK: sought})
    return RequestCount(
        total=len(record) + sought,
        get=methods["GET"] + sought,
        post=methods["POST"],
        by_section={section: sections[section] for section in sorted(sections) if section in TITLES},
        examples=sum(exchange.example and not exchange.cause for exchange in record),
        repeats={cause: repeats[cause] for cause in sorted(repeats)},
        lost=sum(exchange.resent for exchange in record),
        forgiven={str(status): number for status, number in sorted(_forgiven(record).items())},
    )


def _forgiven(record: Record) -> Counter[int]:
    """Each 502, 503 and 504 that was gone when its request was repeated."""
    found: Counter[int] = Counter()
    troubled: dict[Request, int] = {}
    for exchange in record:
        before = troubled.pop(exchange.request, None) if exchange.cause else None
        if exchange.status in GATEWAY_TROUBLE and exchange.status is not None and before is None:
            troubled[exchange.request] = exchange.status
        elif before is not None and exchange.status is not None and exchange.status not in (429, *GATEWAY_TROUBLE):
            found[before] += 1
        elif before is not None and exchange.status == 429:
            troubled[exchange.request] = before
    return found


def _left_by(record: Record, run: str) -> Iterator[LeftAnimal]:
    """The animals that a run may have left on the target: those of its POSTs that were not refused, and those that
    pages show although they were.

    A run with the same seed has used the same names: what pages show before the first POST is not of this run.
    """
    left = set[int | None]()
    refused = []
    for exchange in record:
        if exchange.request.operation is not Operation.CREATE_PET:
            continue
        # read from copies, so that it does not stay in memory
        sent, made = replace(exchange.request).parsed.value, replace(exchange.heard).parsed.value
        name = sent.get("name") if isinstance(sent, dict) else None
        name = name if isinstance(name, str) else ""
        if exchange.heard.status >= 300:
            refused += [name] if run and run in name else []
            continue
        number = integer(made.get("id")) if isinstance(made, dict) else None
        left.add(number)
        yield LeftAnimal(number, name)
    if refused:  # so that the pages of traffic without a run are not kept
        older = older_in(record)
        shown = ((number, animal) for number, animal in animals_in(record).items() if number not in older)
        names = {str(animal.get("name")): number for number, animal in shown}
        stored = ((names.get(name), name) for name in dict.fromkeys(refused))
        yield from (LeftAnimal(number, name) for number, name in stored if number is not None and number not in left)


# ---- checks and observations


def _check_rows(stream: Stream, part: Part) -> Iterator[CheckRow]:
    """Each check that ended, with what was sent since the one before."""
    sent: list[int] = []
    for entry in stream.entries:
        if isinstance(entry, Exchange) and entry.target == part.name:
            sent.append(entry.index)
        elif isinstance(entry, Ended) and entry.target == part.name:
            dropped = entry.dropped.reason if entry.dropped else ""
            requirements = part.checks[entry.check].requirements
            yield CheckRow(entry.check, requirements, part.name, round(entry.seconds, 6), tuple(sent), dropped)
            sent.clear()


def _observations(entries: Catalogue, stream: Stream, part: Part, grounds: Grounds) -> Iterator[Observation]:
    newer = entries.newer_than(stream.head.settings.requirements_as_of)
    for entry in entries.observed:
        if entry.id in newer:
            continue
        found = (
            Observed("not observed in this run", seen=False)
            if stream.head.settings.traffic
            else observed(entry.id, part.exchanges, grounds)
        )
        yield Observation(
            entry.id,
            entry.section,
            part.name,
            found.value,
            entry.statement,
            found.exchanges,
            found.seen,
            found.answers,
        )
