"""A HAR is read entry by entry, and refused in words where it is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petcheck.errors import NotEvidence
from petcheck.stream import har_reader
from petcheck.stream.har_reader import head_and_entries

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(
    st.lists(VALUES),
    st.dictionaries(st.sampled_from(["version", "pages"]), VALUES),
    st.booleans(),
    st.data(),
)
def test_any_entries_are_read_wherever_a_chunk_ends(
    tmp_path_factory: pytest.TempPathFactory,
    entries: list[Any],
    more: dict[str, Any],
    ascii_: bool,
    data: st.DataObject,
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.har"
    document = {"before": [1], "log": {**more, "entries": entries}, "after": {"x": 2}}
    path.write_text(json.dumps(document, ensure_ascii=ascii_), encoding="utf-8", errors="surrogatepass")
    before, har_reader._CHUNK = har_reader._CHUNK, data.draw(st.integers(1, 9))
    try:
        assert list(head_and_entries(path)) == [None, *entries]
    finally:
        har_reader._CHUNK = before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not whole JSON"),
        ("1", "is not whole JSON"),
        ("[]", "is not whole JSON"),
        ("{}", "is not a HAR: it has no log with entries"),
        ('{"log": {}}', "is not a HAR: it has no log with entries"),
        ('{"log": 1}', "is not whole JSON"),
        ('{"log": {"entries": {}}}', "is not whole JSON"),
        ('{"log": {"entries": [{}', "is not whole JSON"),
        ('{"log": {"entries": []}} x', "is not whole JSON"),
        ('{"log": {"entries": [' + "[" * 100_000, "is not whole JSON"),
        ("<html>", "is not whole JSON"),
    ],
)
def test_what_is_no_har_is_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "x.har").write_text(text)
    with pytest.raises(NotEvidence, match=said):
        list(head_and_entries(tmp_path / "x.har"))


def test_a_member_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(har_reader, "VALUE_CAP", 1000)
    monkeypatch.setattr(har_reader, "_CHUNK", 100)
    (tmp_path / "x.har").write_text(json.dumps({"log": {"entries": [{"text": "x" * 9000}]}}))
    with pytest.raises(NotEvidence, match="has a member of more than 1,000 characters"):
        list(head_and_entries(tmp_path / "x.har"))


def test_a_member_of_too_many_values_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(har_reader, "_SIGNS_CAP", 1000)
    monkeypatch.setattr(har_reader, "_CHUNK", 100)
    (tmp_path / "x.har").write_text(json.dumps({"log": {"entries": [[[]] * 2000]}}))
    with pytest.raises(NotEvidence, match="has a member of more than 1,000 values"):
        list(head_and_entries(tmp_path / "x.har"))


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "x.har").open("wb") as file:
        file.truncate(2 * 1024**3)
    with pytest.raises(OSError, match=r"It has 2,048 MB, more than the 1,024 MB that are read"):
        list(head_and_entries(tmp_path / "x.har"))
