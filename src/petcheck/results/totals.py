"""The totals of a result: counts, groups, and the sentences that every view opens with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from types import MappingProxyType

from petcheck.grouping import grouped
from petcheck.judging.exits import too_few
from petcheck.judging.verdicts import AppliedWaiver, Verdict
from petcheck.judging.waivers import fails_by_waiver, is_unexamined
from petcheck.results import fleet
from petcheck.results.findings import Findings, RunInfo, TargetInfo
from petcheck.sanitize import comma_list, printable
from petcheck.spec import sections
from petcheck.spec.outcomes import NOT_IN_FORCE, OUTCOMES, UNEXAMINED, Exit, Outcome
from petcheck.stream.lines import RunSettings
from petcheck.words import how_to_repeat, plural

_NAMED = 8  # targets
_RANGE = 3  # ids in a row that are written as a range
_IDS_LIMIT = 2_000  # characters
_WORTH_SAYING_S = 0.1
_LEAST = 3  # passes that are named for covering the smallest share
_AMOUNTS = ("--max-requests", "--max-wait")
_NO_CAUSES: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Unexamined:
    """Requirements that were not examined on `targets`, and the option to judge them (None if no option helps).

    `rows` are those of the first target. In a fleet, where they may differ, there is one of each requirement.
    """

    targets: tuple[str, ...]
    settled_by: str | None
    rows: tuple[Verdict, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the requirements."""
        return tuple(row.id for row in self.rows)


def tally(rows: Iterable[Verdict]) -> dict[str, int]:
    """How many of `rows` have each standing, zeros included: those that a verdict counts, and the rest."""
    found = Counter(row.standing for row in rows)
    return {name: found[name] for name in (*OUTCOMES, NOT_IN_FORCE)}


def by_section(rows: Iterable[Verdict]) -> dict[str, tuple[Verdict, ...]]:
    """`rows` grouped by section, the sections in the document's order."""
    groups = grouped((row.section, row) for row in rows)
    return {section: tuple(groups[section]) for section in sorted(groups, key=sections.order)}


def with_outcome(result: Findings, outcome: Outcome) -> tuple[Verdict, ...]:
    """The rows of that outcome in the document's order."""
    return tuple(row for rows in by_section(result.requirements).values() for row in rows if row.outcome == outcome)


def chosen_rows(result: Findings, target: TargetInfo) -> tuple[Verdict, ...]:
    """The rows of a target that the run was to judge: all of them, unless some requirements were chosen."""
    return tuple(row for row in result.rows_of(target.name) if result.chose(row))


def unexamined(result: Findings) -> tuple[Unexamined, ...]:
    """Requirements in force that were not examined, grouped by the option to judge them.

    The requirements of a group are the same on all of its targets, except in a fleet.
    """
    merged: dict[tuple[str | None, tuple[object, ...]], tuple[list[str], dict[str, Verdict]]] = {}
    for member in fleet.members(result):
        unseen = (row for row in member.rows if row.in_force and row.outcome in ("inconclusive", "not-run"))
        # an accepted gap asks for nothing
        groups = grouped((row.settled_by if is_unexamined(row) else None, row) for row in unseen if result.chose(row))
        for option, rows in groups.items():
            # if no option helps, the reasons count, and they may differ
            same = () if fleet.is_fleet(result) else tuple((row.id, "" if option else row.reason) for row in rows)
            targets, by_id = merged.setdefault((option, same), ([], {}))
            targets.append(member.target.name)
            by_id |= {row.id: row for row in rows if row.id not in by_id}
    found = [Unexamined(tuple(targets), key[0], tuple(rows.values())) for key, (targets, rows) in merged.items()]
    return tuple(sorted(found, key=lambda group: (group.settled_by is None, group.settled_by or "")))


def least_covered(rows: Iterable[Verdict], quote: Callable[[str], str] = printable) -> str:
    """The passes of a target with the smallest shares of what there is to examine, in words; empty if all is examined.

    `quote` as in `headline`.
    """
    partly = [
        (one.seen / one.total, row, one)
        for row in rows
        if row.outcome == "pass" and (one := row.covered) is not None and one.seen < one.total
    ]
    named = sorted(partly, key=lambda each: each[0])[:_LEAST]
    return ", ".join(f"{quote(row.id)} {one}" for _, row, one in named)


def way_to(option: str, run: RunInfo) -> str:
    """What to do with an option to judge more: add it, or raise the number that the run had."""
    return "raise" if option in _AMOUNTS and run.options.get(option.lstrip("-")) is not None else "add"


