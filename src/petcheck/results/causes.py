"""Groups failures that very likely have one cause, so that a reader fixes the server once and not ten times.

The groups rest on what decided each failure: the part of the exchange, and the response there. A wrong group hides
nothing, since each requirement keeps its own row in every view. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from petcheck.exchange import Exchange
from petcheck.grouping import grouped
from petcheck.judging.frequency import CHANCE
from petcheck.judging.matchers import one_of
from petcheck.judging.statuses import problem_of_status
from petcheck.judging.suspects import SIMPLIFIED
from petcheck.judging.verdicts import Verdict
from petcheck.results import fleet, totals
from petcheck.results.deciding import (
    AT_ONCE,
    MOST,
    NOT_JSON,
    NOT_SERVED,
    TOO_LONG,
    UNREAD,
    DecidingExchange,
    accepted_keys,
    by_index,
    created_by,
    decisions_of,
    lacks,
    member_of,
    names_at,
    quotes_a_body,
    repeats,
    without_circumstances,
)
from petcheck.results.result import Result
from petcheck.sanitize import printable
from petcheck.spec.figures import ERROR_FIELDS, PET_REQUIRED, RATE_HEADERS
from petcheck.spec.operations import Operation

# what follows the finding itself, without the status that was returned instead
_REST = re.compile(r" \(section [^)]*\)(, got [^.;]+)?.*", re.DOTALL)
# what the title of several rows says already
_SAID = re.compile(r": expected \d{3}(?: or \d{3})* \(section [^)]*\), got [^.;]+")
_STATUSES = 5  # statuses that a title names
SHOWN_BESIDE = 8
"""Of how many requirements of a cause a short report shows their own example."""

_ONLY_ANIMALS = "seen only in the animals that these POSTs created"
_ONLY_KEYS = "only with keys that are accepted, so what the server then says is about the rest of the request"

_Found: TypeAlias = Mapping[Verdict, Sequence[DecidingExchange]]


@dataclass(frozen=True, slots=True)
class Cause:
    """Failures of one target that very likely have one cause.

    `rows` are in the document's order, at least one; those of `follow`, which only repeat what the others show, come
    last. `shown` is the row whose reason says it best. `title` says in a few words what the server does; for a single
    row it is the requirement's statement. `summary` does so in one line in either case, and says whether it comes now
    and then. `exchange` is the one that shows it best, and `part` its deciding part; None where the recording does not
    hold it. `another` is true if the reason of `shown` is about another exchange, which another cause explains. `then`
    is a later exchange without which it shows nothing, and its part; `before` one before it on the same connection. In
    a fleet a cause is one requirement, and `others` are the other targets that fail it.
    """

    title: str
    summary: str
    rows: tuple[Verdict, ...]
    shown: Verdict
    exchange: Exchange | None
    part: str
    follow: tuple[Verdict, ...] = ()
    another: bool = False
    then: tuple[Exchange, str] | None = None
    others: tuple[str, ...] = ()
    before: Exchange | None = None

    @property
    def target(self) -> str:
        """The name of the target."""
        return self.rows[0].target

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets that it is about: one, except in a fleet."""
        return (self.target, *self.others)

    @property
    def reason(self) -> str:
        """What is wrong: the reason of `shown`; of a status that another exchange has, in a sentence about that one."""
        exchange, expected = self.exchange, self.shown.expected
        if not self.another or exchange is None or self.part != "status" or not expected:
            return self.shown.reason
        problem = problem_of_status(exchange, expected, section=self.shown.section)
        return f"{exchange.request.summary}: {problem.text}."

    @property
    def ids(self) -> str:
        """The ids of its requirements; three or more in a row are a range: `CREATE-5 to CREATE-8, AUTH-5`."""
        return totals.id_ranges([row.id for row in self.rows])

    @property
    def followers(self) -> Mapping[str, str]:
        """Why rows only repeat what the others show, in words, each with the ids of those rows."""
        found = grouped((_ONLY_KEYS if row.expected else _ONLY_ANIMALS, row.id) for row in self.follow)
        return {totals.id_ranges(ids): why for why, ids in found.items()}

    @property
    def beside(self) -> tuple[tuple[str, str], ...]:
        """What the other rows found which show the cause itself: the ids and the reason that they share.

        The response is not named again if it is the same.
        """
        _, simplified, example = self.reason.partition(SIMPLIFIED)
        response, colon, _ = self.reason.partition(": ")
        same = response + colon if colon else ""
        others = (row for row in self.rows[: len(self.rows) - len(self.follow)] if row.reason != self.reason)
        reasons = ((row.reason.removesuffix(simplified + example), row.id) for row in others)
        found = grouped(
            (_SAID.sub("", one) if self.part == "status" else one.removeprefix(same), name) for one, name in reasons
        )
        return tuple((totals.id_ranges(names), reason) for reason, names in found.items())


