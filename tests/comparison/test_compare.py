"""Compares runs against real servers: the same behaviour is equal, and differences are named."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from petcheck.comparison.compare import Comparison, compare
from petcheck.comparison.difference import Difference
from petcheck.comparison.pairing import Counterparts
from petcheck.reports.side_by_side import side_by_side
from petcheck.results.deciding import by_index
from petcheck.results.load import RecordedRun
from petcheck.spec.catalogue import catalogue
from petstore_reference.faults import FAULTS
from tests.support.once import made_once
from tests.support.trial import Hurried, Trial, judge, judge_in_place, server

WITH_EXAMPLES = ("--allow-writes", "--plan", "pro")
WRITES = (*WITH_EXAMPLES, "--examples", "0", "--seed", "5")  # runs with different seeds post different animals
READS = ("--examples", "0")


def recorded(trial: Trial, file: str) -> RecordedRun:
    """A run as if read from a file with that name."""
    evidence = by_index(trial.exchanges).values()
    return RecordedRun(file, trial.result, tuple(evidence))


@made_once
def run(*options: str, faults: tuple[str, ...] = (), variations: tuple[str, ...] = (), animals: int = 130) -> Trial:
    """A run against its own server."""
    clock = Hurried(50)
    with server(faults=faults, variations=variations, animals=animals, clock=clock) as url:
        return judge_in_place(url, *options, clock=clock)


def against_plain(other: Trial, *options: str) -> Comparison:
    return compare([recorded(run(*(options or WRITES)), "plain/result.json"), recorded(other, "other/result.json")])


def differing(comparison: Comparison) -> set[str]:
    """Everything that differs: requirements and open points by id, other behaviour by its kind and subject."""
    names = {entry.id for entry in (*comparison.contradicted, *comparison.one_sided)}
    names |= {point.id for point in comparison.differing_points}
    return names | named(comparison.differences)


def named(differences: Iterable[Difference]) -> set[str]:
    """Differences in behaviour by their kind and subject."""
    return {f"{one.kind} {one.subject}".strip() for one in differences}


# ---- equal


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), WITH_EXAMPLES], ids=["reading", "writing"])
def test_a_server_equals_itself_at_another_time_with_another_seed(options: tuple[str, ...]) -> None:
    with server() as url:
        first, second = judge_in_place(url, *options, "--seed", "1"), judge_in_place(url, *options, "--seed", "2")
    made = compare([recorded(first, "monday/result.json"), recorded(second, "tuesday/result.json")])
    assert differing(made) == set()
    assert not made.different
    assert made.circumstances == {"seed": ("1", "2")}
    assert len(made.agreed) == len(first.result.requirements)
    assert set(made.alike) >= {"answer", "header", "content type", "fields", "http version"}


def test_a_run_is_equal_to_itself() -> None:
    assert differing(against_plain(run(*WRITES))) == set()


SAME = (
    "clock-ahead reset-fraction busy-once fields-in-other-order ids-beyond-double odd-names",
    "clock-behind moving-window headers-lower-case pretty-printed ids-from-zero categories-huge",
    "slow escaped-unicode others-add",
)


@pytest.mark.slow
@pytest.mark.parametrize("names", SAME)
def test_different_data_clocks_and_spelling_are_equal(names: str) -> None:
    assert differing(against_plain(run(*WRITES, variations=tuple(names.split())))) == set()


def test_a_store_too_large_to_search_differs_only_in_hidden_requirements() -> None:
    other = run(*WRITES, variations=("store-of-10000", "others-change", "daily-window"))
    made = against_plain(other)
    assert differing(made) <= {"AUTH-6", "CREATE-11", "GET-2"}
    assert not made.contradicted


def test_a_server_without_list_order_equals_itself() -> None:
    clock = Hurried(50)
    with server(variations=("random-order",), clock=clock) as url:
        first, second = (judge_in_place(url, *WRITES, clock=clock) for _ in range(2))
    assert differing(compare([recorded(first, "a/result.json"), recorded(second, "b/result.json")])) == set()


# ---- verdicts

BROKEN = (
    "default-limit-50",
    "category-text-accepted",
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in (
            "text-plain",
            "no-key-needed@createPet",
            "id-text@getPet",
            "name-missing@listPets",
            "limit-100-refused",
            "filter-ignored",
            "created-name-trimmed",
            "created-category-through-double",
            "get-neighbour",
            "orders-404",
        )
    ),
)


@pytest.mark.parametrize("name", BROKEN)
def test_a_fault_comes_first_with_the_exchange_that_shows_it(name: str) -> None:
    made = against_plain(run(*WRITES, faults=(name,)))
    assert made.different
    assert {entry.id for entry in made.contradicted} == set(FAULTS[name].breaks)
    first = made.contradicted[0]
    assert first.outcomes == ("pass", "fail")
    assert first.exchanges
    for pair in first.exchanges:
        plain, broken = (side.record.entries[index or 0] for side, index in zip(made.sides, pair, strict=True))
        assert pair[1] is not None
        assert (plain.request.operation, plain.request.credential) == (
            broken.request.operation,
            broken.request.credential,
        )
    assert [text for pair in first.exchanges for text in marked(made, pair)]


def marked(comparison: Comparison, pair: Counterparts) -> list[str]:
    """What is marked in the answers of a pair."""
    shown = side_by_side(
        [side.record.entries.get(-1 if at is None else at) for side, at in zip(comparison.sides, pair, strict=True)],
        [side.target.base_url for side in comparison.sides],
        [side.run.id for side in comparison.sides],
    )
    return [
        piece.text
        for one in shown
        if one is not None
        for line in (one.status_line, *one.response_headers, one.response_body)
        for piece in line
        if piece.marked
    ]


def test_a_failing_exchange_is_shown_beside_the_same_request() -> None:
    made = against_plain(run(*WRITES, faults=("category-text-accepted",)))
    entry = next(entry for entry in made.contradicted if entry.id == "CREATE-8")
    plain, broken = (side.record for side in made.sides)
    for ours, theirs in entry.exchanges:
        assert ours is not None
        assert theirs is not None
        assert plain.requests[ours] == broken.requests[theirs]
        assert plain.entries[ours].status == 400
        assert broken.entries[theirs].status == 201


def test_the_same_failure_of_two_broken_servers_is_equal() -> None:
    one, other = (run(*WRITES, *seed, faults=("default-limit-50",)) for seed in ((), ("--seed", "7")))
    made = compare([recorded(one, "a/result.json"), recorded(other, "b/result.json")])
    assert differing(made) == set()
    assert [entry.outcomes for entry in made.agreed if entry.id == "LIST-4"] == [("fail", "fail")]


# ---- permissions and days


def test_requirements_without_permission_on_one_side_are_neither_equal_nor_contradicted() -> None:
    made = against_plain(run(*READS))
    assert made.different
    assert made.contradicted == ()
    assert made.differing_points == ()
    assert made.differences == ()
    ids = {entry.id for entry in made.one_sided}
    posted = {entry.id for entry in catalogue().judged if entry.id.startswith("CREATE-")}
    assert ids == posted - {"CREATE-11"} | {"AUTH-6", "RATE-5"}
    assert {entry.outcomes for entry in made.one_sided} == {("pass", "not-run")}
    assert {entry.settled_by[1] for entry in made.one_sided} == {"--allow-writes", "--plan"}
    assert {name: values for name, values in made.circumstances.items() if name != "seed"} == {
        "writes": ("allowed", "not allowed"),
        "plan": ("pro", "not given"),
    }
    assert {point.id for point in made.one_sided_points} >= {"name-beyond-ascii", "status-default"}


def test_a_different_day_is_reported_and_requirements_not_in_force_are_not_equal() -> None:
    made = compare(
        [recorded(run(*READS), "now/result.json"), recorded(run(*READS, "--as-of", "2031-01-01"), "then/result.json")]
    )
    assert made.circumstances["judged as on"][1] == made.sides[1].run.as_of
    read = next(entry for entry in made.one_sided if entry.id == "GET-1")
    assert read.in_force == (True, False)


# ---- behaviour that the document allows

ALLOWED = {
    "extra-pet-fields": {"pet-extra-fields", "fields"},
    "extra-error-fields": {"fields"},
    "codes-in-upper-case": {"error-codes", "code"},
    "messages-in-chinese": {"message"},
    "charset": {"content type"},
    "content-type-upper-case": {"content type"},
    "set-cookie": {"header set-cookie"},
    "etag": {"header etag, cache-control"},
    "odd-reason-phrase": set(),
    "oldest-first": {"list-order"},
    "random-order": {"list-order"},
    "bad-limit-422": {"limit-negative", "limit-over-100", "limit-not-a-number", "limit-zero", "answer"},
    "bad-limit-clamped": {"limit-negative", "limit-over-100", "limit-not-a-number", "limit-zero", "answer"},
    "linked-pages": {"paging-metadata", "header link, x-total-count"},
    "pages-of-50": {"page size"},
    "strict-names-printable": {"answer"},
    "default-status": {"status-default"},
    "location-header": {"header location"},
    "deprecation-headers": {"deprecation-headers", "header deprecation, sunset"},
    "orders-object": {"orders-payload"},
    "orders-csv": {"orders-payload", "content type"},
    "www-authenticate": {"www-authenticate", "header www-authenticate"},
}


# what a gateway may add or change
NETWORK_DIFFERENCES = {
    "gzip": {"header content-encoding"},
    "server-header": {"header server"},
    "http-1.0": {"http version"},
    "etag": {"header vary"},
}

# several at once; each shows in its own trait
TOGETHER = (
    ("gzip", "extra-pet-fields", "oldest-first"),
    ("server-header", "codes-in-upper-case", "odd-reason-phrase", "orders-object"),
    ("set-cookie", "extra-error-fields", "http-1.0", "random-order"),
    ("etag", "messages-in-chinese", "default-status"),
    ("linked-pages", "bad-limit-422", "content-type-upper-case"),
    ("location-header", "bad-limit-clamped", "charset"),
    ("deprecation-headers", "strict-names-printable", "orders-csv"),
    ("www-authenticate", "pages-of-50"),
)
SHOWN_BY_EXAMPLES = {"bad-limit-422", "bad-limit-clamped"}


def test_every_variation_is_covered() -> None:
    assert {name for names in TOGETHER for name in names} == ALLOWED.keys() | NETWORK_DIFFERENCES.keys()
    for names in TOGETHER:
        shown = [one for name in names for one in ALLOWED.get(name, ())]
        assert len(set(shown)) == len(shown)


# the first two show something of each kind
@pytest.mark.parametrize(
    "names", [*TOGETHER[:2], *(pytest.param(names, marks=pytest.mark.slow) for names in TOGETHER[2:])], ids=" ".join
)
def test_variations_are_named_and_contradict_no_verdict(names: tuple[str, ...]) -> None:
    more = (*WITH_EXAMPLES, "--examples", "60") if SHOWN_BY_EXAMPLES.intersection(names) else WRITES
    options = (*more, "--seed", "2")
    made = against_plain(run(*options, variations=names), *options)
    assert made.different
    assert made.contradicted == ()
    # of a wrong limit and a wrong filter, a server that corrects limits refuses the filter
    shown = differing(made) - ({"code"} if "bad-limit-clamped" in names else set())
    assert shown == {one for name in names for one in ALLOWED.get(name, ())}
    assert named(made.network_path) == {one for name in names for one in NETWORK_DIFFERENCES.get(name, ())}
    for one in (*made.differences, *made.network_path):
        assert len(set(one.values)) == 2
        assert all(index in side.record.entries for side, index in zip(made.sides, one.shown_by, strict=True))
    for point in made.differing_points:
        assert len(set(point.values)) == 2


def test_a_trait_of_every_answer_says_so_and_others_name_their_answers() -> None:
    made = against_plain(run(*WRITES, variations=("server-header",)))
    assert not made.different
    (server_header,) = made.network_path
    assert (server_header.places, server_header.values) == (("every answer",), ("not sent", "sent"))
    location = against_plain(run(*WRITES, variations=("location-header",))).differences[0]
    assert location.places == ("POST /pets → 201",)


def test_several_sides_are_compared_at_once() -> None:
    trials = [run(*WRITES), run(*WRITES, variations=("www-authenticate",)), run(*WRITES, faults=("default-limit-50",))]
    made = compare([recorded(trial, f"{number}/result.json") for number, trial in enumerate(trials)])
    assert [side.label for side in made.sides] == ["target (0)", "target (1)", "target (2)"]
    assert [(entry.id, entry.outcomes) for entry in made.contradicted] == [("LIST-4", ("pass", "pass", "fail"))]
    assert [point.id for point in made.differing_points] == ["www-authenticate"]
    whole, of_50 = "20, though more are known", "50, though more are known"
    assert [one.values for one in made.differences] == [(whole, whole, of_50), ("not sent", "sent", "not sent")]


@pytest.mark.parametrize(
    "name",
    [
        "bad-limit-clamped",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("bad-limit-ignored", "bad-filter-ignored")),
        pytest.param("pages-of-20", marks=pytest.mark.slow),
    ],
)
def test_a_store_that_has_grown_is_the_same_server(name: str) -> None:
    with server(variations=(name,), animals=30) as url:
        first, second = judge_in_place(url, *WRITES), judge_in_place(url, *WRITES)
    made = compare([recorded(first, "a/result.json"), recorded(second, "b/result.json")])
    assert differing(made) == set()


def test_deselected_checks_are_not_equal_to_those_that_ran() -> None:
    with server() as url:
        some = judge(url, *READS, "-k", "test_4_1")
    made = compare([recorded(run(*READS), "a/result.json"), recorded(some, "b/result.json")])
    assert made.contradicted == ()
    assert {"ORDERS-1", "AUTH-1", "RATE-1"} <= {entry.id for entry in made.one_sided}
    assert "LIST-1" in {entry.id for entry in made.agreed}


def test_requirements_that_no_side_examined_count_as_agreed() -> None:
    made = compare([recorded(run(*READS), "a/result.json"), recorded(run(*READS, "--seed", "3"), "b/result.json")])
    assert {entry.outcomes for entry in made.agreed if entry.id == "CREATE-1"} == {("not-run", "not-run")}
    assert not made.different


def test_different_plans_are_reported_but_no_difference() -> None:
    clock = Hurried(5)
    with server(plan="business", clock=clock) as url:
        business = judge_in_place(url, *READS, "--allow-writes", "--plan", "business", clock=clock)
    made = against_plain(business)
    assert differing(made) == set()
    assert made.circumstances["plan"] == ("pro", "business")