def untested(result: Findings) -> dict[str, list[str]]:
    """The names of the targets that could not be tested, by reason."""
    # the address differs where the trouble is one and the same
    return grouped(
        (target.unreachable.replace(target.base_url, "the target"), target.name)
        for target in result.targets
        if target.unreachable is not None
    )


def not_in_force(result: Findings) -> dict[str, str]:
    """Requirements that no check can observe, or that are not in force on the day: reason by id."""
    return {row.id: row.reason for row in result.requirements if not row.in_force and result.chose(row)}


def waiver_state(row: Verdict, run: RunInfo) -> str:
    """The state of a row's waiver on the day of the run, in words; empty without a waiver."""
    if row.waiver is None:
        return ""
    left = _days_left(row.waiver, run)
    if row.waiver.gap:
        state = f"Gap ended on {row.waiver.expires}" if row.waiver.ended else f"Accepted gap until {row.waiver.expires}"
        return state if row.outcome in UNEXAMINED else "Stale gap, it is examined now"
    if left < 0:
        return f"Waiver expired after {row.waiver.expires}"
    if row.outcome == "pass":
        return f"Stale waiver, the requirement passes now (until {row.waiver.expires})"
    verb = "Waived" if row.outcome == "waived" else "A waiver holds"
    return f"{verb} until {row.waiver.expires}, {plural(left, 'day')} left"


def waiver_faults(result: Findings, quote: Callable[[str], str] = printable) -> tuple[str, ...]:
    """A sentence for each waiver that makes the run fail: stale ones and expired ones. `quote` as in `headline`."""
    sentences = []
    for row in result.requirements:
        if row.waiver is None or not (row.outcome == "fail" or (fails_by_waiver(row) and result.chose(row))):
            continue
        kind = "gap" if row.waiver.gap else "waiver"
        name, target = quote(row.id), quote(row.target)
        waiver = f"The {kind} of {name} on {target}"
        if row.waiver.ended and row.waiver.gap:
            sentences.append(f"{name} was not examined: its gap on {target} ended on {row.waiver.expires}.")
        elif row.waiver.gap:
            sentences.append(f"{waiver} is stale: the requirement is examined now.")
        elif row.outcome == "fail" or _days_left(row.waiver, result.run) < 0:
            sentences.append(f"{waiver} expired after {row.waiver.expires}.")
        else:
            sentences.append(f"{waiver} is stale: the requirement passes now.")
    return tuple(sentences)


def target_outcome(target: TargetInfo, result: Findings) -> Outcome:
    """The verdict on a whole target as one outcome: the worst one counts, and a pass takes every one in force."""
    return fleet.shown_outcome(target, result.rows_of(target.name))


def target_verdict(
    target: TargetInfo,
    result: Findings,
    quote: Callable[[str], str] = printable,
    causes: Mapping[str, int] = _NO_CAUSES,
) -> str:
    """The verdict on one target in a sentence. `quote` and `causes` as in `headline`."""
    name = quote(target.name)
    gone = None if target.unreachable is None else quote(target.unreachable.rstrip("."))
    rows = [row for row in chosen_rows(result, target) if row.in_force]
    found = tally(rows)
    if found["fail"]:
        verb = "fails" if found["fail"] == 1 else "fail"
        said = f"{name} does not conform: {found['fail']} of {plural(len(rows), 'requirement')} {verb}"
        said += f", from {plural(causes[target.name], 'cause')}" if causes.get(target.name, 0) > 1 else ""
        return f"{said}." if gone is None else f"{said}; not everything could be judged: {gone}."
    if gone is not None:
        return f"{name} could not be tested: {gone}."
    if found["error"]:
        whole = plural(len(rows), "requirement")
        return f"{name} has no verdict: {found['error']} of {whole} could not be judged."
    if not found["pass"] + found["waived"]:
        return f"{name} has no verdict: nothing was examined."
    chosen = result.run.settings is not None and result.run.settings.choice is not None
    if found["pass"] == len(rows) and not chosen:
        return f"{name} conforms: {f'all {len(rows)} requirements hold' if len(rows) > 1 else 'the requirement holds'}."
    examined = found["pass"] + found["waived"]
    gaps = sum(row.outcome in UNEXAMINED and not is_unexamined(row) for row in rows)
    parts = [f"{examined} of {plural(len(rows), 'chosen requirement' if chosen else 'requirement')} examined"]
    parts += [f"{plural(found['waived'], 'failure')} waived" if found["waived"] else "none fails"]
    parts += [f"{plural(gaps, 'gap')} accepted"] if gaps else []
    return f"{name}: {', '.join(parts)}."


