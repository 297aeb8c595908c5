"""exchanges.jsonl: complete up to the last whole exchange, whatever ended the run."""

from __future__ import annotations

from pathlib import Path

import pytest
from petcheck.results.recording import FILE, Stream, entries_in, read_stream, write_stream

from petcheck.errors import NotARun
from petcheck.exchange import Exchange
from petcheck.results.load import read_har, recording_in
from petcheck.results.result import write
from tests.support import samples


def streamed(folder: Path, exchanges: tuple[Exchange, ...]) -> Stream:
    stream = Stream(folder)
    stream.begin(samples.result(complete=False))
    stream.target("staging", "https://staging.pets.example/v1", "sha256:0123abcd")
    for exchange in exchanges:
        stream.exchange(exchange)
    return stream


def test_what_was_streamed_is_read_back(tmp_path: Path) -> None:
    exchanges = samples.two_exchanges()
    stream = streamed(tmp_path, exchanges)
    recording = read_stream(stream.path)
    assert recording.exchanges == recording.of("staging") == exchanges
    assert recording.of("other") == ()
    assert (recording.result.complete, recording.result.requirements) == (False, ())
    assert [target.base_url for target in recording.result.targets] == ["https://staging.pets.example/v1"]
    assert [entry["_petcheck"]["index"] for entry in entries_in(stream.path, ["staging"])] == [0, 1]


@pytest.mark.parametrize("cut", [1, 40, 900])
def test_a_line_that_was_being_written_is_left_out(cut: int, tmp_path: Path) -> None:
    stream = streamed(tmp_path, samples.two_exchanges())
    stream.path.write_bytes(stream.path.read_bytes()[:-cut])
    assert [exchange.index for exchange in read_stream(stream.path).exchanges] == [0]


def test_several_writers_of_one_run_keep_their_lines_whole(tmp_path: Path) -> None:
    first = streamed(tmp_path, ())
    second = Stream(tmp_path)
    for number in range(0, 6, 2):
        first.exchange(samples.exchange(number))
        second.exchange(samples.exchange(number + 1))
    assert [exchange.index for exchange in read_stream(first.path).exchanges] == list(range(6))


def test_trouble_with_the_disk_is_kept_and_nothing_is_written_after_it(tmp_path: Path) -> None:
    stream = streamed(tmp_path, samples.two_exchanges())
    stream.path.unlink()
    stream.exchange(samples.exchange(2))
    assert isinstance(stream.trouble, FileNotFoundError)
    stream.exchange(samples.exchange(3))
    assert not stream.path.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is empty: the run ended before it had begun"),
        (b"[]\n", "has a line that petcheck has not written"),
        (b"{\n", "has a line that petcheck has not written: line 1"),
        (b'{"run": {}}\n', "is not a result of petcheck"),
        (b"\xff\n", "has a line that petcheck has not written: line 1"),
        (b"[" * 100_000 + b"\n", "has a line that petcheck has not written: line 1"),
    ],
)
def test_another_file_is_refused_in_one_line(text: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(text)
    with pytest.raises(NotARun, match=said) as refused:
        read_stream(tmp_path / FILE)
    assert "\n" not in str(refused.value)


def test_a_folder_gives_its_result_only_if_it_is_of_the_same_run(tmp_path: Path) -> None:
    result = samples.result()
    write_stream(tmp_path, result, samples.two_exchanges())
    write(result, tmp_path)
    assert recording_in(tmp_path).result == result
    write(samples.result(run=samples.run(id="another")), tmp_path)
    assert recording_in(tmp_path).result.requirements == ()


def test_a_folder_without_a_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotARun, match=r"holds no recording: neither exchanges.jsonl nor exchanges.har$"):
        recording_in(tmp_path)


def test_a_har_of_another_program_is_no_recording_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "exchanges.har").write_text('{"log": {"version": "1.2", "entries": []}}')
    assert read_har(tmp_path / "exchanges.har") is None
    with pytest.raises(NotARun, match="is a HAR of another program"):
        recording_in(tmp_path)
