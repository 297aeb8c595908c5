"""A whole run against the reference server: its output, its cost, and what it leaves unjudged."""

from __future__ import annotations

from datetime import date

import pytest

from petcheck.cli.requirements import rows
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import OPEN_LISTS
from petcheck.spec.files import suite_file
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.once import made_once
from tests.support.trial import KEY, Hurried, Trial, judge, judge_in_place, server

REMOVAL = date(2030, 12, 5)


@made_once
def with_everything() -> Trial:
    clock = Hurried(200)
    with server(clock=clock) as url:
        return judge(url, "--allow-writes", "--exhaust-rate-limit", "--plan", "pro", clock=clock)


@made_once
def only_reading() -> Trial:
    with server() as url:
        return judge(url)


@pytest.fixture
def everything() -> Trial:
    """A run with everything allowed."""
    return with_everything()


@pytest.fixture
def reading() -> Trial:
    """A run that only reads."""
    return only_reading()


def test_exactly_the_requirements_of_the_catalogue_have_a_verdict(everything: Trial) -> None:
    assert [row.id for row in everything.result.requirements] == [entry.id for entry in catalogue().judged]


def test_every_open_point_is_observed_or_said_to_be_untestable(everything: Trial) -> None:
    assert {row.id for row in everything.result.observations} == {entry.id for entry in catalogue().observed}
    untestable = {entry.id for entry in catalogue().entries if entry.open and entry.untestable}
    assert {row.id for row in everything.result.untestable} == untestable


def test_every_check_names_entries_of_the_catalogue_and_every_testable_one_has_a_check(everything: Trial) -> None:
    checked = {name for row in everything.result.checks for name in row.requirements}
    assert checked == {entry.id for entry in catalogue().judged if not entry.untestable}


def test_the_listing_names_the_file_that_judges(everything: Trial) -> None:
    files = {(name, row.id.partition("::")[0]) for row in everything.result.checks for name in row.requirements}
    # these try again what the file of its section judges
    again = {"checks/test_properties.py", "checks/test_end.py"}
    assert {pair for pair in files if pair[1] not in again} == {
        (row["id"], row["checks"]) for row in rows(catalogue()) if row["level"] != "open" and row["checks"]
    }
    observed = {row["id"]: row["checks"] for row in rows(catalogue()) if row["level"] == "open" and row["checks"]}
    assert observed["orders-payload"] == "checks/test_4_4_other.py"
    for name, file in observed.items():
        if name in OPEN_LISTS:
            assert (file, "OPEN_LISTS" in suite_file(file).read_text("utf-8")) == ("checks/test_4_1_list.py", True)
            continue
        # what exchanges of many checks show has no check of its own
        others = (path for path in suite_file("checks").glob("*.py") if f"checks/{path.name}" not in {file, *again})
        assert [path.name for path in others if f'"{name}"' in path.read_text("utf-8")] == []


def test_a_conforming_server_fails_nothing_and_unexamined_requirements_are_named(everything: Trial) -> None:
    assert everything.exit == 0
    assert everything.ids("fail") == everything.ids("error") == set()
    assert everything.ids("inconclusive") == {"CREATE-11", "LIST-8"}
    assert everything.ids("not-run") == {"GET-4", "RATE-10", "VERSION-2"}


def test_every_pass_has_evidence(everything: Trial) -> None:
    bare = {row.id for row in everything.result.requirements if row.outcome == "pass" and not row.exchanges}
    assert bare == set()


def test_a_read_only_run_sends_only_get(reading: Trial) -> None:
    count = reading.result.targets[0].requests
    assert (count.post, count.get) == (0, count.total)
    assert 45 <= count.total <= 54
    assert 8 <= count.examples <= 10
    assert reading.exit == 0
    assert reading.ids("not-run") >= {f"CREATE-{number}" for number in range(1, 15)} | {"AUTH-6"}


def test_a_run_with_writes_sends_at_most_a_hundred_requests_and_names_what_it_left_behind() -> None:
    with server() as url:
        trial = judge(url, "--allow-writes")
    target = trial.result.targets[0]
    assert target.requests.total <= 100
    # of those sent at the same time, the server chooses which comes first
    assert sorted(animal.id for animal in target.created if animal.id) == [*range(131, 131 + len(target.created))]
    run = trial.result.run.id
    assert [animal.name.partition(run)[0] for animal in target.created][:4] == ["=petcheck ", *["petcheck "] * 3]
    # the shortest name and an empty one have no room for the run's id; one that code may take for another value is that
    # value
    others = {animal.name for animal in target.created if run not in animal.name}
    assert others <= {"0", "", "null", "true", str(int(run, 16))}


def test_a_free_key_is_never_answered_429_however_often_it_runs() -> None:
    clock = Hurried(200)
    with server(plan="free", clock=clock) as url:
        trials = [judge_in_place(url, "--allow-writes", "--plan", "free", clock=clock) for _ in range(3)]
    assert [trial.result.targets[0].rate_limited for trial in trials] == [0, 0, 0]
    assert [trial.exit for trial in trials] == [0, 0, 0]


