"""A run of chosen requirements: it finds what a whole run finds of them, and sends no more than they need."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from petcheck.exchange import Exchange
from petcheck.judging.request_bodies import Due, asked_for
from petcheck.judging.statuses import query_is_valid
from petcheck.runner.schedule import EXAMPLE_STAGES, Schedule
from petcheck.runner.session import Session
from petcheck.spec.catalogue import catalogue
from petcheck.spec.operations import Operation
from petcheck.toolkit.feeds import RequestKind
from petstore_reference.faults import FAULTS
from tests.support.by_examples import BY_EXAMPLES
from tests.support.forked import petcheck
from tests.support.trial import collected, configured, judge_in_place, server
from tools.kill_matrix import run_fault

TESTABLE = {entry.id for entry in catalogue().judged if not entry.untestable}


def one_fault_for_each() -> list[tuple[str, str]]:
    """For each requirement a fault that breaks it, each time another; those found by examples alone are left out."""
    found: dict[str, str] = {}
    for name, fault in FAULTS.items():
        if "examples" not in fault.needs and name not in BY_EXAMPLES:
            for requirement in fault.breaks:
                if requirement not in found or name not in found.values():
                    found[requirement] = name
    return sorted(found.items())


@pytest.mark.matrix
@pytest.mark.parametrize(("requirement", "fault"), one_fault_for_each())
def test_a_fault_is_found_by_the_choice_of_what_it_breaks(requirement: str, fault: str) -> None:
    trial = run_fault(fault, "--choose", requirement, "--examples", "0")
    assert (trial.ids("fail"), trial.exit) == ({requirement}, 1), trial.reasons[requirement]
    assert trial.ids("pass") | trial.ids("inconclusive") == set()


# what shows a fault besides the requests that are about the requirement
BESIDE = [
    ("AUTH-1", "shared-cache-skips-key"),  # answers with the key
    ("AUTH-3", "empty-token@createPet"),  # a plain POST with another key
    ("LIST-6", "limit-20-with-available-refused"),  # the limit alone
    ("PET-2", "name-missing-stored-as-is"),  # a body that must be refused
    ("PET-4", "unknown-id-200-error"),  # an id that no animal has
    ("ORDERS-1", "orders-aborted"),  # an answer after the silence
]


@pytest.mark.matrix
@pytest.mark.parametrize(("requirement", "fault"), BESIDE)
def test_it_brings_along_what_shows_the_fault(requirement: str, fault: str) -> None:
    test_a_fault_is_found_by_the_choice_of_what_it_breaks(requirement, fault)


def test_each_requirement_has_such_a_fault() -> None:
    assert {requirement for requirement, _ in one_fault_for_each()} == TESTABLE - {"VERSION-1"}  # of the base URL


@pytest.mark.slow
def test_examples_alone_find_it_too() -> None:
    rare = next(name for name, fault in FAULTS.items() if "examples" in fault.needs and fault.breaks == ("LIST-3",))
    assert run_fault(rare, "--choose", "LIST-3").ids("fail") == {"LIST-3"}


@pytest.mark.parametrize(
    ("words", "gets", "posts", "left"),
    [(("CREATE-5",), 1, 3, 0), (("AUTH-1",), 16, 4, 0), (("VERSION-1",), 1, 0, 0), (("ORDERS",), 3, 0, 0)],
)
def test_it_sends_no_more_than_it_needs(words: tuple[str, ...], gets: int, posts: int, left: int) -> None:
    with server() as url:
        choice = [part for word in words for part in ("--choose", word)]
        trial = judge_in_place(url, "--allow-writes", "--examples", "0", *choice, seed=7)
    (target,) = trial.result.targets
    assert (target.requests.get, target.requests.post, len(target.created)) == (gets, posts, left)
    assert trial.exit == 0


def kind_of(exchange: Exchange, categories: Collection[int], listed: frozenset[int]) -> RequestKind:
    request = exchange.request
    if not request.has_valid_key:
        return RequestKind.KEYS
    match request.operation:
        case Operation.LIST_PETS:
            return RequestKind.PAGES if query_is_valid(exchange) else RequestKind.ODD_PAGES
        case Operation.GET_PET:
            last = request.url.rpartition("/")[2]
            return RequestKind.ANIMALS if last.isdecimal() and int(last) in listed else RequestKind.OTHER_IDS
        case Operation.CREATE_PET:
            return RequestKind.DEFECTIVE if asked_for(request.body, categories).due is Due.REFUSED else RequestKind.NEW
        case Operation.STORE_ORDERS:
            return RequestKind.ORDERS


@pytest.mark.parametrize("writes", [True, False], ids=["writing", "reading"])
def test_checks_send_what_they_say_they_send(writes: bool) -> None:
    """Pages besides, by which checks find out what the target holds."""
    with server() as url:
        alone = ("--examples", "0", "--connections", "1")  # in bursts, checks send what others need too
        config = configured("--target", url, *alone, *(["--allow-writes"] if writes else []), seed=7)
        session, schedule = Session(config), Schedule(config, config.targets)
        wrong = []
        for one in sorted(collected(), key=lambda one: schedule.place(one.check)):
            target = session.target(one.check.target)
            before = len(target.record)
            if one.check.stage in {*EXAMPLE_STAGES, "populate", "exhaust"}:
                continue
            one.outcome(session)
            grounds = target.grounds
            sent = {kind_of(each, grounds.categories, grounds.listed) for each in target.record[before:]}
            wrong += [(one.check.id, kind) for kind in sent - {*one.check.sends, RequestKind.PAGES}]
        session.close()
    assert wrong == []


# ---- the command


@pytest.fixture
def bad_server() -> Iterator[str]:
    with server(faults=("default-limit-50",)) as url:
        yield url


def test_the_command_runs_what_its_words_name(tmp_path: Path, bad_server: str) -> None:
    ran = petcheck(tmp_path, "LIST-4", "--target", bad_server, key="trial-key-5d1c7f0a9b3e4826")
    assert ran.code == 1
    assert {name for name, outcome in ran.outcomes.items() if outcome == "fail"} == {"LIST-4"}
    assert ran.reason("LIST-3") == "Not chosen."
    assert "target does not conform: 1 of 1 requirement fails." in ran.out
    ran.assert_reports()
    again = petcheck(tmp_path, "--failed", "--target", bad_server, key="trial-key-5d1c7f0a9b3e4826")
    assert (again.code, again.result.run.settings.choice) == (1, ("LIST-4",))  # type: ignore[union-attr]
    judged = petcheck(tmp_path, "verify", "reports", key=None)
    assert (judged.code, judged.out.partition(":")[0]) == (0, "proven")


def test_nothing_failed_last(tmp_path: Path, bad_server: str) -> None:
    key = "trial-key-5d1c7f0a9b3e4826"
    assert petcheck(tmp_path, "--failed", "--target", bad_server, key=key).last_line_of_trouble == (
        "petcheck: --failed: reports/result.json cannot be read: No such file or directory; make a whole run first"
    )
    assert petcheck(tmp_path, "VERSION-1", "--target", bad_server, key=key).code == 0
    ran = petcheck(tmp_path, "--failed", "--target", bad_server, key=key)
    assert ran.code == 5
    assert ran.last_line_of_trouble == (
        "petcheck: nothing failed in the last run, see reports; leave out --failed to run everything"
    )


def test_an_expired_waiver_counts_if_its_requirement_was_chosen(tmp_path: Path, bad_server: str) -> None:
    key = "trial-key-5d1c7f0a9b3e4826"
    waiver = '[[waivers]]\nrequirement = "CREATE-5"\ntarget = "target"\nreason = "old"\nexpires = 2020-01-01\n'
    (tmp_path / "petcheck.toml").write_text(waiver)
    ran = petcheck(tmp_path, "VERSION-1", "CREATE-5", "--target", bad_server, key=key)
    assert (ran.code, ran.outcomes["CREATE-5"]) == (1, "not-run")
    ran.assert_reports()
    said = "The run still fails: The waiver of CREATE-5 on target expired after 2020-01-01."
    assert said in " ".join(ran.out.split())
    assert "not-run: The waiver ended after 2020-01-01: fix the server" in (ran.reports / "junit.xml").read_text()
    assert petcheck(tmp_path, "verify", "reports", key=None).code == 0
    assert petcheck(tmp_path, "VERSION-1", "--target", bad_server, key=key).code == 0
    said = petcheck(tmp_path, "--failed", "--target", bad_server, key=key).last_line_of_trouble
    assert said.startswith("petcheck: nothing failed in the last run, see reports;")


def test_what_failed_last_may_be_unknown_here_or_only_a_waiver(tmp_path: Path, bad_server: str) -> None:
    key, result = "trial-key-5d1c7f0a9b3e4826", tmp_path / "reports" / "result.json"
    waiver = '[[waivers]]\nrequirement = "VERSION-1"\ntarget = "target"\nreason = "old"\nexpires = 2030-01-01\n'
    (tmp_path / "petcheck.toml").write_text(waiver)
    assert petcheck(tmp_path, "VERSION-1", "--target", bad_server, key=key).code == 1
    ran = petcheck(tmp_path, "--failed", "--target", bad_server, key=key)
    said = "no requirement failed in the last run, but a waiver is stale or expired, see reports"
    assert (ran.code, ran.last_line_of_trouble) == (5, f"petcheck: {said}")
    petcheck(tmp_path, "LIST-4", "--target", bad_server, key=key)
    result.write_text(result.read_text().replace('"LIST-4"', '"LIST-44"'))
    before = result.read_text()
    ran = petcheck(tmp_path, "--failed", "--target", bad_server, key=key)
    said = "--failed: reports says that LIST-44 failed, and this petcheck has no requirement of that name"
    assert (ran.code, ran.last_line_of_trouble) == (4, f"petcheck: {said}; name the requirements")
    assert result.read_text() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("GET-4", "--as-of", "2029-01-01"),
            "GET-4: Not in force on 2029-01-01: it starts on 2030-12-05. Judge that day with --as-of 2030-12-05.",
        ),
        (("GET-1", "--as-of", "2031-01-01"), "GET-1: Not in force on 2031-01-01: it ended on 2030-12-05."),
        (("VERSION-2",), "VERSION-2: Not testable. No operation returns the description."),
    ],
)
def test_what_no_run_on_that_day_can_judge_is_not_asked_for(
    tmp_path: Path, bad_server: str, arguments: tuple[str, ...], said: str
) -> None:
    ran = petcheck(tmp_path, *arguments, "--target", bad_server, key="trial-key-5d1c7f0a9b3e4826")
    assert ran.code == 5
    assert ran.last_line_of_trouble.startswith(f"petcheck: {said}")
    assert not (tmp_path / "reports").exists()


@pytest.mark.parametrize("arguments", [("-k", "CREATE-5"), ("CREATE-5",), ("-k", "test_defective_body_is_refused")])
def test_a_run_that_examines_nothing_of_what_was_chosen_is_not_a_success(
    tmp_path: Path, bad_server: str, arguments: tuple[str, ...]
) -> None:
    ran = petcheck(tmp_path, *arguments, "--target", bad_server, key="trial-key-5d1c7f0a9b3e4826")
    assert ran.code == 5
    assert "target has no verdict: nothing was examined." in ran.out
    assert ran.outcomes["CREATE-5"] == "not-run"


def test_a_keyword_brings_along_what_it_needs(tmp_path: Path) -> None:
    with server() as url:
        ran = petcheck(
            tmp_path, "-k", "ERROR-2 or 4.4", "--target", url, "--allow-writes", key="trial-key-5d1c7f0a9b3e4826"
        )
    judged = {name for name, outcome in ran.outcomes.items() if outcome != "not-run"}
    assert judged == {"ERROR-2", "ORDERS-1"}
    assert ran.code == 0


def test_allow_writes_swallows_no_word(tmp_path: Path, bad_server: str) -> None:
    ran = petcheck(tmp_path, "--target", bad_server, "--allow-writes", "CREATE-5", key="trial-key-5d1c7f0a9b3e4826")
    assert (ran.code, ran.outcomes["CREATE-5"], ran.outcomes["CREATE-6"]) == (0, "pass", "not-run")