def causes(result: Result, evidence: Iterable[Exchange]) -> tuple[Cause, ...]:
    """The causes of all failures, by target, and in the document's order of their first requirements.

    `evidence` are exchanges of the run, the deciding ones among them.
    """
    if fleet.is_fleet(result):
        return _of_fleet(result)
    entries = by_index(evidence)
    found: list[Cause] = []
    for target in result.targets:
        rows = [row for row in totals.with_outcome(result, "fail") if row.target == target.name]
        found += _of_target({row: decisions_of(row, entries) for row in rows}, created_by(rows, entries))
    return tuple(found)


def by_target(found: Iterable[Cause]) -> Mapping[str, int]:
    """How many of the causes each target has."""
    return Counter(cause.target for cause in found)


def cause_of(row: Verdict, evidence: Iterable[Exchange]) -> Cause:
    """The cause of one failure; `evidence` are exchanges of the run."""
    return _cause([row], [], {row: decisions_of(row, by_index(evidence))})


def _of_fleet(result: Result) -> tuple[Cause, ...]:
    """The requirements that fail on some target: those that most targets fail first."""
    found = grouped((row.id, row) for row in totals.with_outcome(result, "fail"))
    made = [
        replace(_cause([first], [], {first: []}), others=tuple(row.target for row in others))
        for first, *others in found.values()
    ]
    return tuple(sorted(made, key=lambda cause: -len(cause.others)))


def _of_target(found: _Found, created: Mapping[Hashable, Hashable]) -> list[Cause]:
    found = _one_race(_one_chance(found))
    accepted = accepted_keys(found)
    known = {each[0].mark for each in found.values() if len({one.mark for one in each}) == 1}
    leading: dict[Hashable, list[Verdict]] = {}
    follow: dict[Hashable, list[Verdict]] = {}
    own: dict[Verdict, list[DecidingExchange]] = {}
    origins = {row: [one.origin(created, accepted) for one in decisions] for row, decisions in found.items()}
    for row, decisions in found.items():
        # only in animals that should not be there, or to keys that should be refused: all of one origin
        if len(row.decisive) <= MOST and len(set(origins[row])) == 1 and None not in origins[row]:
            follow.setdefault(origins[row][0], []).append(row)
            continue
        # what another failure shows by itself says nothing new here
        alone = len({one.mark for one in decisions}) <= 1
        new = [
            one
            for one, origin in zip(decisions, origins[row], strict=True)
            if origin is None and (alone or one.mark not in known)
        ] or list(decisions)
        own[row] = [one for one in new if one.mark == new[0].mark]
        leading.setdefault(new[0].mark if new else row.id, []).append(row)
    for mark in [mark for mark in follow if mark not in leading]:  # nothing leads it, so each is a cause by itself
        for row in follow.pop(mark):
            own[row] = list(found[row])
            leading[row.id] = [row]
    return [_cause(rows, follow.get(mark, []), found, own) for mark, rows in leading.items()]


def _one_chance(found: _Found) -> _Found:
    """The decisions, marked alike where a fault comes now and then: whichever operation and status it then meets."""
    seen = {_part_of(one) for row, decisions in found.items() if row.by_chance for one in decisions}
    return {
        row: [replace(one, mark=without_circumstances(one)) if _part_of(one) in seen else one for one in decisions]
        for row, decisions in found.items()
    }


def _one_race(found: _Found) -> _Found:
    """The decisions, marked alike where requirements fail in the same requests at the same time, and only there."""
    first = {
        row: min(one.exchange.burst or 0 for one in decisions)
        for row, decisions in found.items()
        if decisions and row.frequency and row.frequency.when == "at the same time"
    }
    return {
        row: [replace(one, mark=(AT_ONCE, first[row])) for one in decisions] if row in first else decisions
        for row, decisions in found.items()
    }


def _part_of(one: DecidingExchange) -> tuple[int, str]:
    return one.exchange.index, one.part.partition(":")[0]


def _is_race(mark: Hashable) -> bool:
    return isinstance(mark, tuple) and mark[:1] == (AT_ONCE,)


# ---- in words


def _cause(rows: Sequence[Verdict], follow: Sequence[Verdict], found: _Found, own: _Found | None = None) -> Cause:
    """The cause of `rows` and those that `follow`.

    `found` has all decisions of a row, `own` those that show the cause, where these are fewer.
    """
    own = own or found
    shown = _shown(rows, own)
    deciding = own[shown][0] if own[shown] else None
    another = deciding is not None and found[shown][0].exchange != deciding.exchange
    every = [one for row in dict.fromkeys((shown, *rows)) for one in own[row]]
    title = _title(shown, rows, every, by_reason=len(rows) == 1 and not another) if deciding else ""
    chance = CHANCE[shown.frequency.when] if shown.frequency and shown.frequency.responses not in title else ""
    title += chance if title else ""
    single = len(rows) == 1 and (not follow or not title)
    summary = title or _REST.sub(r"\1", shown.reason) + chance
    return Cause(
        shown.statement if single else title or summary,
        summary,
        (*rows, *follow),
        shown,
        deciding.exchange if deciding else None,
        deciding.part if deciding else "",
        tuple(follow),
        another,
        None if another else _then(found[shown]),
        before=None if deciding is None or another else deciding.before,
    )


