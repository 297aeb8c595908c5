"""Section 4.1: the pages that a run asks for before anything else. Pure."""

from __future__ import annotations

import random

from petcheck.spec.figures import AVAILABLE, LIMIT_DEFAULT, LIMIT_MAX, LIMIT_MIN, PENDING, SOLD

Parameters = tuple[int | None, str | None]
"""A limit and a status; None leaves one out."""


def first_pages(seed: int) -> tuple[Parameters, ...]:
    """Every status, every limit that the document names, and an unfiltered page that may show the whole store.

    The seed says which limit goes with which status. LIST-4 compares the third page with the fifth.
    """
    first, second = _filters(seed)
    return (
        (None, None),
        (LIMIT_MAX, None),
        (None, first),
        (LIMIT_MIN, second),
        (LIMIT_DEFAULT, first),
        (LIMIT_MAX, PENDING),
    )


def page_beside_creations(seed: int) -> Parameters:
    """A filtered page that the run asks for first beside the animals that it creates: the other one without a limit."""
    return None, _filters(seed)[1]


def _filters(seed: int) -> tuple[str, str]:
    return (AVAILABLE, SOLD) if seed % 2 else (SOLD, AVAILABLE)


_UNNAMED = (range(LIMIT_MIN + 1, 10), range(10, LIMIT_DEFAULT), range(LIMIT_DEFAULT + 1, 60), range(60, LIMIT_MAX))
# a server that rounds limits is right about round ones
BETWEEN = tuple(tuple(limit for limit in limits if limit % 5) for limits in _UNNAMED)
"""The limits that the document does not name, and that are not round, in ranges."""


def another_page(seed: int) -> Parameters:
    """A page of a limit that the document does not name; the next seed draws another. It shows what a run has created.

    Four seeds in a row ask for a limit of each size, with and without the filter; the next four the other way round.
    """
    drawn = random.Random(f"{seed}/another limit")  # noqa: S311 - repeatable, not secret
    turn, size = divmod(seed, len(BETWEEN))
    return drawn.choice(BETWEEN[size]), (PENDING, None)[(size + turn) % 2]
