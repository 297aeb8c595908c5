"""The pool of examples is what schemathesis generates now, and a run of the default size needs nothing else."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from petcheck.call import Call
from petcheck.properties import cases, pool
from petcheck.properties.cases import cases_of
from petcheck.properties.generate import Generated
from petcheck.properties.pool import Mode, Pool, packed, shipped_pool, unpacked, values_digest
from petcheck.spec.files import suite_file
from petcheck.spec.operations import Operation
from petcheck.toolkit.shares import EXAMPLES
from tests.support.samples import ROOT
from tools.pool import DRAWN

GROUPS = [(operation, mode) for operation in Operation for mode in get_args(Mode)]
STALE = "the pool is out of date: run `make pool`"


@pytest.mark.slow
def test_the_pool_is_what_schemathesis_generates_now() -> None:
    # in a process of its own, as `make pool` does it: what other tests have loaded and drawn changes what is drawn here
    code = "import sys; from tools.pool import *; sys.stdout.buffer.write(packed(generated()))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    now, shipped = unpacked(ran.stdout), shipped_pool()
    if unicodedata.unidata_version != shipped.unicode:
        now = replace(now, unicode=shipped.unicode, drawn=shipped.drawn)  # other characters are drawn
    assert now == shipped, STALE
    assert packed(now) == pool.FILE.read_bytes(), STALE


@pytest.mark.parametrize("operation", [one for one in Operation if one is not Operation.STORE_ORDERS])
def test_the_pool_has_hundreds_of_cases_for_each_operation(operation: Operation) -> None:
    shipped = shipped_pool()
    for mode in get_args(Mode):
        assert len(set(shipped.drawn[operation, mode])) == DRAWN
        assert len(set(shipped.covering[operation, mode])) >= 4
        assert {call.operation for call in shipped.drawn[operation, mode]} == {operation}


def test_the_seed_decides_the_order_and_not_the_cases() -> None:
    shipped = shipped_pool()
    for group in GROUPS:
        orders = [list(shipped.random(*group, seed)) for seed in (1, 2, 1)]
        assert orders[0] == orders[2]
        assert set(orders[0]) == set(orders[1]) == set(shipped.drawn[group])
        assert orders[0] != orders[1] or len(orders[0]) < 2


def test_any_call_reads_back_equal() -> None:
    odd = (
        Call(Operation.GET_PET, pet_id="\udcff é"),
        Call(Operation.LIST_PETS, query=(("a", ""), ("a", "\0"), ("", "🐈"))),
        Call(Operation.CREATE_PET, body=bytes(range(256))),
        Call(Operation.CREATE_PET, body=b""),
        Call(Operation.CREATE_PET),
    )
    made = Pool("a" * 64, "4.32.5", "14.0.0", {(Operation.GET_PET, "positive"): odd[:1]}, {})
    assert unpacked(packed(made)) == made
    for operation in Operation:
        calls = tuple(call for call in odd if call.operation is operation)
        again = unpacked(packed(replace(made, drawn={(operation, "negative"): calls})))
        assert again.drawn[operation, "negative"] == calls


# ---- which source a run uses


def sources(examples: int) -> bool:
    """Whether a run with so many examples draws anew."""
    chosen = cases_of(examples)
    call = next(chosen.random(Operation.CREATE_PET, "negative", 7))
    return call == next(Generated().random(Operation.CREATE_PET, "negative", 7))


@pytest.mark.slow
def test_examples_are_drawn_anew_for_more_than_the_default_number() -> None:
    assert not sources(EXAMPLES)
    assert sources(EXAMPLES + 1)


def test_another_description_makes_the_pool_useless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "values_digest", lambda _: "0" * 64)
    assert sources(EXAMPLES)


def test_only_what_decides_the_values_makes_it_useless() -> None:
    text = suite_file("openapi.yaml").read_text("utf-8")
    for before, after, other in (
        ("x-requirements: [LIST-1]", "x-requirements: [LIST-1, LIST-99]", False),
        ("description: The page of animals.", "description: A page.", False),
        ("minimum: 1\n", "minimum: 2\n", True),
        ("maxItems: 100", "maxItems: 101", True),
    ):
        assert before in text
        changed = text.replace(before, after, 1)
        assert (values_digest(changed.encode()) != values_digest(text.encode())) == other, after


_WHOLE = """
import sys
from itertools import islice
from petcheck.properties.cases import cases_of
from petcheck.properties.get_examples import getting
from petcheck.properties.list_examples import listing
from petcheck.properties.new_pets import Pets
from petcheck.properties.pet_examples import creating
cases = cases_of(20)
for stream in (listing(1, cases), getting(1, cases), creating(Pets("0a1b2c3d", (4,)), 1, (), cases)):
    print(len(list(islice(stream, 300))))
print(*sorted({"schemathesis", "hypothesis"} & sys.modules.keys()))
"""


def test_the_pool_is_enough_without_schemathesis(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", _WHOLE], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["300", "300", "300", ""]


def test_no_drawn_case_has_a_nul_or_another_path() -> None:
    for operation, _ in GROUPS:
        for call in (*shipped_pool().drawn[operation, "positive"], *shipped_pool().drawn[operation, "negative"]):
            assert "%00" not in call.path
            assert b"\\u0000" not in (call.body or b"")
            assert call.path.partition("?")[0].count("/") == operation.path.count("/")
