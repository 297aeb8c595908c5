"""What recorded traffic shows, and what it leaves in doubt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange, Silence
from petcheck.judging import traffic
from petcheck.judging.judgement import Failed, Grounds, Held, Undecided
from petcheck.judging.once import WholeRecord
from petcheck.judging.traffic import Settled, refused_everywhere, shown_by_traffic
from petcheck.spec.operations import Operation
from tests.support.exchanges import JSON, NOON, exchange, rates, unix

DAY = date(2026, 1, 1)
LIST, CREATE, GET, ORDERS = Operation
ALL = "/pets?limit=100"
NO_KEYS = "The recording has no Authorization headers, so it does not show which requests had a key. Record with them."
MASKED = "The recording has masked keys, so it does not show which requests had the same one. Record with them."
REFUSED = "the server refused every request with a key in the recording; record some with a valid key"


def with_key(key: str | None, one: Exchange, name: str = "Authorization") -> Exchange:
    """An exchange whose request has an Authorization header, after one that means nothing."""
    own = () if key is None else ((name, key),)
    return replace(one, request=replace(one.request, headers=(("Accept", "*/*"), *own)))


def shown(*record: Exchange, key: str | None = "Bearer $KEY_1", plan: str | None = None) -> dict[str, Settled]:
    """The decisions on exchanges with a key."""
    sent = [one if one.request.headers else with_key(key, one) for one in record]
    return dict(shown_by_traffic(WholeRecord(sent), as_of=DAY, plan=plan).decisions)


def refused(index: int = 0, **fields: object) -> Exchange:
    error = {"code": "no_key", "message": "No key.", "status": 401}
    return exchange(LIST, 401, error, index=index, credential=Credential.MISSING, **fields)  # type: ignore[arg-type]


# ---- keys


@pytest.mark.parametrize("requirement", ["AUTH-1", "AUTH-7", "RATE-4", "RATE-6", "RATE-8", "RATE-9"])
def test_without_keys_nothing_is_known_about_keys(requirement: str) -> None:
    decision = shown(exchange(body=[]), refused(1), key=None)[requirement]
    assert isinstance(decision, Undecided)
    assert decision.reason == NO_KEYS
    assert decision.settled_by is None


@pytest.mark.parametrize("requirement", ["AUTH-7", "RATE-4", "RATE-6", "RATE-8", "RATE-9"])
def test_masked_keys_may_be_several(requirement: str) -> None:
    decision = shown(exchange(body=[]), refused(1), key="Bearer ****")[requirement]
    assert isinstance(decision, Undecided)
    assert decision.reason == MASKED


def test_other_requirements_need_no_keys() -> None:
    for key in (None, "Bearer ****", "Bearer $KEY_1"):
        found = shown(exchange(body=[]), key=key)
        assert isinstance(found["LIST-1"], Held)
        assert {NO_KEYS, MASKED}.isdisjoint(one.reason for one in found.values() if isinstance(one, Undecided)) == (
            key == "Bearer $KEY_1"
        )


def test_what_is_examined_stays_so_in_doubt() -> None:
    counting = [exchange(body=[], index=n, headers=(JSON, *rates(60, 50 - n, unix(3600)))) for n in range(3)]
    known, unknown = shown(*counting)["RATE-4"], shown(*counting, key=None)["RATE-4"]
    assert [one.index for one in unknown.examined] == [one.index for one in known.examined] == [0, 1, 2]


def test_each_key_counts_by_itself() -> None:
    """Two keys have two quotas; taken for one, the count rises within a window."""
    keys = [("Bearer $KEY_1", "Authorization", 50), ("Bearer $KEY_2", "authorization", 20)] * 7
    record = [
        with_key(key, exchange(body=[], index=n, headers=(JSON, *rates(60, left - n // 2, unix(3600)))), name)
        for n, (key, name, left) in enumerate(keys)
    ]
    assert isinstance(shown(*record)["RATE-4"], Held)
    as_one = [with_key("Bearer $KEY_1", one) for one in record]
    assert isinstance(shown(*as_one)["RATE-4"], Failed)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ([(401, "k")], REFUSED),
        ([(403, "k"), (401, "k")], REFUSED),
        ([(401, "k"), (503, "k")], None),
        ([(401, "k"), (200, None)], None),
        ([(401, "k"), (299, None)], None),
        ([(401, "k"), (300, None)], REFUSED),
        ([(401, "k"), (404, None)], REFUSED),
        ([(401, None)], None),
        ([], None),
    ],
)
def test_a_key_that_is_refused_everywhere(record: list[tuple[int, str | None]], told: str | None) -> None:
    sent = [with_key(key, exchange(status=status, index=n)) for n, (status, key) in enumerate(record)]
    assert refused_everywhere(WholeRecord(sent)) == told


# ---- other clients, other clocks


def stored_although_refused(name: str) -> Iterable[Exchange]:
    body = {"name": name, "categoryId": 1}
    yield exchange(LIST, 200, [{"id": 7, "name": "Rex", "categoryId": 1}], index=0, path=ALL)
    yield exchange(CREATE, 401, index=10, asked=body, credential=Credential.MISSING)
    yield exchange(LIST, 200, [{"id": 7, "name": "Rex", "categoryId": 1}, {"id": 8, **body}], index=20, path=ALL)


@pytest.mark.parametrize(
    ("name", "sure"), [("Rex 12345", True), ("Rex 1234", True), ("Rex 123", False), ("Tiger the cat", False)]
)
def test_only_a_name_of_its_own_shows_that_a_refused_animal_was_stored(name: str, sure: bool) -> None:
    decision = shown(*stored_although_refused(name))["AUTH-6"]
    assert isinstance(decision, Failed) == sure
    if isinstance(decision, Undecided):
        assert decision.reason == "Another client may have given an animal the name of the refused POST."


@pytest.mark.parametrize("status", [200, 500])
def test_recorded_traffic_does_not_show_whether_an_id_is_used(status: int) -> None:
    record = [exchange(LIST, 200, [], index=0)] + [
        exchange(GET, status, {"id": n, "name": "Rex", "categoryId": 1}, index=10 * n, path=f"/pets/{n}")
        for n in (998, 999)
    ]
    found = shown(*record)["GET-3"]
    assert isinstance(found, Failed) == (status == 500)
    if isinstance(found, Undecided):
        assert found.reason == "Recorded traffic does not show whether an animal has an id that returned 200."


@pytest.mark.parametrize("dated", [True, False])
def test_a_recorders_clock_may_be_wrong(dated: bool) -> None:
    date_header = (("Date", "Sat, 21 Nov 2026 12:00:00 GMT"),) * dated
    one = exchange(body=[], headers=(JSON, *rates(60, 50, unix(-7200)), *date_header))
    decision = shown(one)["RATE-3"]
    assert isinstance(decision, Failed) == dated
    if isinstance(decision, Undecided):
        assert decision.reason == "A response has no Date header, and the recorder's clock may be wrong."


# ---- pieces


REX = {"id": 1, "name": "Rex", "categoryId": 1}
PIECES = [exchange(body=[]), exchange(body=[REX]), exchange(body={})]


@pytest.mark.parametrize(("limit", "most"), [("_PIECE", 1), ("_PIECE", 2), ("_PIECE_BYTES", 2), ("_PIECE_BYTES", 40)])
def test_the_gravest_decision_of_all_pieces_counts(limit: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, limit, most)
    for record in (PIECES, PIECES[::-1]):
        found = shown(*(replace(one, index=n) for n, one in enumerate(record)))
        wrong = found["PETS-1"]
        assert isinstance(wrong, Failed)
        assert [proof.exchange.answer for proof in wrong.proofs] == [PIECES[2].answer]
        assert isinstance(found["LIST-1"], Held)


def test_a_record_is_cut_into_pieces_of_so_many_exchanges_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    def lengths(*bodies: bytes) -> list[int]:
        record = WholeRecord(exchange(body=body, index=n) for n, body in enumerate(bodies))
        return [len(piece) for piece in traffic._pieces(record)]

    monkeypatch.setattr(traffic, "_PIECE", 3)
    monkeypatch.setattr(traffic, "_PIECE_BYTES", 10)
    assert lengths() == [0]
    assert lengths(*[b""] * 7) == [3, 3, 1]
    assert lengths(b"12345", b"12345", b"1") == [2, 1]
    assert lengths(b"1" * 50, b"", b"") == [1, 2]
    assert lengths(b"1", b"1" * 50) == [1, 1]
    silent = exchange(status=Silence.TIMEOUT)
    assert [len(piece) for piece in traffic._pieces(WholeRecord([silent] * 4))] == [3, 1]


@pytest.mark.parametrize(
    ("parts", "tick"), [((0, 0), 1.0), ((0, 250_000), 0.001), ((250_000, 250_100), 0.0), ((250_100, 0), 0.0)]
)
def test_an_answer_may_be_later_than_a_recorder_says(parts: tuple[int, int], tick: float) -> None:
    first, second = (
        replace(exchange(index=n, took=0.5), started=NOON + timedelta(microseconds=part))
        for n, part in enumerate(parts)
    )
    latest = traffic._latest_end(WholeRecord([first, second]))
    assert latest(first) == pytest.approx(0.5 + tick)
    # without a duration it may have come as late as any
    assert latest(replace(first, finished=first.sent)) == pytest.approx(1.5 + tick)


def test_the_keys_that_were_used_most_are_looked_at() -> None:
    def sent(*keys: str | None) -> WholeRecord:
        return WholeRecord(with_key(key, exchange(index=n)) for n, key in enumerate(keys))

    assert traffic._keys_in(sent(*"abccdefgg")) == ["c", "g", "a", "b", "d"]
    assert traffic._keys_in(sent()) == [None]
    assert traffic._keys_in(sent(None, "a", None)) == [None, "a"]
    invalid = replace(with_key("a", exchange()), request=replace(exchange().request, credential=Credential.RANDOM))
    assert traffic._keys_in(WholeRecord([invalid])) == [None]


def test_to_one_key_another_is_of_unknown_validity() -> None:
    ours, other = with_key("a", exchange(index=0)), with_key("b", exchange(index=1))
    missing = exchange(index=2, credential=Credential.MISSING)
    seen = traffic._as_seen_by("a", WholeRecord([ours, other, missing]), lambda one: one.finished + 3)
    assert [one.request.credential for one in seen] == [Credential.VALID, Credential.UNKNOWN, Credential.MISSING]
    assert [one.finished for one in seen] == [one.finished + 3 for one in (ours, other, missing)]
    assert [(one.index, one.answer) for one in seen] == [(one.index, one.answer) for one in (ours, other, missing)]
    assert seen[0].answer is not ours.answer


def test_what_any_key_knows_is_known() -> None:
    one = Grounds(DAY, categories=frozenset({1}), listed=frozenset({7}), begun={7: 1.0, 8: 5.0})
    other = Grounds(DAY, categories=frozenset({2}), listed=frozenset({8}), begun={8: 6.0, 9: 7.0})
    both = traffic._together([one, other])
    assert both == replace(one, categories=frozenset({1, 2}), listed=frozenset({7, 8}), begun={7: 1.0, 8: 5.0, 9: 7.0})