def headline(result: Findings, quote: Callable[[str], str] = printable, causes: Mapping[str, int] = _NO_CAUSES) -> str:
    """One sentence for each target, or for a whole fleet, and one for anything else that decides the run.

    `quote` makes text from a target harmless in the output's format; all other text is our own plain ASCII. `causes`
    are the numbers of causes of the failures by target, where they are known.
    """
    return " ".join(sentences(result, quote, causes))


def sentences(
    result: Findings, quote: Callable[[str], str] = printable, causes: Mapping[str, int] = _NO_CAUSES
) -> tuple[str, ...]:
    """The sentences of `headline`."""
    if fleet.is_fleet(result):
        verdicts = [fleet.verdict(fleet.members(result), quote)]
    else:
        verdicts = [target_verdict(target, result, quote, causes) for target in result.targets] or [
            "Nothing was tested."
        ]
    return (*verdicts, *notices(result, quote))


def notices(result: Findings, quote: Callable[[str], str] = printable) -> tuple[str, ...]:
    """What decides the run beside the verdicts: an older set, an interruption, waivers that fail the run, --strict."""
    sentences = _set_of_requirements(result.run, quote)
    if missing := missing_shards(result.run):
        of, several = next(joined.shard.of for joined in result.run.joined if joined.shard), len(missing) > 1
        named = comma_list([f"{number}/{of}" for number in missing])
        verb = "are" if several else "is"
        sentences.append(f"{'Shards' if several else 'Shard'} {named} {verb} missing; merge all shards.")
    elif not result.complete:
        sentences.append(f"{why_incomplete(result)}; the rest was not judged.")
    faults = waiver_faults(result, quote)
    if faults and not any(row.outcome == "fail" for row in result.requirements):
        stale = faults[0] if len(faults) == 1 else f"stale or expired waivers and gaps: {len(faults)}."
        sentences.append(f"The run still fails: {stale}")
    return (*sentences, *too_little_examined(result, quote))


def too_little_examined(result: Findings, quote: Callable[[str], str] = printable) -> Iterator[str]:
    """What fails a run in which nothing fails: requirements that were not examined, under --strict or too many."""
    if result.run.exit != Exit.UNSETTLED:
        return
    settings, rows = result.run.settings, [row for row in result.requirements if result.chose(row)]
    least = settings.min_examined if settings is not None else None
    lacking = [f"{quote(name)} {seen} of {whole}" for name, (seen, whole) in too_few(rows, least).items()]
    unseen = list(dict.fromkeys(row.id for row in rows if is_unexamined(row)))
    if not lacking or (settings is not None and settings.strict and unseen):
        named = f": {quote(id_ranges(unseen))}" if unseen else ""
        yield f"Under --strict, requirements that were not examined fail the run{named}."
    if lacking:
        yield f"--min-examined {least} is not reached: {comma_list(lacking, _NAMED, str)} examined."


def _set_of_requirements(run: RunInfo, quote: Callable[[str], str]) -> list[str]:
    """A sentence on the set of requirements, if the run names one."""
    if run.settings is None or run.settings.requirements_as_of is None:
        return []
    found = comma_list(run.left_out, _NAMED, quote)
    newer = f"{plural(len(run.left_out), 'newer one')} left out ({found})" if found else "no newer ones exist"
    return [f"Judged by the requirements of {quote(run.settings.requirements_as_of)}: {newer}."]


def why_incomplete(result: Findings) -> str:
    """Why a run did not judge everything, in words."""
    if result.run.exit == Exit.BROKE:
        return "The suite itself broke"
    return "The run was interrupted" if result.run.exit == Exit.INTERRUPTED else "The run stopped early"


def missing_shards(run: RunInfo) -> list[int]:
    """The numbers of the shards that a merged result lacks."""
    shards = [joined.shard for joined in run.joined if joined.shard is not None]
    found = {shard.number for shard in shards}
    return [number for number in range(1, shards[0].of + 1) if number not in found] if shards else []


def tested(settings: RunSettings | None) -> list[tuple[str, str]]:
    """What the operator says of what was tested: what it is, and its value; labels, then artifacts."""
    if settings is None:
        return []
    labels = [(f"label {label.name}", label.value) for label in settings.labels]
    return labels + [("artifact", str(one)) for one in settings.subjects]


def repeat_hint(run: RunInfo) -> str:
    """How to send the same requests again."""
    if _has_several_seeds(run):
        return "each target's own report names the seed that repeats its run"
    return how_to_repeat(run.seed)


