"""The data of `petcheck explain`, from runs against the reference server; as a program, writes it.

For every requirement: the requests of a run that chooses it, a conforming response, and the reasons why it stayed
undecided on conforming servers and in runs with fewer permissions.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from datetime import date
from typing import Any

from petcheck.cli.explain import DATA, Answer, Explanation, explanations
from petcheck.exchange import Exchange, Response
from petcheck.judging.creations import categories_in
from petcheck.judging.matchers import described
from petcheck.judging.request_bodies import asked_for
from petcheck.spec.catalogue import Requirement, catalogue
from petcheck.spec.figures import CONTENT_TYPE, RATE_HEADERS, RATE_RESET, REMOVAL_DAY
from petcheck.spec.operations import Operation
from petstore_reference.variations import VARIATIONS
from tests.support.trial import Hurried, Trial, judge_in_place, server
from tools.kill_matrix import run_variation

_SENT, _REASONS = 12, 5
_SEED = 7
_EVERYTHING = ("--allow-writes", "--exhaust-rate-limit", "--plan", "free")
# these need several exchanges, and the last one shows it best; for the others it is the first
_SHOWN_LAST = {"CREATE-12", "CREATE-13", "RATE-6", "RATE-7", "LIST-7", "LIST-8", "LIST-5", "GET-2", "GET-4"}
_OF_A_RUN = (
    (r" Otherwise confirmed in \d+ exchanges?\.", ""),
    (r"\bOnly \d+ animals?( with status \S+)? (is|are) known", r"Only N animals\1 are known"),
    (r"\b\d+ of \d+ refused", "N of M refused"),
)
_HEADERS = (CONTENT_TYPE, *RATE_HEADERS, "Retry-After")
# any time will do, and with the same one only what is explained changes the file
_MOMENT = "1795608060"
# runs in which something cannot be judged: the options, and the number of animals
_POOR_RUNS: tuple[tuple[Sequence[str], int], ...] = (
    ((), 130),
    ((), 0),
    ((), 12),
    (("--allow-writes",), 0),
    (("--allow-writes",), 12),
    (("--allow-writes",), 130),
    (("--allow-writes", "--exhaust-rate-limit", "--plan", "free", "--max-wait", "1"), 130),
)


def _judged(*options: str, animals: int = 130, as_of: date | None = None) -> Trial:
    clock = Hurried(200)
    with server(animals=animals, plan="free", as_of=as_of, clock=clock) as url:
        more = ["--as-of", as_of.isoformat()] if as_of else []
        return judge_in_place(url, *options, *more, "--examples", "0", clock=clock, seed=_SEED)


def explanation(entry: Requirement) -> Explanation:
    """The requests of a run that chooses a requirement, and a conforming response."""
    day = REMOVAL_DAY if entry.start is not None else None
    options = [*_EVERYTHING, "--max-wait", "200", "--choose", entry.id]
    trial = _judged(*options, as_of=day)
    sent = list(dict.fromkeys(_in_words(each, trial.exchanges) for each in trial.exchanges))
    row = next(row for row in trial.result.requirements if row.id == entry.id)
    behind = [each for each in trial.exchanges if each.index in row.exchanges and isinstance(each.answer, Response)]
    place = -1 if entry.id in _SHOWN_LAST else 0
    return Explanation(tuple(sent[:_SENT]), len(sent), _answer(behind[place], trial.exchanges) if behind else None)


def _in_words(exchange: Exchange, record: Sequence[Exchange]) -> str:
    """The request, with what its body is, without the ids that a run draws."""
    words = described(exchange)
    if exchange.request.operation is Operation.GET_PET:
        words = re.sub(r"/-?\d{10,}", "/{an id that no animal has}", words)
        words = re.sub(r"/\d+", "/{id}", words)
    if exchange.request.operation is not Operation.CREATE_PET:
        return words
    what = asked_for(exchange.request.body, categories_in(record)).what
    return f"{words}, {what}" if " with " in words else f"{words} with {what}"


def _answer(exchange: Exchange, record: Sequence[Exchange]) -> Answer:
    response = exchange.answer
    if not isinstance(response, Response):
        raise TypeError("an answer is a response")
    found = {name: value for name in _HEADERS if (value := response.header(name)) is not None}
    headers = tuple((found | {RATE_RESET: _MOMENT} if RATE_RESET in found else found).items())
    return Answer(_in_words(exchange, record), response.status, response.reason, headers, _short(response.body))


def _short(body: bytes) -> str:
    """A body as text; for a list, the first item and how many follow."""
    value = json.loads(body) if body else ""
    if isinstance(value, list) and len(value) > 1:
        return f"[{json.dumps(value[0], ensure_ascii=False)}, … {len(value) - 1} more]"
    return json.dumps(value, ensure_ascii=False) if body else ""


def _reasons_in(trial: Trial) -> Iterator[tuple[str, str]]:
    for row in trial.result.requirements:
        if row.in_force and row.outcome in ("inconclusive", "not-run"):
            yield row.id, row.reason


def _of_poor_run(run: tuple[Sequence[str], int]) -> list[tuple[str, str]]:
    return list(_reasons_in(_judged(*run[0], animals=run[1])))


def _of_variation(name: str) -> list[tuple[str, str]]:
    return list(_reasons_in(run_variation((name,), "--examples", "0", writes=True)))


def reasons(pool: ProcessPoolExecutor) -> dict[str, list[str]]:
    """Why each requirement stays undecided, the most frequent reason first."""
    found: dict[str, dict[str, int]] = {}
    for pairs in [*pool.map(_of_poor_run, _POOR_RUNS), *pool.map(_of_variation, VARIATIONS)]:
        for name, reason in pairs:
            general = _without_numbers(reason)
            if not re.search(r"\b(animal|id)s? \d|(?!\b10[01]\b)\d{3}|--max-", general):
                counted = found.setdefault(name, {})
                counted[general] = counted.get(general, 0) + 1
    return {name: sorted(counted, key=lambda r: -counted[r])[:_REASONS] for name, counted in found.items()}


def _without_numbers(text: str) -> str:
    """A reason without the numbers that belong to its run."""
    for pattern, general in _OF_A_RUN:
        text = re.sub(pattern, general, text)
    return text


def as_json(explained: Mapping[str, Explanation]) -> str:
    """The file's text."""
    rows: dict[str, Any] = {name: asdict(each) for name, each in explained.items()}
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def examined() -> list[Requirement]:
    """The requirements that are explained: those that a check can see."""
    return [entry for entry in catalogue().judged if not entry.untestable]


def with_every_requirement() -> str:
    """The file's text, with a run for each requirement that it does not explain yet."""
    kept = explanations() if DATA.exists() else {}
    return as_json({entry.id: kept.get(entry.id) or explanation(entry) for entry in examined()})


def main() -> int:
    """Run everything and write the file."""
    entries = examined()
    with ProcessPoolExecutor(2) as pool:
        explained = dict(zip((entry.id for entry in entries), pool.map(explanation, entries), strict=True))
        undecided = reasons(pool)
    for name, each in explained.items():
        explained[name] = Explanation(each.sent, each.kinds, each.answer, tuple(undecided.get(name, ())))
    DATA.write_text(as_json(explained), encoding="utf-8")
    print(f"{len(explained)} requirements, {sum(len(each.undecided) for each in explained.values())} reasons")
    return 0


if __name__ == "__main__":
    sys.exit(main())
