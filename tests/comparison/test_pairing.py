"""Which exchanges correspond, which page sizes fit one server, and which answers to one request differ."""

from __future__ import annotations

import json

import pytest

from petcheck.call import Credential
from petcheck.comparison.behaviour import PageSize, compare_answers, page_sizes_in, same_page_size
from petcheck.comparison.pairing import SideRecord, check_name
from petcheck.exchange import Exchange
from petcheck.results.deciding import by_index
from petcheck.results.findings import CheckRow
from petcheck.spec.operations import Operation
from tests.support import samples

BASE = "https://staging.pets.example/v1"


def check(name: str, *exchanges: int) -> CheckRow:
    return CheckRow(f"checks/test_x.py::{name}[staging]", ("LIST-1",), "staging", 0.1, exchanges)


def record_of(*exchanges: Exchange, checks: tuple[CheckRow, ...] = (), run: str = "0a1b2c3d") -> SideRecord:
    evidence = by_index(exchanges).values()
    return SideRecord(evidence, checks, target="staging", base_url=BASE, run=run)


def get(index: int, number: int, status: int = 200) -> Exchange:
    request = samples.request(f"/pets/{number}", operation=Operation.GET_PET)
    return samples.exchange(index, request, samples.response({"id": number}, status))


def listed(index: int, size: int, first: int = 1, path: str = "/pets") -> Exchange:
    return samples.exchange(
        index, samples.request(path), samples.response([{"id": first + place} for place in range(size)])
    )


def post(index: int, run: str, status: int = 400, error: dict[str, str] | None = None) -> Exchange:
    body = json.dumps({"name": f"petcheck {run} refused x", "categoryId": index + 1}).encode()
    request = samples.request("/pets", method="POST", body=body, operation=Operation.CREATE_PET)
    return samples.exchange(index, request, samples.response(error or {}, status))


@pytest.mark.parametrize(
    ("target", "test", "name"),
    [
        ("staging", "test[staging]", "test[]"),
        ("staging", "test[staging-5-sold]", "test[5-sold]"),
        ("a-b", "test[a-b-5]", "test[5]"),
        ("a.b", "test[axb-5]", "test[axb-5]"),
        ("staging", "test[stagingx]", "test[stagingx]"),
    ],
)
def test_a_check_is_the_same_on_every_target(target: str, test: str, name: str) -> None:
    row = CheckRow(test, (), target, 0.1, ())
    assert check_name(row) == name


def test_the_counterpart_is_the_same_request_of_the_same_check() -> None:
    mine = record_of(get(0, 5), get(1, 6, 404), checks=(check("exists", 0), check("unknown", 1)))
    theirs = record_of(get(0, 70, 404), get(1, 80), checks=(check("unknown", 0), check("exists", 1)))
    assert (theirs.counterpart(0, mine), theirs.counterpart(1, mine)) == (1, 0)
    assert theirs.counterpart(0, mine, status=404) == 0


def test_posts_correspond_despite_different_names_and_categories() -> None:
    mine = record_of(samples.exchange(0), post(1, "0a1b2c3d"))
    theirs = record_of(post(0, "4e5f6a7b"), run="4e5f6a7b")
    assert theirs.counterpart(1, mine) == 0
    assert record_of(post(0, "4e5f6a7b"), run="another").counterpart(1, mine) is None


def test_without_the_same_request_the_check_s_other_request_corresponds() -> None:
    mine = record_of(listed(0, 1, path="/pets?limit=1"), checks=(check("limit", 0),))
    theirs = record_of(samples.exchange(0, samples.request("/pets?limit=2")), checks=(check("limit", 0),))
    assert theirs.counterpart(0, mine) == 0
    keyless = samples.request("/pets?limit=2", credential=Credential.MISSING)
    assert record_of(samples.exchange(0, keyless), checks=(check("limit", 0),)).counterpart(0, mine) is None
    assert record_of(samples.exchange(0, samples.request("/pets?limit=2"))).counterpart(0, mine) is None


def test_a_page_is_cut_if_more_animals_were_known() -> None:
    pages = page_sizes_in(record_of(listed(0, 3), listed(1, 2), listed(2, 20)))
    assert pages == {0: PageSize(3, False, 0), 1: PageSize(2, True, 1), 2: PageSize(20, False, 2)}


@pytest.mark.parametrize(
    ("pages", "same"),
    [
        ((PageSize(20, True, 0), PageSize(20, True, 0)), True),
        ((PageSize(20, True, 0), PageSize(10, True, 0)), False),
        ((PageSize(7, False, 0), PageSize(20, True, 0)), True),
        ((PageSize(30, False, 0), PageSize(20, True, 0)), False),
        ((PageSize(7, False, 0), PageSize(9, False, 0)), True),
        ((PageSize(0, True, 0), PageSize(20, True, 0)), False),
        ((None, PageSize(20, True, 0)), True),
        ((None, None), True),
    ],
)
def test_a_smaller_store_is_not_a_different_server(pages: tuple[PageSize | None, ...], same: bool) -> None:
    assert same_page_size(pages) is same


def test_fewer_answers_to_a_request_are_no_difference() -> None:
    both, one = record_of(get(0, 5), get(1, 6, 404)), record_of(get(0, 7, 404))
    assert compare_answers([both, one]) == ([], 1)
    found, alike = compare_answers([both, record_of(get(0, 7, 410))])
    assert [(difference.kind, difference.values) for difference in found] == [("answer", ("200, 404", "410"))]
    assert alike == 0


def test_a_code_outranks_a_message_whose_numbers_are_ignored() -> None:
    def kinds(**error: str) -> list[str]:
        sides = [
            record_of(post(0, "0a1b2c3d", error={"code": "a", "message": "No 5."})),
            record_of(post(0, "0a1b2c3d", error=error)),
        ]
        return [difference.kind for difference in compare_answers(sides)[0]]

    assert kinds(code="a", message="No 17.") == []
    assert kinds(code="a", message="None 5.") == ["message"]
    assert kinds(code="b", message="None 5.") == ["code"]


def test_meaningless_answers_are_ignored() -> None:
    busy = record_of(post(0, "0a1b2c3d", 503), post(1, "0a1b2c3d", 429))
    assert compare_answers([busy, record_of(post(0, "0a1b2c3d", 400))]) == ([], 0)