def seed_text(run: RunInfo) -> str:
    """The seed of a run, or where those of its parts are named."""
    return "seeds in each target's report" if _has_several_seeds(run) else f"seed {run.seed}"


def _has_several_seeds(run: RunInfo) -> bool:
    return len({run.seed, *(joined.seed for joined in run.joined)}) > 1


def spent(result: Findings) -> str:
    """How many requests a run sent to all of its targets, and how many animals it left there."""
    requests = sum(target.requests.total for target in result.targets)
    posts = sum(target.requests.post for target in result.targets)
    created = sum(len(target.created) for target in result.targets)
    return (
        f"{plural(requests, 'request')} to {plural(len(result.targets), 'target')}, {posts:,} of them POST; "
        f"{plural(created, 'animal')} left behind"
    )


def request_summary(target: TargetInfo) -> str:
    """How many requests a target got, in total and by method, and how many of them were property examples."""
    spent = target.requests
    sentence = f"{plural(spent.total, 'request')} ({spent.get:,} GET, {spent.post:,} POST)"
    if not spent.examples:
        return sentence
    return (
        f"{sentence}, {spent.examples:,} of them {'a property example' if spent.examples == 1 else 'property examples'}"
    )


def waits(target: TargetInfo) -> str:
    """How long a run waited for a target, and how many responses were 429; empty if neither."""
    parts = [f"waited {target.waited_s:.1f} s"] if target.waited_s >= _WORTH_SAYING_S else []
    if target.rate_limited:
        parts.append(f"{plural(target.rate_limited, 'response')} {'was' if target.rate_limited == 1 else 'were'} 429")
    return ", ".join(parts)


def left_behind(target: TargetInfo) -> str:
    """The animals that a run created, by their ids: no operation deletes them."""
    ids = sorted({animal.id for animal in target.created if animal.id is not None})
    unknown = sum(animal.id is None for animal in target.created)
    named = [f"{'id' if len(ids) == 1 else 'ids'} {comma_list(_ranges(list(map(str, ids))))}"] if ids else []
    named += [f"{unknown} of unknown id"] if unknown else []
    whole = f"{'up to ' if unknown else ''}{plural(len(target.created), 'animal')}"
    return f"{whole} ({'; '.join(named)}); the interface cannot delete them"


def repeats_note(target: TargetInfo) -> str:
    """A sentence on the requests beyond the plan and the forgiven answers; empty if there are none."""
    spent = target.requests
    parts = []
    if beside := sum(spent.repeats.values()):
        causes = ", ".join(f"{number} {cause}" for cause, number in spent.repeats.items())
        parts.append(f"{plural(beside, 'request')} in addition to the {spent.total - beside} planned: {causes}")
    if spent.lost:
        were = "was" if spent.lost == 1 else "were"
        parts.append(f"{plural(spent.lost, 'request')} {were} lost on a connection that the server had closed")
    for status, number in spent.forgiven.items():
        gone = "gone on the second try" if number == 1 else "each gone on the second try"
        parts.append(f"{plural(number, 'answer')} {'was' if number == 1 else 'were'} {status}, {gone}")
    return f"{'; '.join(parts)}." if parts else ""


def where(targets: Sequence[str], result: Findings, quote: Callable[[str], str] = printable) -> str:
    """The targets that something is about, as ` on a, b`, of a fleet with their number; empty if there is only one."""
    names, whole = comma_list(targets, _NAMED, quote), len(result.targets)
    if fleet.is_fleet(result):
        return f" on {len(targets):,} of {whole:,} targets ({names})"
    return f" on {names}" if whole > 1 else ""


def id_ranges(ids: Sequence[str]) -> str:
    """Ids with commas between; three or more numbers in a row are a range: `CREATE-5 to CREATE-8, AUTH-5`."""
    return printable(", ".join(_ranges(ids)), _IDS_LIMIT, whole_in="result.json")


def _ranges(ids: Sequence[str]) -> list[str]:
    numbered = [name.rpartition("-") for name in ids]
    parts = []
    places = (
        (place, group, int(number) if number.isdecimal() else None) for place, (group, _, number) in enumerate(numbered)
    )
    for _, run in groupby(places, lambda row: (row[1], row[0] if row[2] is None else row[2] - row[0], row[2] is None)):
        names = [ids[place] for place, _, _ in run]
        parts += [f"{names[0]} to {names[-1]}"] if len(names) >= _RANGE else names
    return parts


def _days_left(waiver: AppliedWaiver, run: RunInfo) -> int:
    """Days from the day of the run to the last day of the waiver; negative after it."""
    return (date.fromisoformat(waiver.expires) - date.fromisoformat(run.started[:10])).days
