"""history.html: a picture of the verdicts over time, then what fails now, what changed, and every run."""

from __future__ import annotations

from petcheck.comparison.history import History
from petcheck.reports import history_picture, history_words, templating
from petcheck.results import totals

LISTED = 200
"""The most entries of one kind that the page lists."""


def render(history: History) -> str:
    """The whole page."""
    return templating.page(
        "history.html.jinja",
        "history.css",
        history=history,
        words=history_words,
        totals=totals,
        pictures=history_picture.pictures(history),
        width=len(history.runs) * history_picture.COLUMN - 1,
        height=history_picture.HEIGHT,
        listed=LISTED,
    )
