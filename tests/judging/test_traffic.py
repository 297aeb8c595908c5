"""What traffic that another program recorded shows, and what it leaves undecided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from itertools import pairwise

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange, Response, Silence
from petcheck.judging import traffic
from petcheck.judging.decision import Failed, Held, Proof, Record, Settled, Undecided
from petcheck.judging.judgement import Grounds, Known
from petcheck.judging.traffic import Shown, refused_everywhere, shown_by_traffic
from petcheck.spec.catalogue import Requirement
from petcheck.spec.figures import PLANS
from petcheck.spec.operations import Operation
from tests.support.exchanges import JSON, NOON, exchange

LIST, CREATE, GET, ORDERS = Operation
DAY = date(2026, 11, 21)
KEY, OTHER, MASKED = "Bearer $KEY", "Bearer $OTHER", "[redacted]"


SERVER = ("Server", "shop")  # a header that a script in a page does not see


def whole(one: Exchange, *more: tuple[str, str]) -> Exchange:
    """An exchange as a proxy records it, with all headers of the response."""
    assert isinstance(one.answer, Response)
    return replace(one, answer=replace(one.answer, headers=(*one.answer.headers, *more, SERVER)))


def keyed(key: str, one: Exchange, name: str = "Authorization") -> Exchange:
    one = whole(one) if isinstance(one.answer, Response) else one
    return replace(one, request=replace(one.request, headers=(JSON, (name, key))))


def numbered(exchanges: Iterable[Exchange]) -> list[Exchange]:
    return [replace(one, index=at, sent=float(at), finished=at + 0.5) for at, one in enumerate(exchanges)]


class Judge:
    """In place of the rules: remembers what is judged, on which grounds, and decides as it was told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: list[Record] = []
        self.grounds: list[Grounds] = []
        self.decide: Callable[[Record], Settled] = lambda record: Held(tuple(record))
        monkeypatch.setattr(traffic, "decided", self.decided)
        self._patch = monkeypatch

    def pieces(self, number: int, size: int = 1_000) -> None:
        """Judge a long record in pieces of so many exchanges and bytes."""
        self._patch.setattr(traffic, "_PIECE", number)
        self._patch.setattr(traffic, "_PIECE_BYTES", size)

    def decided(self, requirement: Requirement, record: Record, grounds: Grounds) -> Settled:
        if requirement.id == "LIST-1":
            self.seen.append(record)
            self.grounds.append(grounds)
        return self.decide(record)


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    return Judge(monkeypatch)


def shown(record: Sequence[Exchange], plan: str | None = None) -> Shown:
    return shown_by_traffic(record, as_of=DAY, plan=plan)


# ---- keys


def test_each_key_sees_the_others_as_of_unknown_validity(judge: Judge) -> None:
    record = [
        keyed(KEY, exchange(index=0)),
        keyed(OTHER, exchange(index=1)),
        keyed(KEY, exchange(index=2), "AUTHORIZATION"),
        keyed("Basic x", exchange(index=3, credential=Credential.BASIC)),
        exchange(index=4, credential=Credential.MISSING),
    ]
    shown(record)
    valid, unknown, others = Credential.VALID, Credential.UNKNOWN, [Credential.BASIC, Credential.MISSING]
    assert [[one.request.credential for one in seen] for seen in judge.seen] == [
        [valid, unknown, valid, *others],
        [unknown, valid, unknown, *others],
    ]
    assert [[replace(one.request, credential=valid) for one in seen] for seen in judge.seen] == [
        [replace(one.request, credential=valid) for one in record]
    ] * 2


def test_the_five_keys_that_were_used_most_are_judged(judge: Judge) -> None:
    shown([keyed(f"${number}", exchange()) for number in range(7) for _ in range(7 - number)])
    valid = [sum(one.request.has_valid_key for one in seen) for seen in judge.seen]
    assert valid == [7, 6, 5, 4, 3]


@pytest.mark.parametrize("record", [[], [exchange()], [exchange(credential=Credential.MISSING)]])
def test_requests_without_a_key_on_record_are_judged_as_those_of_one_client(
    record: list[Exchange], judge: Judge
) -> None:
    shown(record)
    assert [[one.request for one in seen] for seen in judge.seen] == [[one.request for one in record]]


# ---- what the record shows about the target


