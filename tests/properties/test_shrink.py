"""A failing example is simplified in few attempts, whatever the cause."""

from __future__ import annotations

import json
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from petcheck.call import Call, new_pet_call
from petcheck.properties.new_pets import Pets, named, new_pet
from petcheck.properties.shrink import simplest
from petcheck.spec.operations import Operation

PETS = Pets("0a1b2c3d", (4,))


def reduced(call: Call, fails: Callable[[Call], bool], attempts: int = 10) -> Call:
    """The simplest call found in that many attempts."""
    left = iter(range(attempts))
    return simplest(call, PETS, lambda attempt: next(left, None) is not None and fails(attempt))


def page(**query: str) -> Call:
    return Call(Operation.LIST_PETS, query=tuple(query.items()))


def segment(text: str) -> Call:
    return Call(Operation.GET_PET, pet_id=text)


def post(name: str, status: str | None = None, category: int = 4) -> Call:
    return Call(Operation.CREATE_PET, body=new_pet(PETS, name, status, category))


def test_a_failure_without_parameters_is_shown_without_parameters() -> None:
    assert reduced(page(limit="37", status="sold"), lambda call: True) == page()


def test_only_the_failing_parameter_is_kept() -> None:
    assert reduced(page(limit="37", status="sold"), lambda call: "status" in dict(call.query)) == page(status="sold")
    assert reduced(page(limit="37", status="sold"), lambda call: dict(call.query).get("limit") == "37") == page(
        limit="37"
    )


def test_two_parameters_that_fail_only_together_stay_together() -> None:
    def both(call: Call) -> bool:
        query = dict(call.query)
        return query.get("status") == "sold" and int(query.get("limit", 0)) >= 30

    found = dict(reduced(page(limit="97", status="sold"), both).query)
    assert found["status"] == "sold"
    assert 30 <= int(found["limit"]) < 50


def test_an_id_moves_towards_zero() -> None:
    assert (
        int(reduced(segment(str(2**40 + 12345)), lambda call: int(call.pet_id or 0) >= 2**31).pet_id or 0) < 2**31 + 99
    )
    assert reduced(segment("-77"), lambda call: int(call.pet_id or 0) < 0, attempts=20).pet_id == "-1"


def test_a_long_name_shrinks_to_the_shortest_failing_length() -> None:
    found = reduced(
        post(named(PETS.run, 300), "sold"), lambda call: len(json.loads(call.body or b"")["name"]) > 255, 20
    )
    body = json.loads(found.body or b"")
    assert "status" not in body
    assert 256 <= len(body["name"]) <= 258


def test_one_failing_character_is_found_among_many() -> None:
    crowd = PETS.run + "".join(chr(0xA0 + n) for n in range(80))
    found = reduced(post(crowd), lambda call: "ß" in json.loads(call.body or b"")["name"])
    assert "ß" in json.loads(found.body or b"")["name"]
    assert len(json.loads(found.body or b"")["name"]) < len(crowd) // 2


def test_no_more_calls_are_tried_than_allowed() -> None:
    asked: list[Call] = []

    def fails(call: Call) -> bool:
        asked.append(call)
        return False

    call = page(limit="37", status="sold")
    assert simplest(call, PETS, fails) == call
    assert len(asked) == len(set(asked))
    assert call not in asked


@given(st.text(min_size=1, max_size=60), st.sampled_from(["sold", None]), st.integers(-(2**63), 2**63 - 1))
def test_simpler_bodies_are_animals_of_this_run(name: str, status: str | None, category: int) -> None:
    tried: list[Call] = []

    def fails(attempt: Call) -> bool:
        tried.append(attempt)
        return len(tried) % 3 == 0

    reduced(post(PETS.run + name, status, category), fails, attempts=30)
    assert tried
    for attempt in tried:
        body = json.loads(attempt.body or b"")
        assert body["name"].startswith(PETS.run) or PETS.run.startswith(body["name"])
        assert body["categoryId"] in (category, PETS.category)


@given(st.text(max_size=80))
def test_simplifying_any_segment_ends(text: str) -> None:
    call = segment(text)
    assert len(str(reduced(call, lambda attempt: True, attempts=500).pet_id)) <= max(1, len(text))


def test_deep_and_long_members_are_told_apart() -> None:
    body = b'{"deep": ' + b"[" * 3_000 + b"]" * 3_000 + b', "digits": ' + b"9" * 5_000 + b"}"
    deep = simplest(new_pet_call(body), PETS, lambda call: b"[[" in (call.body or b""))
    assert [*json.loads((deep.body or b"").replace(b"[" * 2_999, b"").replace(b"]" * 2_999, b""))] == ["deep"]
    long = simplest(new_pet_call(body), PETS, lambda call: b"99" in (call.body or b""))
    assert long.body == b'{"digits": ' + b"9" * 5_000 + b"}"
    fraction = b'{"digits": 0.' + b"9" * 5_000 + b', "more": 1}'
    simple = simplest(new_pet_call(fraction), PETS, lambda call: b"0.9" in (call.body or b""))
    assert simple.body == b'{"digits": 0.' + b"9" * len((simple.body or b"")[13:-1]) + b"}"


def test_of_a_body_that_must_be_refused_only_unknown_members_are_left_out() -> None:
    """An attempt that is accepted would leave another animal behind."""
    asked: list[Call] = []

    def accepted(call: Call) -> bool:
        asked.append(call)
        return True

    defect = new_pet_call({"name": "0a1b2c3d refused padded status", "categoryId": 5, "status": " sold "})
    assert (reduced(defect, accepted), asked) == (defect, [])
    more = new_pet_call({"name": "0a1b2c3d refused", "categoryId": [4], "deep": [[]], "digits": 1})
    assert json.loads(reduced(more, accepted).body or b"") == {"name": "0a1b2c3d refused", "categoryId": [4]}
