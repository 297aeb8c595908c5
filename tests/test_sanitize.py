"""Text from a target is safe to look at."""

from __future__ import annotations

import pytest

from petcheck.sanitize import printable, printable_parts


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Bella", "Bella"),
        ("Žofie 🐈 東京", "Žofie 🐈 東京"),
        ("<b>&amp;</b>", "<b>&amp;</b>"),
        ("a\nb\tc\rd", "a\\u{a}b\\u{9}c\\u{d}d"),
        ("\x00\x1b[31m\x7f\x85", "\\u{0}\\u{1b}[31m\\u{7f}\\u{85}"),
        ("\u202eabc\u2066\u200f", "\\u{202e}abc\\u{2066}\\u{200f}"),
        ("a\u200b\ufeff\u00adb", "a\\u{200b}\\u{feff}\\u{ad}b"),
        ("a\u00a0b\u3000c", "a\\u{a0}b\\u{3000}c"),
        ("\u2028\u2029", "\\u{2028}\\u{2029}"),
        ("\ud800x\udfff", "\\u{d800}x\\u{dfff}"),
        ("\ue000\uffff\U000e0041", "\\u{e000}\\u{ffff}\\u{e0041}"),
        ("e\u0301", "e\u0301"),
        ("e" + "\u0301" * 5, "e\u0301\u0301\u0301\\u{301}\\u{301}"),
        ("\u3164\ufe0f", "\\u{3164}\\u{fe0f}"),
    ],
)
def test_invisible_characters_are_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(printable(text)) == shown
    shown.encode("utf-8")


def test_lines_stay_in_bodies() -> None:
    assert printable("a\nb\tc\r", lines=True) == "a\nb\tc\\u{d}"


def test_the_cut_is_stated() -> None:
    assert printable("x" * 301) == "x" * 300 + " … [cut at 300 of 301 characters, whole in exchanges.jsonl]"
    assert printable("x" * 300) == "x" * 300
    assert printable("x" * 4_000_000, 2_000, whole_in="result.json") == (
        "x" * 2_000 + " … [cut at 2,000 of 4,000,000 characters, whole in result.json]"
    )


def test_the_cut_note_is_distinct_from_text_that_looks_like_it() -> None:
    note = " … [cut at 300 of 301 characters, whole in exchanges.jsonl]"
    assert printable_parts("x" * 301) == ("x" * 300, note)
    assert printable_parts(f"x{note}") == (f"x{note}", "")
