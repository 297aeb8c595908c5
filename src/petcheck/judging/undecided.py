"""What a rule says if a requirement has several parts, or too few animals are known to judge it."""

from __future__ import annotations

from collections.abc import Sequence

from petcheck.judging.judgement import Ask, Decision, Failed, Grounds, Held, Record, Undecided
from petcheck.judging.pages import known_in, pages_in


def all_of(parts: Sequence[Decision], settled_by: str | None = None) -> Decision:
    """The decision over several parts of a requirement: the first `Failed`, then the first `Ask`, then all of them."""
    for wanted in (Failed, Ask):
        decisive = next((part for part in parts if isinstance(part, wanted)), None)
        if decisive is not None:
            return decisive
    examined = tuple(dict.fromkeys(e for part in parts if isinstance(part, Held | Undecided) for e in part.examined))
    reasons = dict.fromkeys(part.reason for part in parts if isinstance(part, Undecided))
    return Undecided(" ".join(reasons), settled_by, examined) if reasons else Held(examined)


def more(record: Record) -> str:
    """What the user can do about too few known animals; if none is known, the list may be broken."""
    if known_in(record):
        return " Add animals to the store."
    if any(page.size for page in pages_in(record)):
        return " The animals that pages show have no `id` that is an int64; see PET-1."
    return " If the store is empty, add animals."


def settled_by(grounds: Grounds) -> str | None:
    """The option with which the run itself creates what is missing; None if it may do so already."""
    return None if grounds.writes else "--allow-writes"
