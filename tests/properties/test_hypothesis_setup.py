"""The tables stored for Hypothesis equal those that it would compute."""

from __future__ import annotations

from hypothesis.internal import charmap

from petcheck.properties.hypothesis_setup import categories, set_up_hypothesis


def test_the_categories_are_those_of_hypothesis() -> None:
    assert {name: tuple(ranges) for name, ranges in categories().items()} == charmap.charmap()


def test_hypothesis_reads_the_stored_tables() -> None:
    home = set_up_hypothesis()
    names = {path.name for path in home.rglob("*.gz")}
    assert names >= {"charmap.json.gz", "codec-v2-utf-8.json.gz"}
    charmap.intervals_from_codec.cache_clear()
    encodable, lossy = charmap.intervals_from_codec("utf-8")
    assert encodable.intervals == ((0, 0xD7FF), (0xE000, 0x10FFFF))
    assert lossy.intervals == ()
    assert charmap.charmap_file("codec-v2-utf-8") == next(home.rglob("codec-v2-utf-8.json.gz"))