def _shown(rows: Sequence[Verdict], own: _Found) -> Verdict:
    """The row that says it best: how often it comes; of what is wrong in an animal, one that says what was sent."""
    by_chance = [(-row.frequency.wrong, at) for at, row in enumerate(rows) if row.frequency and row.by_chance]
    if by_chance:
        return rows[min(by_chance)[1]]
    in_pets = own[rows[0]] and own[rows[0]][0].part.startswith("body:") and own[rows[0]][0].exchange.heard.status < 300
    said = (row for row in rows if own[row][0].exchange.request.operation is Operation.CREATE_PET) if in_pets else ()
    return next(iter(said), rows[0])


def _then(decisions: Sequence[DecidingExchange]) -> tuple[Exchange, str] | None:
    """The second exchange, if the first shows nothing without it: what was sent before, or another part."""
    if len(decisions) < 2:
        return None
    first, second = decisions[:2]
    created = repeats(first.exchange, first.part) or (first.part == "body" and first.exchange.status == 201)
    kinds = {one.part.partition(":")[0] for one in (first, second)}
    later = created and second.exchange.request.operation is not Operation.CREATE_PET
    return (second.exchange, second.part) if later or len(kinds) > 1 else None


def _title(shown: Verdict, rows: Sequence[Verdict], every: Sequence[DecidingExchange], *, by_reason: bool) -> str:
    """What the server does, in a few words; empty where the first row's reason says it best, if `by_reason`."""
    exchange, part, mark = every[0].exchange, every[0].part, every[0].mark
    kind, _, which = part.partition(":")
    if exchange.status is None:
        return f"No answer to {exchange.request.operation}"
    if _is_race(mark) and len({without_circumstances(one) for one in every}) > 1:
        return f"{one_of(_operations(every), 'and')} {'answers' if len(_operations(every)) == 1 else 'answer'} wrongly"
    if mark == (UNREAD,):
        takes = "takes" if any(quotes_a_body(one.exchange) for one in every) else "may take"
        return f"The server {takes} an unread POST body for the next request; read every body, or close the connection"
    if kind == "status":
        return _of_status(rows, every) if rows[0].expected else ""
    if mark in ((NOT_JSON, True), (NOT_JSON, False)):
        return f"The body of {_responses(shown, every)} is not JSON"
    names = list(dict.fromkeys(printable(one.part.partition(":")[2]) for one in every))
    if kind == "header" and lacks(exchange, which):
        missing = "rate limit headers" if set(names) == set(RATE_HEADERS) else one_of(names, "and")
        return f"No {missing} in {_responses(shown, every)}"
    if by_reason or not kind:
        return ""
    if kind == "header":
        return f"Wrong {one_of(names, 'and')}"
    place = "the list" if exchange.request.operation is Operation.LIST_PETS and not which else "a Pet"
    if exchange.heard.status >= 400:
        place = f"the body of {_responses(shown, every)}"
    if member_of(which):
        return f"Wrong `{printable(member_of(which))}` in {place}"
    there = names_at(exchange, which)
    if not isinstance(there, tuple):  # a page as a whole
        return "Pages hold more animals than they may" if there == TOO_LONG else ""
    fields = ERROR_FIELDS if exchange.heard.status >= 400 else PET_REQUIRED
    lacking = [f"`{name}`" for name in fields if name not in there]
    if not lacking:
        return ""
    return f"No {one_of(lacking, 'and')} in {place}" if len(lacking) >= len(rows) else f"Wrong members in {place}"


def _of_status(rows: Sequence[Verdict], every: Sequence[DecidingExchange]) -> str:
    operations = _operations(every)
    statuses = one_of([str(status) for status in sorted({one.exchange.heard.status for one in every})])
    said = f"{operations[0]} returns {statuses}" if len(operations) == 1 else f"Several operations return {statuses}"
    required = dict.fromkeys(row.expected for row in rows if row.expected[:1].isdigit())
    wanted = " or ".join(dict.fromkeys(part for one in required for part in one.split(" or ")))
    if every[0].mark == (NOT_SERVED, every[0].exchange.request.operation):
        return said
    if wanted:
        return f"{said} where {wanted} is required"
    return said


def _operations(every: Sequence[DecidingExchange]) -> list[str]:
    return list(dict.fromkeys(str(one.exchange.request.operation) for one in every))


def _responses(shown: Verdict, every: Sequence[DecidingExchange]) -> str:
    """Which responses are wrong: those of some statuses, if all of these are and no others."""
    often = shown.frequency
    if often is not None and not (often.responses == often.of_what and often.of_what.endswith("responses")):
        return often.responses
    found = sorted({one.exchange.heard.status for one in every})
    if len(found) > _STATUSES:
        return "most responses"
    return f"{one_of(list(map(str, found)), 'and')} responses"
