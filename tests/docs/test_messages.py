"""Every message of the package is rendered once with one thing and once with several; `make messages` prints them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from tools.messages import ONE, SEVERAL, Message, Sample, messages

_THINGS = (
    "animal|character|connection|digit|exchange|failure|file|header|item|request|requirement|run|second|target|waiver"
)
_VERBS_OF_ONE, _VERBS_OF_SEVERAL = "is|was|has|does|fails|stands|shows|needs", "are|were|have|do|fail|stand|show|need"
_WRONG = {
    ONE: re.compile(rf"(?<![-.\w/])(?<!of )1 (?:\w+ )?(?:(?:{_THINGS})s\b|(?:{_THINGS}) (?:{_VERBS_OF_SEVERAL})\b)"),
    SEVERAL: re.compile(rf"(?<![-.\w/])3 (?:\w+ )?(?:(?:{_THINGS})\b(?!s)|(?:{_THINGS})s (?:{_VERBS_OF_ONE})\b)"),
}
"""Singular and plural that do not agree, by the number that is counted. The whole of a part is never one."""


@pytest.fixture(scope="module", params=[ONE, SEVERAL], ids=["one", "several"])
def rendered(request: pytest.FixtureRequest) -> tuple[int, Sequence[Message]]:
    return request.param, list(messages(request.param))


def test_every_placeholder_has_a_value(rendered: tuple[int, Sequence[Message]]) -> None:
    assert len(rendered[1]) > 900
    assert [(one.file, one.line, one.unclear) for one in rendered[1] if one.unclear] == []


def test_singular_and_plural_agree(rendered: tuple[int, Sequence[Message]]) -> None:
    number, found = rendered
    assert [f"{one.file}:{one.line}: {one.text}" for one in found if _WRONG[number].search(one.text)] == []


@pytest.mark.parametrize(
    ("number", "text", "wrong"),
    [
        (ONE, "the run may send at most 1 requests", True),
        (ONE, "1 more request were sent", True),
        (ONE, "1 request was sent to 1 target", False),
        (ONE, "GET /pets/1 shows", False),
        (SEVERAL, "3 more request was sent", True),
        (SEVERAL, "3 targets fails", True),
        (SEVERAL, "3 requests were sent to 3 targets", False),
    ],
)
def test_what_does_not_agree_is_found(number: int, text: str, wrong: bool) -> None:
    assert bool(_WRONG[number].search(text)) is wrong


def test_a_sample_counts_and_takes_part_in_sentences() -> None:
    requests = Sample("requests", ONE)
    assert f"{requests} {'request is' if requests == 1 else 'requests are'}" == "1 request is"
    assert f"{', '.join(Sample('names', SEVERAL))}; {requests.sender.name[:5]!s}" == "‹names›, ‹names›, ‹names›; ‹name›"