def listed(*ids: int, key: str = KEY) -> Exchange:
    return keyed(key, exchange(body=[{"id": number, "name": "Rex", "categoryId": number + 10} for number in ids]))


def created(number: int, key: str = KEY) -> Exchange:
    animal = {"name": "Rex", "categoryId": number + 10}
    return keyed(key, exchange(CREATE, 201, {"id": number, **animal}, asked=animal))


def test_every_piece_is_judged_with_what_the_whole_record_shows_its_key(judge: Judge) -> None:
    judge.pieces(2)
    record = numbered([listed(1), created(2), created(2), listed(3, key=OTHER), created(4)])
    found = shown(record, "free")
    client = Grounds(DAY, PLANS["free"], writes=True, run="", repeats=True)
    ours = replace(client, listed=frozenset({1, 2, 4}), begun={2: 1.0, 4: 4.0})
    theirs = replace(client, listed=frozenset({3}))
    assert [replace(one, categories={}) for one in judge.grounds] == [ours, theirs] * 3
    assert [sorted(one.categories) for one in judge.grounds] == [[11, 12, 14], [13]] * 3
    assert judge.grounds[0].categories[12].since < judge.grounds[0].categories[14].since
    both = {**judge.grounds[1].categories, **judge.grounds[0].categories}
    assert found.grounds == replace(ours, categories=both, listed=frozenset({1, 2, 3, 4}))


def test_a_category_is_known_as_long_as_any_piece_shows_it(judge: Judge) -> None:
    judge.pieces(2)
    widest = keyed(KEY, exchange(body=[], path="/pets?limit=100"))

    def categories(*answers: Exchange) -> Mapping[int, Known]:
        seconds = (replace(one, sent=10 * one.sent, finished=10 * one.sent + 0.5) for one in numbered(answers))
        return shown(list(seconds)).grounds.categories

    # a recorder may have cut its times to seconds
    assert categories(listed(1), widest, listed(1, 2), widest) == {11: Known(1.5, 11.5), 12: Known(21.5, 11.5)}
    assert categories(listed(1), widest, listed(2), listed(1)) == {11: Known(1.5), 12: Known(21.5)}


# ---- times


@pytest.mark.parametrize(
    ("microseconds", "late"),
    [((0, 0), 1.0), ((1_000, 0), 0.001), ((999_000, 0), 0.001), ((1_000, 1), 0.0), ((0, 500), 0.0)],
)
def test_an_answer_may_have_come_a_tick_of_the_recorder_later(
    microseconds: tuple[int, int], late: float, judge: Judge
) -> None:
    first, second = (replace(exchange(), started=NOON + timedelta(microseconds=part)) for part in microseconds)
    shown([replace(first, sent=2.0, finished=2.5), replace(second, sent=1.0, finished=3.5)])
    assert [one.finished for one in judge.seen[0]] == [2.5 + late, 3.5 + late]


@pytest.mark.parametrize(("finished", "late"), [([0.25, 0.75], 1.75), ([0.75, 0.25], 1.75)])
def test_an_answer_without_a_duration_may_have_come_as_late_as_the_last(
    finished: list[float], late: float, judge: Judge
) -> None:
    shown([replace(exchange(), sent=one, finished=one) for one in finished])
    assert [one.finished for one in judge.seen[0]] == [late, late]


# ---- pieces


@pytest.mark.parametrize(
    ("bodies", "pieces"),
    [
        ([1] * 7, [3, 3, 1]),
        ([1] * 3, [3]),
        ([5, 5], [2]),
        ([5, 5, 1], [2, 1]),
        ([4, 4, 4], [2, 1]),
        ([5, 5, 5, 5, 1], [2, 2, 1]),
        ([11, 1], [1, 1]),
        ([None, 5, 5], [3]),  # silence has no body
        ([], [0]),
    ],
)
def test_a_long_record_is_judged_in_pieces_of_few_exchanges_and_bytes(
    bodies: list[int | None], pieces: list[int], judge: Judge
) -> None:
    judge.pieces(3, 10)
    record = [
        exchange(status=Silence.RESET, index=at) if size is None else exchange(body=b" " * size, index=at)
        for at, size in enumerate(bodies)
    ]
    shown(record)
    assert [len(seen) for seen in judge.seen] == pieces
    assert [one.index for seen in judge.seen for one in seen] == list(range(len(bodies)))