@pytest.mark.slow
def test_the_same_seed_sends_the_same_requests() -> None:
    runs = []
    for _ in range(2):
        with server() as url:
            runs.append(judge(url, "--allow-writes", "--seed", "41", "--connections", "1"))
    rows = [[(row.id, row.outcome, row.exchanges) for row in run.result.requirements] for run in runs]
    assert rows[0] == rows[1]
    assert runs[0].result.run.id == runs[1].result.run.id
    assert [row.name for row in runs[0].result.targets[0].created] == [
        row.name for row in runs[1].result.targets[0].created
    ]


@pytest.mark.parametrize(
    ("fault", "requirement", "left_open"),
    [
        ("stored-though-400", "CREATE-11", True),
        pytest.param("stored-though-401", "AUTH-6", False, marks=pytest.mark.slow),
    ],
)
def test_animals_of_an_earlier_run_with_the_same_seed_fail_nothing(
    fault: str, requirement: str, left_open: bool
) -> None:
    """A server is fixed and judged again with `--seed`, on the same store; then it is broken again."""
    broken, fixed = ReferenceSettings(keys={KEY: "pro"}, faults=(fault,)), ReferenceSettings(keys={KEY: "pro"})
    app = create_app(broken)
    store, outcomes = app.state.store, []
    for settings in (broken, fixed, broken):
        with running(create_app(settings, store=store)) as url:
            trial = judge_in_place(f"{url}/v1", "--allow-writes", "--seed", "7", "--examples", "0")
        outcomes.append((trial.ids("fail"), requirement in trial.ids("inconclusive")))
    assert outcomes == [({requirement}, False), (set(), left_open), ({requirement}, False)]


def test_a_cap_on_requests_is_strict_and_checks_of_one_get_come_first() -> None:
    with server() as url:
        trial = judge(url, "--allow-writes", "--max-requests", "10")
    assert trial.requests == 10
    assert trial.ids("pass") >= {"LIST-1", "LIST-2", "LIST-3", "LIST-6", "LIST-7", "GET-1", "GET-3"}
    assert trial.reasons["AUTH-4"] == "The run has reached its limit of 10 requests. Allow more with --max-requests."
    settled_by = {row.id: row.settled_by for row in trial.result.requirements}
    assert (settled_by["AUTH-4"], settled_by["CREATE-5"]) == ("--max-requests", "--max-requests")


# ---- no vacuous pass: a check that sees nothing does not pass


def test_a_read_only_run_on_an_empty_store_is_inconclusive() -> None:
    with server(animals=0) as url:
        trial = judge(url)
    undecided = trial.ids("inconclusive")
    assert undecided >= {"PET-1", "PET-5", "LIST-3", "LIST-4", "LIST-7", "LIST-8", "GET-1", "GET-2"}
    assert {catalogue()[name].section for name in undecided} == {"2", "4.1", "4.3"}  # where animals are judged
    assert trial.exit == 0


def test_strict_fails_a_run_with_an_unsettled_requirement() -> None:
    with server(animals=0) as url:
        assert judge(url, "--strict").exit == 7


def test_filters_that_match_nothing_do_not_pass() -> None:
    with server(variations=("no-statuses",)) as url:
        trial = judge(url)
    assert trial.reasons["LIST-7"].startswith(
        'No page filtered by status "available", "pending" or "sold" showed an animal'
    )
    assert trial.ids("inconclusive") >= {"LIST-7", "LIST-8"}


def test_a_run_of_one_check_judges_one_requirement() -> None:
    with server() as url:
        trial = judge(url, "-k", "test_store_orders_exists")
    assert trial.ids("pass") == {"ORDERS-1"}
    assert trial.reasons["LIST-1"] == "Deselected: no check of this requirement ran."


# ---- on both sides of the removal


@pytest.mark.slow
@pytest.mark.parametrize(
    ("day", "removed"), [(date(2030, 12, 4), False), (REMOVAL, True)], ids=["the day before", "the day"]
)
def test_the_removal_is_judged_on_its_day(day: date, removed: bool) -> None:
    with server(as_of=day) as url:
        trial = judge(url, "--allow-writes", "--as-of", day.isoformat())
    with server(as_of=day) as url:  # another one, whose quota for keyless requests is unused
        wrong_day = judge(url, "--allow-writes", "--as-of", (REMOVAL if not removed else date(2030, 12, 4)).isoformat())
    before = {"GET-1", "GET-2", "GET-3", "CREATE-12"}
    assert trial.ids("fail") == set()
    assert trial.ids("pass") >= ({"GET-4"} if removed else before)
    assert trial.ids("not-run") >= (before if removed else {"GET-4"})
    assert wrong_day.ids("fail") == ({"GET-1"} if removed else {"GET-4"})


# ---- what cannot be tested


def test_a_refused_key_ends_the_run_after_two_requests() -> None:
    with server() as url:
        trial = judge(url, key="not-the-key-0123456789abcdef")
    assert trial.exit == 6
    assert trial.requests == 2
    assert "rejects the key sha256:" in (trial.result.targets[0].unreachable or "")
    assert "check PETSTORE_API_KEY" in (trial.result.targets[0].unreachable or "")
    assert KEY not in trial.printed
