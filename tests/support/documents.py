"""A small interface document, and a catalogue that knows its sentences."""

from __future__ import annotations

from petcheck.spec.catalogue import Catalogue, Requirement
from petcheck.spec.document import blocks_of

SHOP = """\
# Shop

All about the shop.

## 1. Lists

A page holds at most `limit` things. It has **no** more than 100. Order: not shown.

| Name | Rule |
|---|---|
| limit | integer, 1 to 100 |
| note | for people |

1. Every response is JSON.
2. Events: not shown.
"""


def place_of(text: str, words: str) -> str:
    """The place of the sentence or row with these words."""
    return next(one.place for block in blocks_of(text) for one in block.passages if one.words == words)


def shop_catalogue() -> Catalogue:
    """LIST-3 is in a sentence and in a row, two open points have a sentence each, and two passages state nothing."""

    def at(*words: str) -> tuple[str, ...]:
        return tuple(place_of(SHOP, one) for one in words)

    return Catalogue(
        (
            Requirement(
                "LIST-3",
                "1",
                "stated",
                "Short.",
                at=at("A page holds at most limit things.", "limit | integer, 1 to 100"),
            ),
            Requirement("LIST-5", "1", "stated", "Shorter.", at=at("It has no more than 100.")),
            Requirement("SERVICE-1", "1", "stated", "Text.", at=at("Every response is JSON.")),
            Requirement("list-order", "1", "open", "Which order?", at=at("Order: not shown.")),
            Requirement("events", "1", "open", "Which?", (), "No one sends any.", at=at("Events: not shown.")),
        ),
        "f" * 64,
        dict.fromkeys(at("All about the shop.", "note | for people"), "Tells people what it is."),
    )
