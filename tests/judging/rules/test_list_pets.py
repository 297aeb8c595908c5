"""Section 4.1: the list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from functools import partial

import pytest

from petcheck.call import Call, Credential, Form
from petcheck.exchange import Exchange, Silence
from petcheck.judging.apply import decide
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Undecided
from petcheck.judging.judgement import NOT_CONCERNED, Grounds, Problem
from petcheck.judging.rules import RULE
from petcheck.spec.figures import STATUSES
from tests.judging.rules.said import CREATE, GET, LIST, NEW, PET, by, holds, text
from tests.support.exchanges import exchange, known

GROUNDS = Grounds(date(2030, 12, 4), categories=known(1))
WRITING = Grounds(date(2030, 12, 4), categories=known(1), writes=True)

MORE = "Add animals to the store, or use --populate 101 with --allow-writes."


def ask(*query: str) -> Call:
    return Call(LIST, query=tuple((name, value) for name, _, value in (part.partition("=") for part in query)))


def answer(query: str = "", status: int | Silence = 200, **more: object) -> Exchange:
    return exchange(LIST, status, path="/pets" + (query and f"?{query}"), **more)  # type: ignore[arg-type]


def pets(ids: Iterable[int], status: str | None = None) -> list[dict[str, object]]:
    """Animals whose status depends on their id (available, pending, sold and none), or all with one status."""
    by_id = (*STATUSES, None)
    return [{"id": n, "name": "x", "categoryId": 1, "status": status or by_id[n % 4] or "sold"} for n in ids]


def page(ids: Iterable[int], query: str = "", at: float = 0, status: str | None = None) -> Exchange:
    return answer(query, body=pets(ids, status), sent=at, took=0.5, index=int(at))


def made(number: int, at: float) -> Exchange:
    return exchange(CREATE, 201, pets([number])[0], asked=NEW, sent=at, took=0.5, index=int(at))


def decided(name: str, *record: Exchange, grounds: Grounds = GROUNDS) -> Decision:
    return decide(RULE[name], record, grounds)


def asked(decision: Decision) -> tuple[Call, ...]:
    assert isinstance(decision, Ask), decision
    return decision.calls


def reason(decision: Decision) -> str:
    assert isinstance(decision, Undecided), decision
    return decision.reason


# ---- what is accepted


@pytest.mark.parametrize("status", [206, 400, 404, 500, Silence.TIMEOUT])
def test_a_plain_list_is_200(status: int | Silence) -> None:
    assert text("LIST-1", answer(status=status)).startswith("expected 200 (section 4.1), got ")
    assert by("LIST-1", answer("limit=1", status)) is NOT_CONCERNED
    assert holds("LIST-1", answer())


ACCEPTED = {"LIST-2": ("limit", ["1", "20", "100"]), "LIST-6": ("status", list(STATUSES))}


@pytest.mark.parametrize("name", ACCEPTED)
def test_each_value_is_accepted_alone_or_with_the_other(name: str) -> None:
    parameter, values = ACCEPTED[name]
    other = "status=sold" if parameter == "limit" else "limit=7"
    record = [answer(f"{parameter}={values[0]}"), *(answer(f"{parameter}={value}&{other}") for value in values[1:])]
    assert decided(name, answer(), *record) == Held(tuple(record))
    assert decided(name, *record) == Held(tuple(record))
    otherwise = Undecided(f"No answer shows whether `{parameter}` {values[-1]} is accepted.", None, tuple(record[:-1]))
    assert decided(name, *record[:-1]) == Ask((ask(f"{parameter}={values[-1]}"),), otherwise)


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_value_refused_together_with_another_is_tested_alone(name: str) -> None:
    parameter, values = ACCEPTED[name]
    other = "status=sold" if parameter == "limit" else "limit=7"
    both, rest = answer(f"{parameter}={values[0]}&{other}", 400), [answer(f"{parameter}={v}") for v in values[1:]]
    assert asked(decided(name, answer(), both, *rest)) == (ask(f"{parameter}={values[0]}"),)
    refused = answer(f"{parameter}={values[0]}", 422)
    failed = decided(name, answer(), both, refused, *rest)
    assert isinstance(failed, Failed)
    assert failed.text == f"GET /pets?{parameter}={values[0]}: expected 200 (section 4.1), got 422."
    assert (failed.proofs, failed.examined) == ((Proof(refused, "status"),), (*rest, refused))
    assert isinstance(decided(name, answer(), both, answer(f"{parameter}={values[0]}", 200), *rest), Held)


@pytest.mark.parametrize("status", [401, 429])
def test_a_401_or_429_proves_nothing_about_a_value(status: int) -> None:
    rest = [answer("limit=1"), answer("limit=20")]
    said = reason(decided("LIST-2", answer(), *rest, answer("limit=100", status)))
    assert said == "No answer shows whether `limit` 100 is accepted."


def test_if_the_plain_list_is_refused_no_parameter_is_the_cause() -> None:
    for name in ACCEPTED:
        said = reason(decided(name, answer(status=404), answer("limit=1", 404), answer("status=sold", 404)))
        assert said == "GET /pets does not return 200 without parameters either (404); see LIST-1."
    assert isinstance(decided("LIST-2", answer(status=404), answer(), answer("limit=1", 404)), Failed)
    others = [exchange(GET, 404), answer(status=401, credential=Credential.MISSING)]
    assert isinstance(decided("LIST-2", *others, answer("limit=1", 404)), Failed)
    record = [answer(f"limit={limit}") for limit in (1, 20, 100)]
    assert decided("LIST-2", answer(status=404), *record) == Held(tuple(record))
    paired = [*record[1:], answer("limit=1&status=sold")]
    assert decided("LIST-2", answer(status=404), answer("limit=1", 404), *paired) == Undecided(
        "GET /pets does not return 200 without parameters either (404); see LIST-1.", None, tuple(paired)
    )


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=abc", "limit=1&limit=2", "limit=1&page=2"])
def test_open_values_may_be_refused(query: str) -> None:
    record = [answer(f"limit={limit}") for limit in (1, 20, 100)]
    assert decided("LIST-2", *record, answer(query, 400)) == Held(tuple(record))


def test_a_pair_refused_although_each_parameter_is_accepted_fails() -> None:
    record = [answer("limit=1"), *(answer(f"status={status}") for status in STATUSES)]
    for status in (400, 500, Silence.RESET):
        pair = answer("limit=1&status=sold", status)
        silent = isinstance(status, Silence)
        assert decided("LIST-6", *record, pair) == Failed(
            "GET /pets?limit=1&status=sold (each parameter alone is accepted): expected 200 (section 4.1), got "
            f"{'no answer (reset: nothing was received), twice' if silent else status}.",
            (Proof(pair, "" if silent else "status"),),
            (*record[1:], pair),
            unanswered=silent,
            expected="200",
            wrong=(pair,),
        )
        missing = decided("LIST-6", answer("limit=1"), answer("status=sold"), pair)
        assert asked(missing) == (ask("status=available"),)
    for status in (200, 401, 429):
        assert isinstance(decided("LIST-6", *record, answer("limit=1&status=sold", status)), Held)
    assert isinstance(decided("LIST-6", *record, answer("limit=2&status=sold", 400)), Held)


def test_a_pair_that_is_accepted_another_time_is_not_refused_for_its_combination() -> None:
    record = [answer("limit=1"), *(answer(f"status={status}") for status in STATUSES)]
    pair = answer("limit=1&status=sold", 500)
    decision = decided("LIST-6", *record, answer("limit=1&status=sold"), pair)
    assert isinstance(decision, Failed)
    assert decision.text == "GET /pets?limit=1&status=sold: expected 200 (section 4.1), got 500."


def test_every_refused_pair_is_wrong_and_the_simplest_is_told() -> None:
    record = [answer("limit=1"), *(answer(f"status={status}") for status in STATUSES)]
    pairs = [answer(f"limit=1&status={status}", 400) for status in ("pending", "sold")]
    decision = decided("LIST-6", *record, *pairs)
    assert isinstance(decision, Failed)
    assert decision.text.startswith("GET /pets?limit=1&status=sold (each parameter alone is accepted): ")
    assert decision.proofs == (Proof(pairs[1], "status"),)
    assert decision.wrong == tuple(pairs)
    assert decision.examined == (*record[1:], *pairs)


def test_a_refused_pair_does_not_break_the_limit() -> None:
    record = [*(answer(f"limit={limit}") for limit in (1, 20, 100)), answer("status=sold")]
    assert decided("LIST-2", *record, answer("limit=1&status=sold", 400)) == Held(tuple(record[:3]))


def test_a_limit_refused_alone_does_not_break_the_filter() -> None:
    record = [*(answer(f"status={status}") for status in STATUSES), answer("limit=1&status=sold")]
    assert decided("LIST-6", *record, answer("limit=1", 400)) == Held(tuple(record))


# ---- how long a page is


@pytest.mark.parametrize(
    ("name", "query", "holds_most", "said"),
    [
        ("LIST-3", "limit=1", 1, "the page holds 2 animals; `limit` allows at most 1"),
        ("LIST-3", "limit=20&status=sold", 20, "the page holds 21 animals; `limit` allows at most 20"),
        ("LIST-4", "", 20, "the page holds 21 animals; without `limit` at most 20 are allowed"),
        ("LIST-4", "status=sold", 20, "the page holds 21 animals; without `limit` at most 20 are allowed"),
        ("LIST-5", "", 100, "the page holds 101 animals; at most 100 are allowed, whatever `limit` is"),
        ("LIST-5", "limit=100", 100, "the page holds 101 animals; at most 100 are allowed, whatever `limit` is"),
        ("LIST-5", "limit=1000", 100, "the page holds 101 animals; at most 100 are allowed, whatever `limit` is"),
        ("LIST-5", "limit=abc", 100, "the page holds 101 animals; at most 100 are allowed, whatever `limit` is"),
    ],
)
def test_a_full_page_and_a_page_that_is_too_long(name: str, query: str, holds_most: int, said: str) -> None:
    assert by(name, page(range(holds_most - 1), query)) is NOT_CONCERNED
    assert holds(name, page(range(holds_most), query))
    assert by(name, page(range(holds_most + 1), query)) == Problem(said, f"body:/{holds_most}")


@pytest.mark.parametrize("query", ["limit=007", "limit=+5", "limit=5&limit=7"])
def test_an_ambiguous_limit_bounds_a_page_only_by_the_maximum(query: str) -> None:
    assert by("LIST-3", page(range(50), query)) is NOT_CONCERNED
    assert by("LIST-4", page(range(50), query)) is NOT_CONCERNED


@pytest.mark.parametrize("query", ["limit=101", "limit=999999999"])
def test_more_than_100_may_be_refused_but_must_be_answered(query: str) -> None:
    assert holds("LIST-5", answer(query, 400))
    assert holds("LIST-5", answer(query, 500))
    said = "expected a page of at most 100 animals, or a refusal (section 4.1), got no answer"
    said = f"{said} (timeout: nothing was received)"
    assert by("LIST-5", answer(query, Silence.TIMEOUT)) == Problem(f"{said}, twice")
    for status in (401, 429):
        assert by("LIST-5", answer(query, status)) is NOT_CONCERNED
    assert by("LIST-5", answer(query, body={"no": "page"})) is NOT_CONCERNED
    assert by("LIST-5", answer(query, 400, credential=Credential.MISSING)) is NOT_CONCERNED


@pytest.mark.parametrize("query", ["limit=100", "limit=1000000000", "limit=٣٣٣", "limit=101&status=sold", "x=101", ""])
def test_other_requests_do_not_ask_for_more_than_100(query: str) -> None:
    assert by("LIST-5", answer(query, 400)) is NOT_CONCERNED


def test_each_limit_needs_a_page_that_could_have_been_longer() -> None:
    one, twenty, hundred = page([0], "limit=1"), page(range(20), "limit=20"), page(range(100), "limit=100")
    more = page(range(90, 101), "status=sold")
    assert decided("LIST-3", one, twenty, hundred, more) == Held((one, twenty, hundred))
    left = decided("LIST-3", one, twenty, hundred)
    few = f"animals are known; judging `limit` 100 takes more animals than the limit. {MORE}"
    assert left == Undecided(f"Only 100 {few}", None, (one, twenty))
    late = "No page with `limit` 20 was requested while more animals than that were known. Run again."
    no_page = Undecided(late, None, (one, hundred))
    assert decided("LIST-3", one, hundred, more) == Ask((ask("limit=20"),), no_page)
    both = f"Only 50 {few} {no_page.reason}"
    fifty = page(range(50), "status=sold")
    assert decided("LIST-3", one, fifty) == Ask((ask("limit=20"),), Undecided(both, None, (one,)))


def test_more_animals_do_not_help_where_pages_are_capped() -> None:
    def left(*longest: int, query: str = "limit=100") -> str:
        sizes = [page(range(size), query, at) for at, size in enumerate(longest, 3)]
        found = decided(
            "LIST-3", page([0], "limit=1"), page(range(20), "limit=20", 1), page(range(15, 30), "", 2), *sizes
        )
        return reason(found)

    capped = (
        "fewer than the run has seen: the service may cap its pages or show changes late, or other clients may have "
        "removed some. So no page can show whether it obeys `limit` 100."
    )
    few = f"animals are known; judging `limit` 100 takes more animals than the limit. {MORE}"
    assert left(20) == f"The longest page has 20 animals, {capped}"
    assert left(22, 20) == f"The longest page has 22 animals, {capped}"
    assert left(29) == f"The longest page has 29 animals, {capped}"
    # no cap is as low, or it shows all of them, or as many as were asked for, or has a filter of its own
    assert left(19) == left(30) == left(20, 30) == f"Only 30 {few}"
    # or shows all that there were then
    grown = (page([0], "limit=1"), page(range(20), "limit=20", 1), page(range(25), "limit=100", 2), made(30, 5))
    assert reason(decided("LIST-3", *grown)) == f"Only 26 {few}"
    again = (*grown[:3], page(range(25), "limit=100", 3), made(30, 5))
    assert reason(decided("LIST-3", *again)) == f"Only 26 {few}"
    # or was asked before an animal that only a later page shows
    later = (page([0], "limit=1"), page(range(20), "limit=20", 1), page(range(25), "limit=100", 2))
    assert reason(decided("LIST-3", *later, page(range(15, 26), "", 3))) == f"Only 26 {few}"
    assert left(20, query="limit=20") == left(20, query="page=2") == f"Only 30 {few}"


@pytest.mark.parametrize(("grounds", "settled_by"), [(GROUNDS, "--allow-writes"), (WRITING, None)], ids=range(2))
def test_if_only_limit_1_is_undecided_the_option_is_named(grounds: Grounds, settled_by: str | None) -> None:
    record = [page(range(20), "limit=20"), page(range(100), "limit=100"), page(range(90, 101), "status=sold")]
    question = decided("LIST-3", *record, grounds=grounds)
    assert isinstance(question, Ask)
    assert question.otherwise.settled_by == settled_by


def test_a_filter_with_too_few_animals_is_ignored() -> None:
    filtered, everything = page([0], "limit=1&status=sold", status="sold"), page(range(1, 30), status="pending")
    assert asked(decided("LIST-3", filtered, everything))[0] == ask("limit=1")


def test_a_page_from_before_the_animals_were_created_could_not_be_longer() -> None:
    early, late = page([], "limit=1", at=1), page([7], "limit=1", at=9)
    assert asked(decided("LIST-3", early, made(7, 3), made(8, 5))) == (ask("limit=1"),)
    left = decided("LIST-3", early, made(7, 3), made(8, 5), late)
    assert isinstance(left, Undecided)
    assert left.examined == (late,)
    at_once = page([7], "limit=1", at=5.5)
    left = decided("LIST-3", made(7, 3), made(8, 5), at_once)
    assert isinstance(left, Undecided)
    assert left.examined == (at_once,)


def test_an_empty_store_proves_nothing_about_limits() -> None:
    record = [page([], "limit=1"), page([3], "limit=20"), page([3], "limit=100")]
    left = decided("LIST-3", *record)
    few = f"judging `limit` 1, 20 or 100 takes more animals than the limit. {MORE}"
    assert reason(left) == f"Only 1 animal is known; {few}"
    none = few.replace(MORE, "If the store is empty, add animals, or use --populate 101 with --allow-writes.")
    assert reason(decided("LIST-3", *record[:1])) == f"No animal is known; {none}"


# ---- the default


def full(status: str | None = None) -> Exchange:
    return page(range(1000, 1020), f"status={status}", status=status) if status else page(range(20))


def wide(size: int, status: str | None = None) -> Exchange:
    if status is None:
        return page(range(size), "limit=100")
    return page(range(1000, 1000 + size), f"limit=100&status={status}", status=status)


def test_a_full_default_page_of_a_larger_store_with_and_without_a_filter() -> None:
    record = [full(), wide(100), full("sold"), wide(25, "sold")]
    assert decided("LIST-4", *record) == Held((record[0], record[2]))


def test_a_filter_that_holds_does_not_excuse_another() -> None:
    """Where both pages of another status were returned and differ, they are compared again."""
    record = [full(), wide(100), full("sold"), wide(25, "sold"), wide(25, "available")]
    short, explicit = (page(range(1000, 1000 + n), f"{q}status=available", status="available") for n, q in _SHORT)
    assert isinstance(decided("LIST-4", *record, short), Held)
    assert asked(decided("LIST-4", *record, short, explicit))[1].query == (("limit", "20"), ("status", "available"))


_SHORT = ((15, ""), (20, "limit=20&"))


def test_a_default_page_of_a_small_store_is_inconclusive() -> None:
    said = f"Only 20 animals are known; judging the default page size needs more than 20. {MORE}"
    assert reason(decided("LIST-4", full(), wide(20))) == said
    assert reason(decided("LIST-4", full())) == said


def test_the_default_of_a_filter_needs_animals_too() -> None:
    few = page([1, 5, 2])
    assert decided("LIST-4", few) == Undecided(
        f"Only 3 animals are known; judging the default page size needs more than 20. {MORE}",
        None,
        (few,),
    )
    said = 'Only 3 animals with status "sold" are known; judging the default page size needs more than 20.'
    many = [full(), page(range(5, 29), "limit=100", status="none"), page([1, 2], "limit=1", status="sold")]
    assert reason(decided("LIST-4", *many)) == f"{said} {MORE}"
    others = answer(body=pets(range(10), "available") + pets(range(10, 20), "pending"))
    twenty = [others, full("sold"), page([1], "limit=1", status="available")]
    assert reason(decided("LIST-4", *twenty)).startswith('Only 20 animals with status "sold" are known; ')


def test_a_short_page_of_a_filter_with_few_animals_is_compared_with_a_page_of_that_filter() -> None:
    others = [page(range(n, n + 10), f"limit=1{n}", status=status) for n, status in ((0, "available"), (10, "pending"))]
    known = [full(), *others, page(range(1000, 1018), "limit=100&status=sold", status="sold")]
    short = page(range(1000, 1010), "status=sold", at=1, status="sold")
    asked_first = decided("LIST-4", *known, short)
    few = 'Only 18 animals with status "sold" are known; judging the default page size needs more than 20.'
    said = Undecided(f"{few} {MORE}", None, (short,))
    assert asked_first == Ask((ask("limit=20", "status=sold"),), said)
    longer = page(range(1000, 1018), "limit=20&status=sold", at=2, status="sold")
    default, explicit = ask("status=sold"), ask("limit=20", "status=sold")
    assert asked(decided("LIST-4", *known, short, longer)) == (default, explicit, default)


LATE = "was not requested while more than 20 animals{} were known. Run again."


def test_a_missing_default_page_of_a_filter_is_requested() -> None:
    twenty_sold = page(range(2000, 2010), "limit=100", status="sold")
    record = [full(), wide(30, "pending"), twenty_sold]
    late = "GET /pets?status=pending " + LATE.format(' with status "pending"')
    assert decided("LIST-4", *record) == Ask((ask("status=pending"),), Undecided(late))
    # one of a time when no animal was known
    posts = [made(number, 5) for number in range(21)]
    early = page([], at=1)
    late = "GET /pets " + LATE.format("")
    assert decided("LIST-4", early, *posts) == Ask((ask(),), Undecided(late))
    no_page = "GET /pets?status=pending returned no page to compare; see LIST-6."
    left = Undecided(no_page, None, (record[0],))
    assert decided("LIST-4", *record, answer("status=pending", 400)) == left


@pytest.mark.parametrize("number", [5, 10])  # ten more are sold on the full page
def test_pages_of_another_filter_from_before_the_run_created_animals_ask_for_nothing_more(number: int) -> None:
    few = pets(range(2000, 2000 + number), "sold")
    early = [exchange(body=few, path=f"/pets?{query}status=sold", sent=0.5) for query in ("", "limit=20&")]
    sold = [{"id": 3000 + number, "name": "Rex", "categoryId": 1, "status": "sold"} for number in range(10)]
    posts = [
        exchange(CREATE, 201, pet, asked={name: pet[name] for name in pet if name != "id"}, index=10 + number)
        for number, pet in enumerate(sold)
    ]
    record = [full(), full("pending"), wide(30, "pending"), *early]
    assert isinstance(decided("LIST-4", *record), Held)
    assert isinstance(decided("LIST-4", *record, *posts), Held)


def test_a_short_default_page_of_a_filter_is_compared_with_a_page_of_that_filter() -> None:
    short = page(range(1000, 1010), "status=sold", status="sold")
    twenty, known = ask("limit=20", "status=sold"), (full(), wide(25, "sold"), short)
    never = Undecided("GET /pets?limit=20&status=sold was not requested. Run again.")
    assert decided("LIST-4", *known) == Ask((twenty,), never)
    no_page = Undecided("GET /pets?limit=20&status=sold returned no page to compare; see LIST-2.")
    assert decided("LIST-4", *known, answer("limit=20&status=sold", 400)) == Ask((twenty,), no_page)


def test_a_default_page_that_is_shorter_is_compared_in_the_order_a_b_a() -> None:
    filtered = [full("sold"), wide(25, "sold")]
    ten = page(range(10), at=1)
    assert asked(decided("LIST-4", *filtered, ten)) == (ask("limit=20"),)
    twenty = page(range(20), "limit=20", at=2)
    question = decided("LIST-4", *filtered, ten, twenty)
    assert asked(question) == (ask(), ask("limit=20"), ask())
    assert isinstance(question, Ask)
    said = (
        "GET /pets and GET /pets?limit=20 return 10 and 20 animals, but the pages change between requests. Run again."
    )
    assert (question.not_before, question.otherwise) == (12.5, Undecided(said, None, (ten,), doubtful=True))
    again = [page(range(10), at=13), page(range(20), "limit=20", at=14), page(range(10), at=15)]
    failed = decided("LIST-4", *filtered, ten, twenty, *again)
    assert isinstance(failed, Failed)
    assert failed.text == (
        "GET /pets returned 10 animals, GET /pets?limit=20 returned 20; the default `limit` is 20 (section 4.1)."
    )
    assert failed.proofs == tuple(Proof(one, "body") for one in again)
    # what changes from one request to the next is no fault, nor is what agrees later
    changed = [*again[:2], page(range(11), at=15)]
    assert "change between requests" in reason(decided("LIST-4", *filtered, ten, twenty, *changed))
    agreed = [page(range(20), at=13), page(range(20), "limit=20", at=14), page(range(20), at=15)]
    assert isinstance(decided("LIST-4", *filtered, ten, twenty, *agreed), Held)
    # a comparison that came too soon does not count
    soon = [page(range(10), at=3), page(range(20), "limit=20", at=4), page(range(10), at=5)]
    assert isinstance(decided("LIST-4", *filtered, ten, twenty, *soon), Ask)


def test_the_pages_are_requested_again_10_s_after_the_latest_of_animals_and_sizes_was_known() -> None:
    filtered, shorter = [full("sold"), wide(25, "sold")], page(range(10), at=1)
    for others, due in (([page(range(20), "limit=20", at=5)], 15.5), ([page(range(20), "limit=20")], 11.5)):
        question = decided("LIST-4", *filtered, shorter, *others)
        assert isinstance(question, Ask)
        assert question.not_before == due
    shown = page(range(20), "limit=100&status=sold", status="sold")
    question = decided("LIST-4", *filtered, shown, shorter, page(range(20), "limit=20", at=5))
    assert isinstance(question, Ask)
    assert question.not_before == 15.5
    # the size was known before, an animal on the page only later
    early, late = page([*range(19), 77], "limit=20", at=2), page([*range(19), 78], "limit=20", at=7)
    question = decided("LIST-4", *filtered, shorter, early, late)
    assert isinstance(question, Ask)
    assert question.not_before == 17.5


def test_pages_with_another_list_in_between_are_not_in_a_row() -> None:
    again = [page(range(10), at=13), page(range(20), "limit=20", at=14), page(range(10), at=15)]
    before = [full("sold"), wide(25, "sold"), page(range(10), at=1), page(range(20), "limit=20", at=2)]
    other, read = page([1], "limit=1", at=14.5), exchange(GET, 200, PET, sent=14.5, took=0.1)
    assert isinstance(decided("LIST-4", *before, *again[:2], read, again[2]), Failed)
    assert "change between requests" in reason(decided("LIST-4", *before, *again[:2], other, again[2]))


def test_a_default_page_without_a_filter_is_requested_too() -> None:
    filtered = [full("sold"), wide(25, "sold")]
    question = Ask((ask(),), Undecided("GET /pets " + LATE.format("")))
    assert decided("LIST-4", *filtered) == question
    no_page = "GET /pets returned no page to compare; see LIST-1."
    assert reason(decided("LIST-4", *filtered, answer(status=400))) == no_page
    refused = answer(status=401, credential=Credential.MISSING)
    assert decided("LIST-4", *filtered, refused) == question
    twenty_known = page(range(20))
    assert decided("LIST-4", twenty_known, *(page([n], "limit=1", at=n) for n in range(20, 22))) != Held(
        (twenty_known,)
    )


@pytest.mark.parametrize(("known", "said"), [(1, "Only 1 animal is known"), (2, "Only 2 animals are known")])
def test_how_many_animals_are_known(known: int, said: str) -> None:
    assert reason(decided("LIST-4", page(range(known)))).startswith(f"{said};")


def test_a_status_that_is_no_text_selects_nothing() -> None:
    odd = answer(body=[{"id": 1, "status": ["sold"]}])
    assert reason(decided("LIST-4", odd)).startswith("Only 1 animal is known;")


def test_a_default_page_of_a_small_store_that_leaves_animals_out_is_compared_too() -> None:
    known = [page(range(16), "limit=100"), page(range(10), at=1)]
    few = f"Only 16 animals are known; judging the default page size needs more than 20. {MORE}"
    assert decided("LIST-4", *known) == Ask((ask("limit=20"),), Undecided(few, None, (known[1],)))
    explicit = page(range(16), "limit=20", at=2)
    assert asked(decided("LIST-4", *known, explicit)) == (ask(), ask("limit=20"), ask())
    again = [page(range(10), at=13), page(range(16), "limit=20", at=14), page(range(10), at=15)]
    failed = decided("LIST-4", *known, explicit, *again)
    assert isinstance(failed, Failed)
    assert failed.text.startswith("GET /pets returned 10 animals, GET /pets?limit=20 returned 16;")
    # a server may leave them out of both
    assert isinstance(decided("LIST-4", *known, page(range(10), "limit=20", at=2)), Undecided)


def compared(*times: float, before: Iterable[Exchange] = (), ids: Iterable[int] = range(10)) -> Decision:
    """A default page that is shorter than one with `limit=20`, which has been known since 2.5, compared at `times`."""
    listed = list(ids)
    shorter, longer = page(range(10), at=1), page(range(20), "limit=20", at=2)
    pages = [page(listed, at=times[0]), page(range(20), "limit=20", at=times[1]), page(listed, at=times[2])]
    return decided("LIST-4", full("sold"), wide(25, "sold"), shorter, longer, *before, *pages)


def test_a_comparison_counts_10_s_after_its_animals_were_known() -> None:
    assert isinstance(compared(12.5, 13, 14), Failed)
    assert isinstance(compared(12.25, 12.75, 14), Ask)
    shown = page([30], "limit=1", at=19.5)
    assert isinstance(compared(20, 21, 22, before=[shown], ids=[*range(9), 30]), Ask)
    # what is first seen in the comparison itself does not put it off
    assert isinstance(compared(20, 21, 22, ids=[*range(9), 30]), Failed)


def test_a_comparison_counts_10_s_after_its_sizes_were_seen() -> None:
    known = [full("sold"), wide(25, "sold"), wide(30)]
    first = [page(range(9), at=1), page(range(20), "limit=20", at=2)]
    seen = [page(range(10), at=4), page(range(20), "limit=20", at=5), page(range(10), at=6)]
    assert isinstance(decided("LIST-4", *known, *first), Ask)
    question = decided("LIST-4", *known, *first, *seen[:1])
    assert isinstance(question, Ask)
    assert question.not_before == 14.5

    def again(at: float) -> Decision:
        three = [page(range(10), at=at), page(range(20), "limit=20", at=at + 1), page(range(10), at=at + 2)]
        return decided("LIST-4", *known, *first, *seen, *three)

    assert isinstance(again(14.5), Failed)
    assert isinstance(again(14.25), Undecided)


@pytest.mark.parametrize("after", range(3))
@pytest.mark.parametrize("before", range(3))
def test_a_comparison_is_found_anywhere_in_the_record(before: int, after: int) -> None:
    others = [wide(25, "sold"), wide(30, "sold"), page(range(10), "status=pending", status="pending")]
    known = [full("sold"), *others[:before], page(range(10), at=5), page(range(20), "limit=20", at=6)]
    three = [page(range(10), at=20), page(range(20), "limit=20", at=21), page(range(10), at=22)]
    later = [page([n], "limit=1&status=sold", at=23 + n) for n in range(after)]
    posts = [made(number, 1) for number in (*range(21), *range(100, 121))]
    assert isinstance(decided("LIST-4", *posts, *known, *three, *later), Failed)


def test_pages_that_are_equally_short_agree() -> None:
    filtered = [full("sold"), wide(25, "sold")]
    assert isinstance(decided("LIST-4", *filtered, page(range(10)), page(range(10), "limit=20")), Held)


# ---- more than 100


def test_more_than_100_must_have_been_requested() -> None:
    not_asked = "No request asked for more than 100 animals."
    spent = Undecided(not_asked, None, (wide(100),))
    assert decided("LIST-5", wide(100)) == spent
    in_a_run = decided("LIST-5", wide(100), grounds=replace(GROUNDS, run="0a1b2c3d"))
    assert reason(in_a_run) == f"{not_asked} To send one, run LIST-5 alone."
    for status in (401, 429):
        assert decided("LIST-5", wide(100), answer("limit=101", status)) == spent
    refused = answer("limit=101", 400)
    assert decided("LIST-5", refused) == Held((refused,))
    beyond = page(range(100), "limit=101")
    few = f"Only 100 animals are known; a page that is too long needs more than 100. {MORE}"
    assert decided("LIST-5", beyond) == Undecided(few, None, (beyond,))
    late = "No request asked for more than 100 animals while as many were known. Run again."
    assert reason(decided("LIST-5", beyond, made(200, at=5))) == late
    assert decided("LIST-5", beyond, page([200])) == Held((beyond,))


# ---- filters


@pytest.mark.parametrize(
    ("animals", "said", "part"),
    [
        ([PET | {"status": "sold"}, {"id": 8, "status": "pending"}],
         'animal 8 has status "pending"; expected only "sold"', "body:/1/status"),
        ([PET, {"id": 9}], 'animal 9 has no status; expected only "sold"', "body:/1"),
    ],
)  # fmt: skip
def test_an_animal_of_another_status_on_a_filtered_page(animals: list[object], said: str, part: str) -> None:
    assert by("LIST-7", answer("status=sold", body=animals)) == Problem(said, part)


def test_an_animal_that_should_not_be_there_is_named_only_if_no_other_is_of_another_status() -> None:
    unwanted, other = {"id": 9}, {"id": 8, "status": "pending"}
    grounds = replace(GROUNDS, unwanted=frozenset({9}))
    for animals, part in (([unwanted, PET, other], "body:/2/status"), ([unwanted, PET], "body:/0")):
        judgement = by("LIST-7", answer("status=sold", body=[*animals, PET | {"status": "sold"}]), grounds)
        assert isinstance(judgement, Problem)
        assert judgement.part == part


def test_pages_that_prove_nothing_about_a_filter() -> None:
    assert by("LIST-7", answer("status=sold")) is NOT_CONCERNED
    assert by("LIST-7", answer("status=odd", body=[PET])) is NOT_CONCERNED
    assert holds("LIST-7", answer("status=sold", body=[{"id": 1, "status": "SOLD"}]))


def test_each_status_needs_an_animal_on_its_page() -> None:
    record = [page([1], f"limit=2&status={status}", status=status) for status in STATUSES]
    assert decided("LIST-7", *record) == Held(tuple(record))
    left = decided("LIST-7", *record[:1])
    assert isinstance(left, Undecided)
    assert left.reason == 'No page filtered by status "pending" or "sold" showed an animal.'
    assert (left.settled_by, left.examined) == ("--allow-writes", (record[0],))
    unsettled = decided("LIST-7", *record[:1], grounds=WRITING)
    assert isinstance(unsettled, Undecided)
    assert (unsettled.reason, unsettled.settled_by) == (f"{left.reason} Add one of each to the store.", None)


def test_a_page_of_one_animal_may_show_the_right_one_by_accident() -> None:
    first, second, third = (
        page([1], f"limit={n}&status={s}", status=s) for n, s in zip((1, 5, 1), STATUSES, strict=True)
    )
    only = "was asked for with `limit` 1."
    question = decided("LIST-7", first, second, third)
    assert asked(question) == (ask("limit=100", "status=available"), ask("limit=100", "status=sold"))
    assert isinstance(question, Ask)
    said = f'Each page filtered by status "available" or "sold" {only}'
    assert question.otherwise == Undecided(said, None, (first, second, third))
    left = decided("LIST-7", first, second, grounds=WRITING)
    assert isinstance(left, Ask)
    unseen = 'No page filtered by status "sold" showed an animal. Add one to the store.'
    assert left.otherwise.reason == f'Each page filtered by status "available" {only} {unseen}'


def test_without_a_known_animal_a_filter_shows_none() -> None:
    said = 'No page filtered by status "available", "pending" or "sold" showed an animal.'
    assert decided("LIST-7") == Undecided(said, "--allow-writes")
    writing = decided("LIST-7", grounds=WRITING)
    advice = "If the store is empty, add animals, or use --populate 101 with --allow-writes."
    assert writing == Undecided(f"{said} {advice}")


def test_a_page_is_requested_for_a_status_that_an_animal_has() -> None:
    record = [page([1], f"limit=5&status={status}", status=status) for status in STATUSES[:2]]
    assert asked(decided("LIST-7", *record, page([2]))) == (ask("limit=100", "status=sold"),)
    assert asked(decided("LIST-7", *record, made(2, 5))) == (ask("limit=100", "status=sold"),)
    empty = page([], "limit=100&status=sold", at=7)
    assert isinstance(decided("LIST-7", *record, made(2, 5), empty), Undecided)
    said = 'No page filtered by status "sold" showed an animal; see LIST-6.'
    otherwise = Undecided(said, None, tuple(record))
    question = decided("LIST-7", *record, made(2, 8), empty)
    assert question == Ask((ask("limit=100", "status=sold"),), otherwise)


# ---- what a filter leaves out

MAY_NOT_FIT = (
    "The store may not fit on one page, so a filtered page may rightly leave animals out. "
    "Test a store of fewer than 20 animals."
)
OUTGROWN = "While a page showed the whole store, no animal had status {}"


def store(ids: Iterable[int], at: float) -> list[Exchange]:
    """A page of the whole store, and its filtered pages."""
    listed = list(ids)
    filtered = [
        page([n for n in listed if pets([n])[0]["status"] == s], f"limit=100&status={s}", at + 1 + place)
        for place, s in enumerate(STATUSES)
    ]
    return [page(listed, "limit=100", at), *filtered]


def test_filtered_pages_that_show_all_of_the_whole_store() -> None:
    record = store(range(12), 0)
    assert decided("LIST-8", *record) == Held(tuple(record[1:]))


def test_without_the_whole_store_nothing_is_decided() -> None:
    said = MAY_NOT_FIT
    assert reason(decided("LIST-8", *store(range(37), 0))) == said
    assert reason(decided("LIST-8")) == said


def test_created_animals_show_that_an_earlier_page_was_the_whole_store() -> None:
    record = [*store(range(37), 0), made(37, 5)]
    said = MAY_NOT_FIT
    assert decided("LIST-8", *record) == Ask((ask("limit=100"),), Undecided(said))
    assert isinstance(decided("LIST-8", *record, page(range(38), "limit=100", 7)), Held)
    full_page = page(range(100), "limit=100", 1)
    assert isinstance(decided("LIST-8", full_page, made(100, 5)), Undecided)


def test_a_list_that_may_hide_animals_grows_by_one_if_the_run_may_write() -> None:
    def sold(at: float) -> Exchange:
        return page([77], "limit=100&status=sold", at, "sold")

    def listed(at: float) -> Exchange:
        return page([*range(30), 32], "limit=100", at, "available")

    early = [sold(0), page(range(30), "limit=100", 1, "available"), made(32, 2), listed(3)]
    record = [*early, listed(20), sold(21), listed(22)]
    assert asked(decided("LIST-8", *record, grounds=WRITING)) == (made(32, 2).request.call, ask("limit=100"))
    assert isinstance(decided("LIST-8", *record), Undecided)


def test_each_status_must_be_listed() -> None:
    record = store([0, 1], 0)
    left = decided("LIST-8", *record)
    assert isinstance(left, Undecided)
    assert (left.reason, left.settled_by) == (
        'No animal with status "sold" is listed.',
        "--allow-writes",
    )
    assert asked(decided("LIST-8", *record, made(2, 9))) == (ask("limit=100"),)
    assert isinstance(decided("LIST-8", *record, made(2, 9), page([0, 1], "limit=100", 9.5)), Undecided)
    said = 'No animal with status "pending" or "sold" is listed.'
    assert reason(decided("LIST-8", *store([0], 0))) == said
    added = decided("LIST-8", *record, grounds=WRITING)
    assert reason(added) == 'No animal with status "sold" is listed. Add one to the store.'


def test_a_store_that_outgrew_its_pages_may_not_fit_on_one() -> None:
    grown = [page([], "limit=100", 0), page(range(100), "limit=100", 5)]
    outgrown = MAY_NOT_FIT.replace("The store may not fit on one page", OUTGROWN)
    assert reason(decided("LIST-8", *grown)) == outgrown.format('"available", "pending" or "sold"')
    assert reason(decided("LIST-8", *store([0, 1], 0), page(range(100), "limit=100", 5))) == outgrown.format('"sold"')


def test_a_missing_page_of_a_status_is_requested() -> None:
    record = store(range(12), 0)
    no_room = Undecided('No page filtered by status "sold" had room for all its animals; see LIST-6.')
    assert decided("LIST-8", *record[:3]) == Ask((ask("limit=100", "status=sold"),), no_room)
    left = Undecided(no_room.reason, None, tuple(record[1:3]))
    for at in (0.5, 5):
        assert decided("LIST-8", *record[:3], answer("limit=100&status=sold", 400, sent=at)) == left


def test_a_filtered_page_counts_once_its_animals_are_known() -> None:
    record = store(range(12), 0)[:3]
    at_once = page([2, 3, 6, 7, 10, 11], "limit=100&status=sold", 0.5)
    assert decided("LIST-8", *record, at_once) == Held((*record[1:], at_once))
    lacks_one = page([3, 6, 7, 10, 11], "limit=100&status=sold", 0.5)
    assert isinstance(decided("LIST-8", *record, lacks_one), Ask)


def test_a_page_that_was_requested_before_an_animal_had_the_status_left_it_out_rightly() -> None:
    """A status may be stored late, and another client may remove the animal while a cache still shows it."""
    bare = answer("limit=100", body=[{"id": 0, "name": "x", "categoryId": 1}, *pets([2, 3])], sent=0, took=0.5)
    unsold = [bare, page([2, 3], "limit=100&status=sold", 2)]
    sold = [page([0], "limit=1", 4, "sold"), page([0, 2, 3], "limit=100&status=sold", 5, "sold")]

    def compared(at: float) -> list[Exchange]:
        filtered = page([2, 3], "limit=100&status=sold", at + 1)
        return [page([0, 2, 3], "limit=100", at, "sold"), filtered, page([0, 2, 3], "limit=100", at + 2, "sold")]

    again = decided("LIST-8", *unsold, *sold, *compared(20))
    assert isinstance(again, Ask)
    assert again.calls == (ask("limit=100"), ask("limit=100", "status=sold"), ask("limit=100"))
    assert again.not_before == 31.5
    failed = decided("LIST-8", *unsold, *sold, *compared(20), *compared(32))
    assert isinstance(failed, Failed)
    assert failed.text.startswith("GET /pets?limit=100&status=sold left out animal 0, which GET /pets?limit=100 lists")
    # one that is sent for when the status has just come counts
    at_once = page([2, 3], "limit=100&status=sold", sold[0].finished)
    assert isinstance(decided("LIST-8", bare, sold[0], at_once, *compared(20)), Failed)


@pytest.mark.parametrize(
    ("seen", "outcome"),
    [(page([2], "limit=1", 6), Failed), *((page([n], "limit=1", 6, "pending"), Undecided) for n in (2, 3))],
    ids=["none", "it", "another"],
)
def test_where_other_clients_change_statuses_their_animals_prove_nothing(
    seen: Exchange, outcome: type[Decision]
) -> None:
    """An animal may have had another status for a moment, and a filter may lag."""
    record = [*store(range(12), 0)[:3], page([3, 6, 7, 10, 11], "limit=100&status=sold", 4), seen]
    three = [page(range(12), "limit=100", 20), page([3], "limit=100&status=sold", 21), page(range(12), "limit=100", 22)]
    assert isinstance(decided("LIST-8", *record, *three), outcome)


@pytest.mark.parametrize(("statuses", "outcome"), [((), Failed), (("pending",), Undecided)])
def test_where_other_clients_change_statuses_animals_of_the_run_still_count(
    statuses: tuple[str, ...], outcome: type[Decision]
) -> None:
    listed = [*store(range(10), 0), page([4], "limit=1", 5, "sold"), made(10, 6)]
    changed = [page([10], "limit=1", 7, status) for status in statuses]
    first = page([2, 3, 6, 7], "limit=100&status=sold", 8)
    three = [
        page(range(11), "limit=100", 20),
        page([2, 3, 6, 7], "limit=100&status=sold", 21),
        page(range(11), "limit=100", 22),
    ]
    assert isinstance(decided("LIST-8", *listed, *changed, first, *three), outcome)


def turned(ids: Iterable[int], at: float, limit: int = 100) -> Exchange:
    """The page of sold animals, asked for with its parameters in the opposite order."""
    path = f"/pets?status=sold&limit={limit}"
    return exchange(LIST, body=pets(ids), path=path, form=Form.TURNED, sent=at, took=0.5, index=int(at))


def test_a_page_that_lacks_animals_in_one_order_of_parameters_is_checked_in_that_order() -> None:
    whole, sold = range(12), [2, 3, 6, 7, 10, 11]
    record = [*store(whole, 0), turned([], 5)]
    in_turned_order = replace(ask("limit=100", "status=sold"), form=Form.TURNED)
    three = (ask("limit=100"), in_turned_order, ask("limit=100"))
    assert asked(decided("LIST-8", *record)) == three
    plain = [page(whole, "limit=100", 20), page(sold, "limit=100&status=sold", 21), page(whole, "limit=100", 22)]
    assert asked(decided("LIST-8", *record, *plain)) == three
    again = [page(whole, "limit=100", 24), turned([], 25), page(whole, "limit=100", 26)]
    assert isinstance(decided("LIST-8", *record, *plain, *again), Failed)
    better = [page(whole, "limit=100", 24), turned(sold, 25), page(whole, "limit=100", 26)]
    assert isinstance(decided("LIST-8", *record, *plain, *better), Held)
    # if the other order lacks some, too, the order is not the cause
    both = [*store(whole, 0)[:3], page([], "limit=100&status=sold", 4), turned([], 5)]
    assert asked(decided("LIST-8", *both)) == (ask("limit=100"), ask("limit=100", "status=sold"), ask("limit=100"))


def test_what_a_filtered_page_left_out_stays_left_out_when_the_store_grows() -> None:
    whole, sold = range(12), ask("limit=100", "status=sold")
    lacks_one = [*store(whole, 0)[:3], page([3, 6, 7, 10, 11], "limit=100&status=sold", 4)]
    three = [page(range(12), "limit=100", at) for at in (20, 22)]
    three.insert(1, page([3, 6, 7, 10, 11], "limit=100&status=sold", 21))
    another = page([*range(12), 14], "limit=100", 40)
    assert isinstance(decided("LIST-8", *lacks_one, *three, another), Failed)
    # if nothing was left out, the page that may show the new animal is asked for
    complete = [*store(whole, 0), another]
    assert asked(decided("LIST-8", *complete)) == (sold,)
    full = decided("LIST-8", *complete, answer("limit=100&status=sold", 500, sent=50.0, index=50))
    assert reason(full) == 'No page filtered by status "sold" had room for all its animals; see LIST-6.'


def test_a_shorter_filtered_page_that_left_out_an_animal_is_asked_for_itself() -> None:
    whole, sold, short = range(12), [2, 3, 6, 7, 10, 11], "limit=12&status=sold"
    record = [*store(whole, 0), page(sold[1:], short, 5)]
    three = (ask("limit=100"), ask("limit=12", "status=sold"), ask("limit=100"))
    assert asked(decided("LIST-8", *record)) == three

    def again(query: str, *ids: int, at: float = 20) -> list[Exchange]:
        return [page(whole, "limit=100", at), page(ids, query, at + 1), page(whole, "limit=100", at + 2)]

    widest = again("limit=100&status=sold", *sold)
    assert asked(decided("LIST-8", *record, *widest)) == three
    failed = decided("LIST-8", *record, *widest, *again(short, *sold[1:], at=30))
    assert isinstance(failed, Failed)
    assert failed.text.startswith("GET /pets?limit=12&status=sold left out animal 2, which GET /pets?limit=100 lists")
    assert isinstance(decided("LIST-8", *record, *widest, *again(short, *sold, at=30)), Held)
    # one later answer settles it too, unless that lacks some itself
    assert isinstance(decided("LIST-8", *record, page(sold, short, 8)), Held)
    assert asked(decided("LIST-8", *record[:-1], page(sold, short, 4), page(sold[1:], short, 5))) == three


def test_a_page_with_a_limit_below_the_size_of_the_store_may_be_cut_before_it_is_filtered() -> None:
    whole, sold = range(12), [2, 3, 6, 7, 10, 11]
    first, *filtered = store(whole, 0)
    others = [one for one in filtered if "sold" not in one.request.url]
    record = [first, *others, page(sold[1:], "limit=11&status=sold", 5)]
    wide = (ask("limit=100"), ask("limit=100", "status=sold"), ask("limit=100"))
    assert asked(decided("LIST-8", *record)) == wide
    # a longer page that shows them settles it, before or after
    assert isinstance(decided("LIST-8", first, *filtered, record[-1]), Held)
    assert isinstance(decided("LIST-8", *record, page(sold, "limit=100&status=sold", 6)), Held)
    three = [page(whole, "limit=100", 20), page(sold, "limit=100&status=sold", 21), page(whole, "limit=100", 22)]
    assert isinstance(decided("LIST-8", *record, *three), Held)
    assert asked(decided("LIST-8", *record[:-1], turned(sold[1:], 5, limit=11))) == wide


def test_an_animal_missing_on_a_filtered_page_is_checked_again() -> None:
    sold = ask("limit=100", "status=sold")
    record = [*store(range(12), 0)[:3], page([3, 6, 7, 10, 11], "limit=100&status=sold", 4)]
    question = decided("LIST-8", *record)
    changing = Undecided(
        "GET /pets?limit=100&status=sold left out animal 2, but the list may change between requests, or show changes "
        "late, as a cache does. Run again.",
        doubtful=True,
    )
    assert question == Ask((ask("limit=100"), sold, ask("limit=100")), changing, 14.5)
    lacks_more = decided("LIST-8", *record[:3], page([3, 6, 7, 11], "limit=100&status=sold", 4))
    assert isinstance(lacks_more, Ask)
    assert lacks_more.otherwise == changing

    def again(
        first: Iterable[int], second: Iterable[int], third: Iterable[int], at: float = 20, wait: float = 1
    ) -> Decision:
        between = page(second, "limit=100&status=sold", at + wait)
        after = page(third, "limit=100", at + wait + 1)
        return decided("LIST-8", *record, page(first, "limit=100", at), between, after)

    failed = again(range(12), [3, 6, 7, 10, 11], range(12))
    assert isinstance(failed, Failed)
    assert failed.text == (
        'GET /pets?limit=100&status=sold left out animal 2, which GET /pets?limit=100 lists with status "sold" '
        "(section 4.1)."
    )
    wide_page = partial(page, range(12), "limit=100")
    lacking = page([3, 6, 7, 10, 11], "limit=100&status=sold", 21)
    assert failed.proofs == (Proof(wide_page(20), "body:/2"), Proof(lacking, "body"), Proof(wide_page(22), "body"))
    assert isinstance(again(range(12), [2, 3, 6, 7, 10, 11], range(12)), Held)
    # it is gone meanwhile
    assert isinstance(again(range(12), [3, 6, 7, 10, 11], [0, 1, 3, 6, 7, 10, 11]), Held)
    left = Undecided(changing.reason, None, tuple(record[1:3]), doubtful=True)
    # it is gone meanwhile, and the one that is still there was never lacking before
    assert again(range(12), [6, 7, 10, 11], [0, 1, 3, 6, 7, 10, 11]) == left
    # it came, or was left out, less than 10 s ago: a cache may answer with what was right before
    assert again([2, 3, 14], [2, 3], [2, 3, 14], wait=10.5) == left
    assert again(range(12), [3, 6, 7, 10, 11], range(12), at=14.25) == left
    assert isinstance(again(range(12), [3, 6, 7, 10, 11], range(12), at=14.5), Failed)
    assert again([0], [], [0]) == left
    # a page that lacked it was requested after the three, so they are requested again
    all_sold, lacks_one = [2, 3, 6, 7, 10, 11], [3, 6, 7, 10, 11]
    three = [wide_page(20), page(all_sold, "limit=100&status=sold", 21), wide_page(22)]
    later = page(lacks_one, "limit=100&status=sold", 23)
    assert isinstance(decided("LIST-8", *record, *three, later), Ask)
    assert isinstance(decided("LIST-8", *record, *three, page(all_sold, "limit=100&status=sold", 23)), Held)
    assert isinstance(decided("LIST-8", *record, *three, replace(later, sent=22.0)), Held)
    # as long as the list without a filter: a cap may have cut it
    assert again([2, 3], [3, 6], [2, 3]) == left
    assert isinstance(again(range(12), [3, 6, 7, 10, 11], range(12), at=5), Ask)


@pytest.mark.parametrize(("size", "longer", "found"), [(12, 0, Failed), (30, 1, Failed), (30, 0, Ask)])
def test_newer_animals_do_not_excuse_a_page_beside_the_whole_store(
    size: int, longer: int, found: type[Decision]
) -> None:
    """Of 20 animals or more, only a longer page shows that a page is the whole store."""
    sold = [n for n in range(3, size) if n % 4 in (2, 3)]
    known = [*store(range(size)[::-1], 0), page(range(size + 1)[::-1], "limit=100", 3.5)]
    lacks_one = page(sold, "limit=100&status=sold", 4)
    three = [page(range(size + 4)[::-1], "limit=100", 20), page(sold, "limit=100&status=sold", 21)]
    last = page(range(size + 4 + longer)[::-1], "limit=100", 22)
    news = [made(number, 18) for number in range(size + 1, size + 4)]
    assert isinstance(decided("LIST-8", *known, lacks_one, *news, *three, last), found)


def test_other_operations_prove_nothing_about_lists() -> None:
    assert all(by(f"LIST-{n}", exchange(GET, 200, PET)) is NOT_CONCERNED for n in range(1, 9))


def test_a_default_page_that_only_a_small_store_could_explain_asks_for_more_animals() -> None:
    few, grown = page(range(9), "", 0), page(range(16), "limit=20", 5)
    question = decided("LIST-4", few, grown)
    assert asked(question) == (ask(), ask("limit=20"), ask())
    assert isinstance(question, Ask)
    left = f"Only 16 animals are known; judging the default page size needs more than 20. {MORE}"
    assert question.otherwise.reason == left
    three = [page(range(9), "", 20), page(range(16), "limit=20", 21)]
    assert reason(decided("LIST-4", few, grown, *three, page(range(16), "", 22))) == left
    assert reason(decided("LIST-4", few, grown, *three, page(range(10), "", 22))) == left
    assert isinstance(decided("LIST-4", few, grown, *three, page(range(9), "", 22)), Failed)