def test_nothing_that_was_read_stays_with_the_record(judge: Judge) -> None:
    record = [listed(1), created(2)]

    def decide(seen: Record) -> Settled:
        assert [(one.answer.__dict__.get("_parsed"), one.request.__dict__.get("parsed")) for one in record] == [
            (None, None)
        ] * 2
        assert all(one.json is not None for one in seen)
        return Held(())

    judge.decide = decide
    shown(record)
    [seen] = judge.seen
    assert [(one.answer.__dict__.get("_parsed"), one.request.__dict__.get("parsed")) for one in seen] == [
        (None, None)
    ] * 2


# ---- which decision counts

FEW, MANY = (exchange(),), (exchange(), exchange())
GRAVEST_FIRST: list[Settled] = [
    Failed("It broke.", (Proof(exchange()),), MANY),
    Failed("It broke.", (Proof(exchange()),), FEW),
    Undecided("It may be broken.", None, MANY, doubtful=True),
    Undecided("It may be broken there.", None, FEW, doubtful=True),
    Held(MANY),
    Held(FEW),
    Undecided("Tried much.", None, MANY),
    Undecided("Tried.", None, FEW),
    Undecided("Nothing tried.", None, MANY, tried=False),
    Undecided("Nothing at all tried.", None, FEW, tried=False),
]


def test_of_the_decisions_on_all_pieces_the_gravest_counts(judge: Judge) -> None:
    judge.pieces(1)
    for graver, other in pairwise(GRAVEST_FIRST):
        for one in ((graver, other), (other, graver)):
            judge.decide = partial(lambda by, record: by[record[0].index], one)
            found = shown([keyed(KEY, exchange(index=0)), keyed(KEY, exchange(index=1))]).decisions["LIST-1"]
            assert found == (replace(graver, tried=True) if isinstance(graver, Undecided) else graver)


def test_of_equally_grave_decisions_the_first_counts(judge: Judge) -> None:
    judge.pieces(1)
    judge.decide = lambda record: Failed(f"Request {record[0].index} broke it.", (Proof(record[0]),))
    found = shown([keyed(KEY, exchange(index=at)) for at in range(2)]).decisions["LIST-1"]
    assert isinstance(found, Failed)
    assert found.text == "Request 0 broke it."


