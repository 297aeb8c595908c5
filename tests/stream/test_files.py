"""exchanges.jsonl: whole up to the last line whatever ended the run, and refused where a line cannot be true."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from petcheck.errors import NotARun
from petcheck.exchange import Exchange
from petcheck.results.judge import judge
from petcheck.results.load import recording_in
from petcheck.stream import files, har, stream
from petcheck.stream.files import FILE, StreamWriter, read_stream, text_of
from petcheck.stream.lines import End, Head
from petcheck.stream.stream import Stream
from tests.support import samples, streams

Texts: TypeAlias = list[str]
Edit: TypeAlias = Callable[[Texts], Texts]

GOOD = list(text_of(streams.lines()))
SHOP = ("staging", "production")


def read(folder: Path, text: Texts | bytes) -> Stream:
    path = folder / FILE
    path.write_bytes(text if isinstance(text, bytes) else "".join(text).encode())
    return read_stream(path)


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    found = read(tmp_path, GOOD)
    assert found == Stream(tuple(streams.lines()))
    assert list(text_of(found.entries)) == GOOD
    assert found.exchanges == tuple(entry for entry in streams.lines() if isinstance(entry, Exchange))
    assert (found.end, found.finished, found.cut) == (End(streams.FINISHED), streams.FINISHED, None)
    [part] = found.parts
    assert (part.name, part.base_url, part.key, part.waited_s) == ("staging", streams.BASE, streams.KEY, 1.5)
    assert part.planned == (streams.LISTS, streams.PAGES, streams.EXAMPLES)
    assert [(ended.check, ended.dropped is None) for ended in part.ended] == [
        (streams.LISTS.id, True),
        (streams.PAGES.id, False),
        (streams.EXAMPLES.id, True),
    ]


# ---- a stream that cannot be true


def put(line: int, place: str, value: object) -> Edit:
    """The line, counted from 1, with another value at `place`; a new member if it has none there."""

    def edit(texts: Texts) -> Texts:
        document = json.loads(texts[line - 1])
        inner: Any = document
        *steps, last = place.split("/")
        for step in steps:
            inner = inner[int(step) if step.isdecimal() else step]
        inner[int(last) if last.isdecimal() else last] = value
        return [*texts[: line - 1], json.dumps(document) + "\n", *texts[line:]]

    return edit


def take(line: int, place: str) -> Edit:
    """The line without what is at `place`."""

    def edit(texts: Texts) -> Texts:
        document = json.loads(texts[line - 1])
        inner: Any = document
        *steps, last = place.split("/")
        for step in steps:
            inner = inner[step]
        del inner[last]
        return [*texts[: line - 1], json.dumps(document) + "\n", *texts[line:]]

    return edit


def say(line: int, before: str, after: str) -> Edit:
    """The line with another text."""

    def edit(texts: Texts) -> Texts:
        assert before in texts[line - 1]
        return [*texts[: line - 1], texts[line - 1].replace(before, after, 1), *texts[line:]]

    return edit


def insert(line: int, text: object) -> Edit:
    return lambda texts: [*texts[: line - 1], json.dumps(text) + "\n", *texts[line - 1 :]]


def again(line: int, at: int) -> Edit:
    return lambda texts: [*texts[: at - 1], texts[line - 1], *texts[at - 1 :]]


def drop(line: int) -> Edit:
    return lambda texts: [*texts[: line - 1], *texts[line:]]


def both(*edits: Edit) -> Edit:
    def edit(texts: Texts) -> Texts:
        for each in edits:
            texts = each(texts)
        return texts

    return edit


def at(sent: float, finished: float) -> Edit:
    """The second exchange at other times, as its other members tell them."""
    took = round((finished - sent) * 1000, 3)
    return both(
        put(7, "_petcheck/sent", sent),
        put(7, "_petcheck/finished", finished),
        put(7, "time", max(took, 0.0)),
        put(7, "timings/wait", max(took, 0.0)),
    )


DISAGREES = "its members do not agree with each other"
NUMBERS = "the requests to staging are not numbered one after the other"
ELSEWHERE = "the method or the URL is of another operation"
UNKNOWN_TARGET = "it is about a target that the run does not have"
NOT_OURS = "has an entry that petcheck has not written"
KEYLESS = both(put(4, "request/headers", []), put(4, "_petcheck/curl", f"curl -isS '{streams.BASE}/pets?limit=1'"))

TRUE_TIME = both(put(4, "_petcheck/sent", True), put(4, "_petcheck/finished", 1.012))
POSTED = both(put(4, "request/method", "POST"), say(4, "-isS", "-isS -X POST"))
SIMPLER = "the request is a simpler form of none before it"

# what is wrong, in which line it shows, how to make it, and what is said of it
CONTRADICTIONS: list[tuple[str, int, Edit, str]] = [
    ("an exchange is missing", 6, drop(4), NUMBERS),
    ("exchanges in another order", 4, both(again(7, 4), drop(8)), NUMBERS),
    ("an index below 0", 4, put(4, "_petcheck/index", -1), NUMBERS),
    ("an index as a text", 4, put(4, "_petcheck/index", "0"), f"{NOT_OURS}: TypeError"),
    ("an index that is true", 4, put(4, "_petcheck/index", False), f"{NOT_OURS}: TypeError"),
    ("answered before it was sent", 7, at(100.02, 100.01), "the response came before the request was sent"),
    ("sent before the one before", 7, at(99.5, 99.6), "the request was sent before the one with the number below"),
    ("an exchange that took an age", 7, at(100.02, 1e200), "the response took more than a year"),
    ("a time that is another", 4, put(4, "time", 13.0), DISAGREES),
    (
        "a time that is true",
        4,
        both(put(4, "_petcheck/sent", True), put(4, "_petcheck/finished", 1.012)),
        f"{NOT_OURS}: TypeError",
    ),
    ("a start without a time zone", 4, say(4, "12.123Z", "12.123"), DISAGREES),
    ("a start that is none", 4, put(4, "startedDateTime", "yesterday"), f"{NOT_OURS}: ValueError"),
    (
        "a method of another operation",
        4,
        both(put(4, "request/method", "POST"), say(4, "-isS", "-isS -X POST")),
        ELSEWHERE,
    ),
    ("a URL of another operation", 4, put(4, "_petcheck/operation", "storeOrders"), ELSEWHERE),
    ("a URL elsewhere", 4, say(4, "https://staging", "https://elsewhere"), DISAGREES),
    (
        "a URL of another target",
        2,
        put(2, "opened/base_url", "https://other.example/v1"),
        "elsewhere than the head says",
    ),
    ("an operation that the document lacks", 4, put(4, "_petcheck/operation", "deletePet"), "'deletePet'"),
    ("a credential that is none", 4, put(4, "_petcheck/credential", "any key"), "'any key'"),
    ("a key where none was", 4, put(4, "_petcheck/credential", "no key"), "had no key, and shows another"),
    ("no key where one was", 4, KEYLESS, "and shows no Authorization header"),
    ("a body of another size", 4, put(4, "request/bodySize", 5), DISAGREES),
    ("an answer of another size", 4, put(4, "response/content/size", 1), DISAGREES),
    ("an answer of another type", 4, put(4, "response/content/mimeType", "text/html"), DISAGREES),
    ("another query", 4, put(4, "request/queryString", []), DISAGREES),
    ("another curl line", 4, put(4, "_petcheck/curl", "rm -rf /"), DISAGREES),
    ("whole or not, as a number", 4, put(4, "_petcheck/body_complete", 0), f"{NOT_OURS}: TypeError"),
    ("sent again, as a number", 4, put(4, "_petcheck/resent", 1), f"{NOT_OURS}: TypeError"),
    (
        "a simplified form of a later one",
        4,
        put(4, "_petcheck/simplifies", 1),
        SIMPLER,
    ),
    ("a repetition of a later one", 4, put(4, "_petcheck/again", 1), "the request repeats none before it"),
    ("a burst without a number", 4, put(4, "_petcheck/burst", 0), "part of a burst without a number"),
    ("a connection without a number", 4, put(4, "_petcheck/connection", 0), "the connection has no number"),
    ("a connection with a name", 4, put(4, "_petcheck/connection", "1"), f"{NOT_OURS}: TypeError"),
    ("a member that nobody writes", 4, put(4, "_petcheck/verdict", "pass"), DISAGREES),
    ("a member of HAR that is missing", 4, take(4, "cache"), DISAGREES),
    ("no answer at all", 4, take(4, "response"), f"{NOT_OURS}: KeyError"),
    ("an answer that is a text", 4, put(4, "response", "200"), f"{NOT_OURS}: TypeError"),
    ("a silence that petcheck lacks", 4, put(4, "response/_error", "asleep"), f"{NOT_OURS}: ValueError"),
    ("a member twice", 4, say(4, '"cache": {}', '"cache": {}, "cache": {}'), "it has a member twice"),
    ("a number that is none", 4, say(4, '"sent": 100.0', '"sent": NaN'), "it has NaN, which is not JSON"),
    ("a number without an end", 6, say(6, "1.5", "-Infinity"), "it has -Infinity, which is not JSON"),
    ("a number that is too large", 6, say(6, "1.5", "1e999"), "it has a number that is too large"),
    ("a number that is too small", 6, say(6, "1.5", "-1e999"), "it has a number that is too large"),
    ("no head", 1, drop(1), "it does not begin with the head of a run"),
    ("a second head", 4, both(again(1, 4), put(4, "petcheck/seed", 8)), "it begins a second run, or names a target"),
    (
        "a target twice",
        1,
        put(1, "petcheck/targets", [{"name": "a", "base_url": "x"}] * 2),
        "it begins a second run, or names a target twice",
    ),
    ("a target that the head lacks", 2, put(2, "opened/target", "production"), UNKNOWN_TARGET),
    ("a pause of another target", 6, put(6, "waited/target", "production"), UNKNOWN_TARGET),
    ("an exchange with another target", 4, put(4, "_petcheck/target", "production"), UNKNOWN_TARGET),
    ("a target opened twice", 3, both(again(2, 3), put(3, "opened/key", None)), "the target is opened a second time"),
    ("a target that is not open", 3, drop(2), "a request goes to a target that is not open"),
    ("planned twice", 4, both(again(3, 4), put(4, "planned/checks", [])), "the target's checks are planned a second"),
    (
        "a check that ends twice",
        6,
        both(again(5, 6), put(6, "ended/seconds", 9.0)),
        "a check ends that was not planned,",
    ),
    ("a check that was not planned", 5, put(5, "ended/check", "x"), "a check ends that was not planned, or"),
    ("a check that ends before it is planned", 3, again(5, 3), "a check ends that was not planned, or"),
    ("something after the end", 11, both(again(6, 11), put(11, "waited/seconds", 9.0)), "it follows the end of the"),
    ("a second end", 11, both(again(10, 11), put(11, "end/interrupted", True)), "it follows the end of the run"),
    ("an unknown line", 4, insert(4, {"verdict": {}}), "petcheck writes no such line"),
    ("two lines in one", 4, insert(4, {"gone": {}, "end": {}}), "petcheck writes no such line"),
    ("an empty line", 4, insert(4, {}), "petcheck writes no such line"),
    ("a list", 4, insert(4, []), "it is not an object"),
    ("an unknown member", 6, put(6, "waited/until", 1), "waited has a member that petcheck does not write: until"),
    ("a member of the wrong type", 6, put(6, "waited/why", 1), "waited.why is not str"),
    ("a truth for a number", 6, put(6, "waited/seconds", True), "waited.seconds is not float"),
    ("a number for a truth", 10, put(10, "end/interrupted", 1), "end.interrupted is not bool"),
    ("null for a text", 2, put(2, "opened/base_url", None), "opened.base_url is not str"),
    ("a member that is missing", 6, take(6, "waited/why"), "waited has no why"),
    ("a line that is not an object", 10, put(10, "end", []), "end is not an object"),
    ("an outcome that petcheck lacks", 8, put(8, "ended/dropped/outcome", "pass"), "is not one of the values"),
    ("a moment that is none", 10, put(10, "end/finished", "soon"), "end.finished is not a time"),
    (
        "a moment of another form",
        10,
        put(10, "end/finished", "2026-11-21T10:03:21.1230Z"),
        "is not written as petcheck",
    ),
    ("a day of another form", 1, put(1, "petcheck/as_of", "20261121"), "head.as_of is not written as petcheck"),
    ("a pause below 0", 6, put(6, "waited/seconds", -1.0), "a pause took less than no time"),
    ("a check that took less than nothing", 5, put(5, "ended/seconds", -0.5), "a check took less than no time"),
    (
        "a waiver until no day",
        1,
        put(1, "petcheck/settings/waivers", [{"requirement": "x", "target": "y", "reason": "z", "expires": "never"}]),
        "expires is not a day",
    ),
]


@pytest.mark.parametrize(
    ("line", "edit", "said"), [case[1:] for case in CONTRADICTIONS], ids=[c[0] for c in CONTRADICTIONS]
)
def test_a_stream_that_contradicts_itself_is_refused(line: int, edit: Edit, said: str, tmp_path: Path) -> None:
    with pytest.raises(NotARun) as refused:
        read(tmp_path, edit(GOOD))
    text = str(refused.value)
    assert text.startswith(f"{tmp_path / FILE} contradicts itself in line {line}: ")
    assert said in text
    assert "\n" not in text


@pytest.mark.parametrize("place", ["line", "name", "member"])
def test_no_byte_of_a_forged_stream_reaches_the_terminal_as_it_is(place: str, tmp_path: Path) -> None:
    hostile = {
        "line": insert(4, {samples.HOSTILE: {}}),
        "name": put(2, "opened/target", samples.HOSTILE),
        "member": put(6, f"waited/{samples.HOSTILE.replace('/', '')}", 1),
    }
    with pytest.raises(NotARun) as refused:
        read(tmp_path, hostile[place](GOOD))
    assert str(refused.value).isprintable()


# ---- a stream that ends early


@pytest.mark.parametrize("last", [b"{\n", b"\xff\n", b"\n", b"[" * 100_000 + b"\n", b'{"gone"\n', b"\0" * 4096 + b"\n"])
@pytest.mark.parametrize("whole", [1, 5, 9])
def test_bytes_that_are_not_json_end_the_reading_and_that_is_told(whole: int, last: bytes, tmp_path: Path) -> None:
    kept = "".join(GOOD[:whole]).encode()
    found = read(tmp_path, kept + last + "".join(GOOD[whole:]).encode())
    assert found.cut == f"line {whole + 1} is not JSON, so nothing from there on was read"
    assert "".join(text_of(found.entries)).encode() == kept
    assert not judge(found).complete


def test_bytes_after_the_end_are_told_too(tmp_path: Path) -> None:
    found = read(tmp_path, "".join(GOOD).encode() + b"\xff\n")
    assert (found.cut is None, found.end, judge(found).complete) == (False, None, False)


@pytest.mark.parametrize(("line", "place"), [(1, 4), (2, 3), (3, 4), (4, 5), (5, 6), (10, 11), (6, 11)])
def test_a_line_that_is_there_twice_ends_the_reading_and_that_is_told(line: int, place: int, tmp_path: Path) -> None:
    found = read(tmp_path, again(line, place)(GOOD))
    assert found.cut == f"line {place} is line {line} again, so nothing from there on was read"
    assert (len(found.entries), found.end) == (place - 1 - (place == 11), None)


def test_a_line_that_was_being_written_is_left_out(tmp_path: Path) -> None:
    text = "".join(GOOD).encode()
    ends = [place + 1 for place, byte in enumerate(text) if byte == ord("\n")]
    for length in (*range(ends[0], len(text), 97), *ends, *(end - 1 for end in ends[1:])):
        found = read(tmp_path, text[:length])
        whole = sum(end <= length for end in ends)
        torn = None if length in ends else f"line {whole + 1} is not whole, so it was not read"
        assert (found.cut, len(found.entries)) == (torn, whole)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is empty: the run ended before it had begun"),
        (GOOD[0][:-1].encode(), "is empty: the run ended before it had begun"),
        (b"{\n", "is empty"),
        (b"\xff\n", "is empty"),
        (b"[]\n", "in line 1: it is not an object"),
        (b'{"log": {"entries": []}}\n', "in line 1: petcheck writes no such line"),
        (b'{"petcheck": {}}\n', "in line 1: head has no suite"),
    ],
)
def test_another_file_is_refused_in_one_line(text: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(text)
    with pytest.raises(NotARun, match=said) as refused:
        read_stream(tmp_path / FILE)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("reading", [read_stream, har.read_har])
def test_a_file_that_cannot_be_read_is_refused(reading: Callable[[Path], object], tmp_path: Path) -> None:
    with pytest.raises(NotARun, match=rf"^{tmp_path}/none cannot be read: No such file or directory$"):
        reading(tmp_path / "none")


def test_more_than_memory_holds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as smaller:
        smaller.setattr(stream, "WEIGHT_CAP", 5_000)
        with pytest.raises(NotARun, match="MB of exchanges; give a shorter recording"):
            read(tmp_path, GOOD)
    monkeypatch.setattr(files, "LINE_CAP", 4_000)
    long = put(6, "waited/why", "x" * 4_000)(GOOD)
    with pytest.raises(NotARun, match="has a line of more than 0 MB"):
        read(tmp_path, long)


# ---- writing


def writer(folder: Path, *entries: stream.Entry) -> StreamWriter:
    made = StreamWriter(folder)
    first, *others = entries
    assert isinstance(first, Head)
    made.begin(first)
    for entry in others:
        made.write(entry)
    return made


def test_each_line_is_on_disk_at_once_and_a_new_run_empties_the_file(tmp_path: Path) -> None:
    made = StreamWriter(tmp_path)
    for _ in range(2):
        made = writer(tmp_path, streams.head())
        for number, entry in enumerate(streams.lines()[1:], 2):
            made.write(entry)
            assert (tmp_path / FILE).read_text() == "".join(GOOD[:number])
    assert made.stream() == made.kept() == Stream(tuple(streams.lines()))


def test_several_writers_of_one_run_keep_their_lines_whole(tmp_path: Path) -> None:
    first = writer(tmp_path, *streams.lines()[:3])
    second = StreamWriter(tmp_path)
    for number in range(0, 6, 2):
        first.write(samples.exchange(number))
        second.write(samples.exchange(number + 1))
    assert [exchange.index for exchange in first.stream().exchanges] == list(range(6))
    assert [exchange.index for exchange in first.kept().exchanges] == [0, 2, 4]


def test_trouble_with_the_disk_is_kept_and_nothing_is_written_after_it(tmp_path: Path) -> None:
    made = writer(tmp_path, *streams.lines()[:4])
    (tmp_path / FILE).unlink()
    for entry in streams.lines()[4:]:
        made.write(entry)
    assert isinstance(made.trouble, FileNotFoundError)
    assert not (tmp_path / FILE).exists()
    assert made.stream() == Stream(tuple(streams.lines()))
    (tmp_path / FILE).mkdir()
    assert isinstance(writer(tmp_path, streams.head()).trouble, IsADirectoryError)


def test_without_a_folder_the_lines_are_only_kept() -> None:
    made = StreamWriter(None)
    made.begin(streams.head())
    made.keep(samples.exchange())
    assert (made.path, made.stream().entries) == (None, (streams.head(), samples.exchange()))


# ---- a folder


def test_a_folder_gives_its_stream_or_its_har(tmp_path: Path) -> None:
    with pytest.raises(NotARun, match=r"holds no recording: neither exchanges.jsonl nor exchanges.har$"):
        recording_in(tmp_path)
    (tmp_path / har.FILE).write_text('{"log": {"version": "1.2", "entries": []}}')
    with pytest.raises(NotARun, match=r"is a HAR of another program; give the file itself$"):
        recording_in(tmp_path)
    (tmp_path / har.FILE).write_text("".join(har.pieces(Stream(tuple(streams.lines())))))
    assert recording_in(tmp_path) == Stream(tuple(streams.lines()))
    assert read(tmp_path, GOOD) == recording_in(tmp_path)


# ---- several targets


def test_the_stream_of_one_target_alone() -> None:
    whole = streams.around(samples.whole_run()[1], *SHOP)
    one = whole.only("production")
    assert [part.name for part in one.parts] == ["production"]
    assert one.parts == whole.parts[1:]
    assert (one.end, [type(entry).__name__ for entry in one.entries[:3]]) == (whole.end, ["Head", "Opened", "Planned"])
    assert {exchange.target for exchange in one.exchanges} == {"production"}
    assert judge(one).requirements == tuple(judge(whole).rows_of("production"))
