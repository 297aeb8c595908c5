"""A history on the terminal, and in words."""

from __future__ import annotations

import pytest

from petcheck.comparison.history import History
from petcheck.reports import history_text as words
from petcheck.reports.history_text import render
from tests.support import samples
from tests.support.past import course, nightly, over_time


def text(value: History, *, width: int = 100, colour: bool = False, page: str | None = "history.html") -> str:
    return render(value, width=width, colour=colour, page=page)


def test_what_fails_what_changed_and_what_flips() -> None:
    assert text(course(LIST_4="ppff", RATE_4="pfpp")) == (
        "staging: 1 requirement fails now; 2 began to fail and 1 was fixed.\n"
        "4 runs from 2026-11-01 to 2026-11-04\n"
        "\n"
        "fails now\n"
        "  LIST-4 · section 4.1  since 2026-11-03 02:00\n"
        "    LIST-4 fail.\n"
        "\n"
        "what changed, the newest first\n"
        "  LIST-4 began to fail between run 2 (2026-11-02 02:00) and run 3 (2026-11-03 02:00)\n"
        "  RATE-4 was fixed between run 2 (2026-11-02 02:00) and run 3 (2026-11-03 02:00)\n"
        "  RATE-4 began to fail between run 1 (2026-11-01 02:00) and run 2 (2026-11-02 02:00)\n"
        "\n"
        "flipped although nothing recorded changed: possibly flaky\n"
        "  RATE-4  pass, fail, pass × 2. 2 flips without a change of the run.\n"
        "  LIST-4  pass × 2, fail × 2. 1 flip without a change of the run; a change of the server would also\n"
        "    explain it.\n"
        "\n"
        "page: history.html"
    )


def test_changes_stand_below_the_flip_that_they_may_explain() -> None:
    made = over_time(
        nightly(0, {"LIST-4": "p"}, "a", "b"), nightly(1, {"LIST-4": "f"}, "a", "b", target={"writes": True})
    )
    said = text(made, page=None)
    assert "  LIST-4 on a began to fail between run 1 (2026-11-01 02:00) and run 2 (2026-11-02 02:00)\n" in said
    assert "    writes: not allowed → allowed\n" in said
    assert said.endswith(
        "what changed between runs, the newest first\n  run 1 → 2 (a, b)  writes: not allowed → allowed"
    )
    assert "flak" not in said


def test_long_lists_are_counted() -> None:
    letters = {f"LIST_{number}": "pf" for number in range(1, 21)}
    assert text(course(**letters)).count("  and 8 more, on the page\n") == 3


def test_hostile_text_stays_on_its_line() -> None:
    value, _ = samples.hostile_run()
    said = text(over_time(value), width=80)
    assert "\x1b" not in said
    assert "\\u{1b}[31m" in said
    assert max(map(len, said.splitlines())) <= 80


def test_colour_supports_the_words() -> None:
    assert text(course(LIST_4="pf"), colour=True).startswith("\x1b[1;31mstaging: 1 requirement fails now")
    assert text(course(LIST_4="fp"), colour=True).startswith("\x1b[1;32mstaging: nothing fails now")


@pytest.mark.parametrize(
    ("letters", "said"),
    [
        ("ppp", "staging: nothing fails now; no verdict changed."),
        ("fff", "staging: 1 requirement fails now; no verdict changed."),
        ("ppw", "staging: nothing fails now that is not waived, and 1 failure is waived; 1 began to fail."),
        ("ffp", "staging: nothing fails now; 1 was fixed."),
        ("nii", "staging: nothing was examined."),
    ],
)
def test_the_headline_of_one_target(letters: str, said: str) -> None:
    assert words.headline(course(LIST_4=letters)) == said


def test_the_headline_of_a_fleet() -> None:
    names = [f"tenant-{number}" for number in range(6)]
    made = over_time(nightly(0, {"LIST-4": "p"}, *names), nightly(1, {"LIST-4": "f"}, *names[:2]))
    assert words.headline(made) == "2 of 6 targets fail at least one requirement now; 2 began to fail."


def test_candidates_with_most_flips_come_first() -> None:
    found = words.candidates(course(LIST_6="ppff", LIST_5="pppp", LIST_4="pfpf"))
    assert [(track.entry.id, track.unexplained) for _, track in found] == [("LIST-4", 3), ("LIST-6", 1)]


def test_the_period() -> None:
    assert words.period(course(LIST_4="p")) == "1 run on 2026-11-01"
    assert words.period(course(LIST_4="pp")) == "2 runs from 2026-11-01 to 2026-11-02"