def test_the_piece_that_a_failure_is_in_is_kept_and_no_other(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    judge.pieces(1)
    broken = {"LIST-1": 0, "LIST-3": 2, "GET-1": 1}

    def decided(requirement: Requirement, record: Record, grounds: Grounds) -> Settled:
        wrong = broken.get(requirement.id) == record[0].index
        return Failed("It broke.", (Proof(record[0]),)) if wrong else Held(tuple(record))

    monkeypatch.setattr(traffic, "decided", decided)
    pieces = shown([keyed(KEY, exchange(index=at)) for at in range(3)]).pieces
    assert {name: [one.index for one in piece] for name, piece in pieces.items()} == {
        name: [at] for name, at in broken.items()
    }


def test_an_undecided_requirement_names_no_option_of_a_run(judge: Judge) -> None:
    judge.decide = lambda record: Undecided("Nothing to see.", "--plan", FEW, tried=False)
    assert shown([keyed(KEY, exchange())]).decisions["LIST-1"] == Undecided("Nothing to see.", None, FEW, tried=True)


# ---- what recorded traffic cannot show

NO_KEYS = "The recording has no Authorization headers, so it does not show which requests had a key. Record with them."
NOT_WHICH = "The recording has masked keys, so it does not show which requests had the same one. Record with them."


@pytest.mark.parametrize(
    ("key", "doubts"),
    [
        (KEY, {}),
        (MASKED, dict.fromkeys(("AUTH-7", "RATE-4", "RATE-6", "RATE-8", "RATE-9"), NOT_WHICH)),
        (
            None,
            dict.fromkeys(
                (*(f"AUTH-{number}" for number in range(1, 8)), "RATE-4", "RATE-6", "RATE-8", "RATE-9"), NO_KEYS
            ),
        ),
    ],
)
def test_without_its_keys_a_recording_does_not_show_what_depends_on_them(
    key: str | None, doubts: dict[str, str], judge: Judge
) -> None:
    judge.decide = lambda record: Held(FEW)
    record = [exchange(credential=Credential.MISSING), whole(exchange()) if key is None else keyed(key, exchange())]
    found = shown(record).decisions
    assert {name: one for name, one in found.items() if one != Held(FEW)} == {
        name: Undecided(why, examined=FEW) for name, why in doubts.items()
    }
    assert len(found) > 40


SCRIPTED = ("Expires", "PRAGMA", "Last-Modified", "Content-Language", "cache-control", "Content-Length")


@pytest.mark.parametrize("seen", [(), *((name,) for name in SCRIPTED), SCRIPTED], ids="-".join)
def test_a_recording_made_by_a_script_in_a_page_does_not_show_the_limits(seen: tuple[str, ...], judge: Judge) -> None:
    judge.decide = lambda record: Held(FEW)
    scripted = whole(exchange(), *((name, "x") for name in seen))
    assert isinstance(scripted.answer, Response)
    scripted = replace(scripted, answer=replace(scripted.answer, headers=scripted.answer.headers[:-1]))
    why = "The recording has only the response headers that a page shows to scripts. Record with a proxy."
    decisions = shown([scripted]).decisions
    assert decisions["RATE-1"] == decisions["RATE-3"] == Undecided(why, examined=FEW)
    assert decisions["LIST-1"] == Held(FEW)
    assert shown([whole(exchange())]).decisions["RATE-1"] == Held(FEW)


def proof(status: int | Silence = 404, *, dated: bool = True, name: object = "petcheck 0a1b2c3d") -> Exchange:
    """A POST that shows a failure."""
    headers = [JSON, *[("Date", "Sat, 21 Nov 2026 12:00:00 GMT")] * dated]
    return exchange(CREATE, status, asked={"name": name}, headers=headers)


BY_ANOTHER = dict.fromkeys(
    ("AUTH-6", "CREATE-11"), "Another client may have given an animal the name of the refused POST."
)
ANY_ID = {"GET-3": "Recorded traffic does not show whether an animal has an id that returned 200."}
NO_CLOCK = dict.fromkeys(
    ("RATE-3", "RATE-7", "RATE-9"), "A response has no Date header, and the recorder's clock may be wrong."
)


@pytest.mark.parametrize(
    ("proofs", "doubts"),
    [
        ([proof()], {}),
        ([proof(name="abcdefg1")], {}),
        ([proof(name="abcdef1")], BY_ANOTHER),
        ([proof(name="petcheck")], BY_ANOTHER),
        ([proof(name=None)], BY_ANOTHER),
        ([exchange(status=404, headers=proof().heard.headers)], BY_ANOTHER),
        ([proof(name="Rex"), proof()], {}),
        ([proof(200)], ANY_ID),
        ([proof(200), proof()], ANY_ID),
        ([proof(201)], {}),
        ([proof(dated=False)], NO_CLOCK),
        ([proof(dated=False), proof()], NO_CLOCK),
        ([proof(Silence.RESET)], NO_CLOCK),
    ],
)
def test_what_may_have_another_cause_is_no_failure(
    proofs: list[Exchange], doubts: dict[str, str], judge: Judge
) -> None:
    failed = Failed("It broke.", tuple(map(Proof, proofs)), FEW)
    judge.decide = lambda record: failed
    found = shown([keyed(KEY, exchange())]).decisions
    assert {name: one for name, one in found.items() if one != failed} == {
        name: Undecided(why, examined=FEW) for name, why in doubts.items()
    }


# ---- a recording of refusals

REFUSED = "the server refused every request with a key in the recording; record some with a valid key"


def answered(*statuses: int | Silence) -> list[Exchange]:
    return [keyed(KEY, exchange(status=status)) for status in statuses]


def without_key(status: int | Silence) -> Exchange:
    return exchange(status=status, credential=Credential.MISSING)


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ([], None),
        ([without_key(401)], None),
        (answered(401), REFUSED),
        (answered(401, 403), REFUSED),
        (answered(401, 404), None),
        (answered(402), None),
        (answered(401, 200), None),
        ([*answered(403), without_key(401)], REFUSED),
        ([*answered(403), without_key(299)], None),
        ([*answered(403), without_key(300)], REFUSED),
        ([*answered(403), without_key(Silence.RESET)], None),
    ],
)
def test_where_every_key_is_refused_nothing_is_judged(record: list[Exchange], why: str | None) -> None:
    assert refused_everywhere(record) == why
