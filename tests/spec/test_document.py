"""A document is read as sentences and rows, whose digests depend on the words and the section alone."""

from __future__ import annotations

import pytest

from petcheck.spec.document import Piece, blocks_of, section_of
from tests.support.documents import SHOP


def places(text: str) -> list[str]:
    return [one.place for block in blocks_of(text) for one in block.passages]


def words(text: str) -> list[str]:
    return [one.words for block in blocks_of(text) for one in block.passages]


def test_it_is_sentences_and_rows_in_their_order() -> None:
    assert words(SHOP) == [
        "All about the shop.",
        "A page holds at most limit things.",
        "It has no more than 100.",
        "Order: not shown.",
        "limit | integer, 1 to 100",
        "note | for people",
        "Every response is JSON.",
        "Events: not shown.",
    ]
    assert [section_of(place) for place in places(SHOP)] == ["0", *["1"] * 7]
    assert [(block.kind, block.depth, block.marker) for block in blocks_of(SHOP)] == [
        *(("heading", 1, ""), ("paragraph", 0, ""), ("heading", 2, ""), ("paragraph", 0, ""), ("table", 0, "")),
        *(("item", 1, "1."), ("item", 1, "2.")),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n", "\r\n"),
        ("at most `limit`", "at\nmost  `limit`"),
        ("`limit` things", "limit things"),
        ("**no**", "_no_"),
        ("A page holds", "A [page](https://shop.example) holds"),
        ("| limit | integer", "|limit|  integer"),
        ("|---|---|", "| :--- | ---: |"),
        ("1. Every", "* Every"),
        ("## 1. Lists", "## 1 Pages"),
        ("# Shop", "Shop\n===="),
        ("All about the shop.", "All about\tthe shop."),
    ],
)
def test_what_only_looks_different_keeps_its_digest(old: str, new: str) -> None:
    assert old in SHOP
    assert places(SHOP.replace(old, new)) == places(SHOP)


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("at most `limit`", "at most `Limit`", 1),
        ("1 to 100", "1 to 1000", 1),
        ("Every response is JSON.", "Every response is JSON!", 1),
        ("limit | integer, 1", "limit integer, | 1", 1),
        ("## 1. Lists", "## 2. Lists", 7),
    ],
)
def test_what_says_something_else_has_another_digest(old: str, new: str, changed: int) -> None:
    assert old in SHOP
    assert len(set(places(SHOP)) - set(places(SHOP.replace(old, new)))) == changed


def test_the_same_words_are_counted_in_a_section() -> None:
    twice = places("# 1\n\nNone.\n\nNone.\n\n# 2\n\nNone.\n")
    assert len(set(twice)) == 3
    assert places("# 1\n\nNone.\n\n# 2\n\nNone.\n") == [twice[0], twice[2]]


def test_a_sentence_ends_at_a_full_stop_outside_of_code() -> None:
    assert words("It is `a. b`. `c` is next. 1.0.0 is a version? Yes.") == [
        "It is a. b.",
        "c is next.",
        "1.0.0 is a version?",
        "Yes.",
    ]


def test_nothing_of_a_document_is_lost_and_html_is_text() -> None:
    text = (
        "<script>x</script>\n\n> quoted\n\n```\ncode one\n```\n\n- outer\n  - inner\n\n"
        "![alt](x.png) [words](javascript:y)"
    )
    assert words(text) == ["<script>x</script>", "quoted", "code one", "outer", "inner", "alt [words](javascript:y)"]
    inner = blocks_of(text)[4]
    assert (inner.depth, inner.marker, inner.passages[0].cells) == (2, "•", ((Piece("inner"),),))


def test_a_subsection_has_its_own_number_and_other_headings_keep_it() -> None:
    text = "## 4. A\n\nOne.\n\n### 4.1 B\n\nTwo.\n\n### Without\n\nThree.\n"
    assert [section_of(place) for place in places(text)] == ["4", "4.1", "4.1"]
