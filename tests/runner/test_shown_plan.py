"""The plan that `--dry-run` prints is the plan that a run with that seed sends."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

import pytest

from petcheck.call import Form
from petcheck.config.options import Config
from petcheck.config.targets import TargetConfig, Url
from petcheck.exchange import Exchange
from petcheck.judging.request_bodies import asked_for
from petcheck.plan.bodies import DEFECTS
from petcheck.plan.keys import key_plan
from petcheck.runner import shown_plan
from petcheck.runner.dry_run import Forecast, forecasts
from petcheck.spec.operations import Operation, allowed_operations
from petcheck.wire.credentials import ApiKey
from petcheck.words import shortened
from tests.support.forked import petcheck
from tests.support.trial import Trial, configured, judge_in_place, server, without_network

SOURCE = Url("https://host/v1", ApiKey("k-123"))
DAY = date(2026, 11, 21)
RUNS = [("7", "--allow-writes"), ("8",), ("9", "--allow-writes", "--choose", "AUTH-5"), ("9", "--choose", "AUTH-2"),
        ("9", "--allow-writes", "--choose", "AUTH-6"), ("9", "--allow-writes", "--choose", "CREATE-6")]  # fmt: skip
RUNS_WITH_EXAMPLES = [("0", "--allow-writes"), ("3", "--allow-writes"), ("5",),
                      ("4", "--allow-writes", "--choose", "CREATE-6"), ("1", "--allow-writes", "--choose", "GET-1"),
                      ("2", "--allow-writes", "--choose", "LIST-3"),
                      ("4", "--allow-writes", "--choose", "AUTH-5")]  # fmt: skip


@dataclass(frozen=True)
class Printed:
    """A plan as a reader sees it: the rows below each heading, each in one line."""

    rows: dict[str, list[str]]

    def below(self, heading: str) -> list[str]:
        return next((rows for name, rows in self.rows.items() if name.startswith(heading)), [])

    def keys(self, heading: str) -> set[tuple[str, str]]:
        """The pairs of a kind of key and an operation."""
        found = set()
        for row in self.below(heading):
            if re.fullmatch(r"and \d+ more", row):
                continue
            key, requests = re.split(r"\s{2,}", row, maxsplit=1)[1].split(": ")
            found |= {(key, request.partition(" with ")[0]) for request in requests.split(", ")}
        return found


def printed(lines: Iterable[str]) -> Printed:
    rows: dict[str, list[str]] = {}
    for line in lines:
        depth, text = len(line) - len(line.lstrip()), line.strip()
        if depth == 2:
            rows[text] = []
        elif depth == 4 and rows:
            rows[list(rows)[-1]].append(text)
        elif rows and rows[list(rows)[-1]]:
            rows[list(rows)[-1]][-1] += f" {text}"
        elif rows:  # more of the heading
            name, below = rows.popitem()
            rows[f"{name} {text}"] = below
    return Printed(rows)


def plan_of(config: Config) -> Printed:
    lines = list(shown_plan.dry_run(forecasts(config)))
    return printed(lines[lines.index(f"--seed {config.seed} sends this plan:") + 1 :])


@cache
def run(seed: str, *options: str) -> tuple[Trial, Printed]:
    """A run without examples against the reference server, and what a dry run prints for the same command."""
    return run_with_examples(seed, "--examples", "0", *options)


@cache
def run_with_examples(seed: str, *options: str) -> tuple[Trial, Printed]:
    with server(plan="enterprise") as url:
        arguments = ("--seed", seed, *options)
        trial = judge_in_place(url, *arguments)
        with without_network():
            return trial, plan_of(configured("--target", url, *arguments))


def without_key(trial: Trial) -> set[tuple[str, str]]:
    asked = [one.request for one in trial.exchanges if not one.request.has_valid_key]
    return {(request.credential.value, str(request.operation)) for request in asked}


@pytest.mark.parametrize("options", RUNS)
def test_the_keys_that_are_sent_are_those_of_the_plan(options: tuple[str, ...]) -> None:
    trial, plan = run(*options)
    needed, sent = plan.keys("invalid keys that a pass needs"), without_key(trial)
    assert needed <= sent
    named = plan.keys("other invalid keys")
    assert not plan.keys("more invalid keys")
    if "--choose" in options:  # a choice leaves more requests than a run usually has
        allowed = allowed_operations(writes="--allow-writes" in options, as_of=DAY)
        known = {(cell.key.value, str(cell.operation)) for cell in key_plan(int(options[0]), allowed).others}
        assert named <= sent
        assert sent - needed - named <= known
    else:
        assert sent <= needed | named
    assert bool(sent) == ("CREATE-6" not in options)


@pytest.mark.parametrize("options", RUNS_WITH_EXAMPLES)
def test_a_run_with_examples_sends_more_keys(options: tuple[str, ...]) -> None:
    trial, plan = run_with_examples(*options)
    named = plan.keys("invalid keys that a pass needs") | plan.keys("more invalid keys")
    assert named <= without_key(trial)
    if "AUTH-5" not in options:
        assert len(without_key(trial) - named) <= 1  # beside the animals
    assert bool(plan.keys("more invalid keys")) == ("--choose" not in options or "AUTH-5" in options)


@pytest.mark.parametrize("options", RUNS)
def test_the_first_pages_are_those_of_the_plan(options: tuple[str, ...]) -> None:
    trial, plan = run(*options)
    rows = plan.below("GET of these pages")
    named = " ".join(rows).split(", ") if rows else []
    asked = [one for one in trial.exchanges if one.request.operation is Operation.LIST_PETS]
    pages = [one.request.call.path for one in asked if one.request.has_valid_key]
    assert sorted(pages[: len(named)]) == sorted(map(_sorted_query, named))


def _sorted_query(path: str) -> str:
    name, _, query = path.partition("?")
    return f"{name}?{'&'.join(sorted(query.split('&')))}" if query else name


@pytest.mark.parametrize("options", RUNS)
def test_the_bodies_that_are_refused_are_those_of_the_plan(options: tuple[str, ...]) -> None:
    trial, plan = run(*options)
    labels = {label for row in plan.below("bodies") for label in re.split(r"\s{2,}", row)[1].split(", ")}
    posts = [one for one in trial.exchanges if one.request.operation is Operation.CREATE_PET]
    refused = {one.request.body for one in posts if one.request.has_valid_key and one.status == 400}
    assert labels == (
        {one.label for one in DEFECTS if one.label in labels} if "CREATE-6" in options else
        {one.label for one in DEFECTS} if len(refused) else set()
    )  # fmt: skip
    assert len(refused) == len(labels)


@pytest.mark.parametrize("options", RUNS[:2])
def test_the_first_other_form_is_that_of_the_plan(options: tuple[str, ...]) -> None:
    trial, plan = run(*options)
    rows = [row for row in plan.below("every other request") if not row.startswith("POST")]
    named = {row[:17].strip(): re.sub(r" and \d+ more", "", row[18:]) for row in rows}
    assert set(named) == {str(one) for one in Operation if one.safe}
    for operation in Operation:
        if operation.safe and named[str(operation)] != Form.TURNED.value:
            assert named[str(operation)] in _first_other_forms(trial.exchanges, operation)


def _first_other_forms(record: Iterable[Exchange], operation: Operation) -> set[str]:
    """The first form; several if it was sent with others at the same time, which are recorded as they finish."""
    others = [e for e in record if e.request.operation is operation and e.request.form not in (Form.PLAIN, Form.TURNED)]
    return {e.request.form.value for e in others if e is others[0] or (e.burst and e.burst == others[0].burst)}


# ---- animals and examples


def in_words(body: bytes | None, known: range = range(1_000)) -> str:
    """A body as the plan names it, which does not know what categories the pages show."""
    what = asked_for(body, known).what.replace(", which no listed animal has", "")
    return shortened(re.sub(r", `categoryId` -?\d+ and ", " and ", what))


def posted(trial: Trial, *, example: bool) -> list[Exchange]:
    """The POSTs with the valid key."""
    posts = [one for one in trial.exchanges if one.request.operation is Operation.CREATE_PET]
    return [one for one in posts if one.request.has_valid_key and one.example is example]


def got(trial: Trial) -> set[str]:
    """The paths of the GETs, shortened as the plan does it; a recording has no bytes that are not UTF-8."""
    paths = {one.request.call.path for one in trial.exchanges if one.request.operation.safe}
    return {_plainly(path) for path in paths}


def _plainly(path: str) -> str:
    path = path.replace(" times", "times").replace(" ", "")  # a long one is broken between two lines
    return shortened(_sorted_query(path.replace("%EF%BF%BD", "%FF"))).replace(" times", "times")


@pytest.mark.parametrize("options", [*RUNS_WITH_EXAMPLES, ("3", "--allow-writes", "--examples", "0"),
                                     ("3", "--allow-writes", "--connections", "1")])  # fmt: skip
def test_the_animals_that_are_created_are_those_of_the_plan(options: tuple[str, ...]) -> None:
    trial, plan = run_with_examples(*options)
    of_status = {row[:17].strip(): row[18:] for row in plan.below("animals to create")}
    sent = [(str(pet.get("status", "no status")), in_words(e.request.body))
            for e in posted(trial, example=False)
            if e.status == 201 and isinstance(pet := e.request.parsed.value, dict)]  # fmt: skip
    assert {*of_status} - {"beside them", "late"} == {status for status, _ in sent}
    beside, late = of_status.pop("beside them", ""), of_status.pop("late", "")
    for status, what in of_status.items():
        first = what.partition(";")[0].removesuffix(", in escapes of JSON")
        assert [one for _, one in sent if one.startswith(first)], status
    if not late.endswith("if a request is left"):
        assert (late != "") == any(e.request.form is Form.CHUNKED for e in posted(trial, example=False))
        assert len(sent) == len(of_status) + 2 * (beside != "") + (late != "")
    if beside:
        refused, page = (
            re.findall(r"POST of (.*) and of (.*), GET (\S+),", beside)[0][:2],
            re.findall(r"\S*\?\S+\b", beside),
        )
        in_query = {text.removesuffix(", with the fields in the query") for text in refused}
        assert in_query <= {in_words(e.request.body) for e in posted(trial, example=False)}
        asked = [e for e in posted(trial, example=False) if "?" in e.request.call.path]
        assert bool(asked) == (in_query != {*refused})
        assert {*page} <= got(trial)


@pytest.mark.parametrize("options", [*RUNS_WITH_EXAMPLES, ("5", "--examples", "60")])
def test_the_first_examples_are_those_of_the_plan(options: tuple[str, ...]) -> None:
    trial, plan = run_with_examples(*options)
    # a target that takes any category gets others
    bodies = [in_words(e.request.body, range(-(2**63), 2**63)) for e in posted(trial, example=True)]
    found = dict(row.split(": ", maxsplit=1) for row in plan.below("property examples"))
    for operation, told in found.items():
        texts = told.split("; ")
        more = [int(text[12:-5]) for text in texts if text.startswith("and at most")]
        named = texts[: len(texts) - len(more)]
        if operation == str(Operation.CREATE_PET):
            assert {text.removesuffix(NAMED).partition(", its body")[0] for text in named} <= {*bodies}
            assert len(bodies) <= len(named) + sum(more)
        else:
            paths = {_plainly(text) for text in named if text.startswith("/")}
            assert paths <= got(trial)
    asked = {str(e.request.operation) for e in trial.exchanges if e.example}
    assert {*found} <= asked
    assert ("POST /pets" in found) == bool(bodies)


NAMED = " and the id of an animal of the run"


@pytest.mark.parametrize(
    ("options", "left_out"),
    [
        (
            ("--max-requests", "20", "--allow-writes"),
            "animals to create, bodies of POST /pets that must be refused, property examples, at the end again",
        ),
        (("--max-requests", "45", "--allow-writes"), "property examples, at the end again"),
        (("--max-requests", "70", "--allow-writes"), ""),
        (("--max-requests", "20"), "property examples, at the end again"),
    ],
)
def test_what_comes_after_the_last_request_is_left_out(options: tuple[str, ...], left_out: str) -> None:
    trial, plan = run_with_examples("3", *options)
    most = options[1]
    names = [*plan.rows]
    assert names[0] == f"in this order, as far as --max-requests {most} allows:"
    told = [name for name in names if name.startswith("not sent")]
    assert told == [f"not sent, as --max-requests {most} ends the run before: {left_out}"] * bool(left_out)
    assert len(trial.exchanges) == int(most)
    posts = posted(trial, example=False)
    assert any(e.status == 201 for e in posts) == bool(plan.below("animals to create"))
    assert any(e.status == 400 for e in posts) == bool(plan.below("bodies"))
    assert any(e.example for e in trial.exchanges) == bool(plan.below("property examples"))


def test_a_run_that_may_send_everything_leaves_nothing_out() -> None:
    _, plan = run_with_examples(*RUNS_WITH_EXAMPLES[0])
    assert not [name for name in plan.rows if "--max-requests" in name]


def test_the_end_asks_as_often() -> None:
    _, plan = run(*RUNS[0])
    told = " ".join(plan.below("at the end again"))
    assert told.startswith("at most 6: the widest page, the page without parameters, an id that was not found, ")


# ---- how it looks


def forecast(name: str = "staging", **settings: Any) -> Forecast:
    target = TargetConfig(name, SOURCE, writes=settings.pop("writes", True))
    return Forecast(target, Config(DAY, 7, (target,), **settings))


@pytest.mark.parametrize("seed", range(20))
def test_the_plan_fits_a_terminal(seed: int) -> None:
    target = TargetConfig("staging", SOURCE, writes=True)
    lines = list(shown_plan.dry_run([Forecast(target, Config(DAY, seed, (target,)))]))
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 88


def test_targets_with_one_plan_share_it() -> None:
    same = list(shown_plan.dry_run([forecast("a"), forecast("b")]))
    assert [line for line in same if line.startswith("--seed")] == ["--seed 7 sends this plan:"]
    assert same[-1] == "    is drawn for each target"
    mixed = list(shown_plan.dry_run([forecast("a"), forecast("b", writes=False), forecast("c")]))
    assert [line for line in mixed if line.startswith("--seed")] == [
        "--seed 7 sends this plan to a, c:",
        "--seed 7 sends this plan to b:",
    ]


def test_a_removed_operation_is_in_no_plan() -> None:
    target = TargetConfig("staging", SOURCE, writes=True)
    late = Forecast(target, Config(date(2030, 12, 5), 7, (target,)))
    assert not any("petId" in line for line in shown_plan.dry_run([late]))


def test_a_dry_run_draws_the_seed_that_sends_its_plan(tmp_path: Any) -> None:
    first = petcheck(tmp_path, "--target", "https://host.example/v1", "--dry-run")
    [seed] = re.findall(r"^--seed (\d+) sends this plan:$", first.out, re.MULTILINE)
    again = petcheck(tmp_path, "--target", "https://host.example/v1", "--dry-run", "--seed", seed)
    assert (first.code, again.out) == (0, first.out)
