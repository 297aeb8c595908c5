"""How many requests the property examples of one target may use, and how they share them. Pure."""

from __future__ import annotations

from dataclasses import dataclass

EXAMPLES = 20
"""Without `--examples`; a run then ends within the second minute of the Free plan, a read-only run within the first."""
DEEP = 20
"""Above this number, sequences are tried too."""
# POSTs of a run by default; a deep run has a fifth
_POSTS = 19
# requests of a deep run that its end, and what is sent beside creations, take from the examples
_ELSEWHERE = 18
_IDS = 2  # that are asked for before an animal is read again


@dataclass(frozen=True, slots=True)
class Shares:
    """The most requests: in total, POSTs among them, to each other operation, for sequences."""

    total: int
    posts: int
    listing: int
    getting: int
    ordering: int
    sequence_posts: int
    sequence_gets: int

    @property
    def creating(self) -> int:
        """POSTs outside sequences; each valid one leaves an animal behind."""
        return self.posts - self.sequence_posts

    @property
    def reading_again(self) -> int:
        """Requests, among those to read animals, for a second read of one: two other ids come before it."""
        return int(self.getting > _IDS)

    @property
    def rest(self) -> int:
        """Requests that are kept for questions that arise, and for what the run sends beside its creations."""
        return self.total - self.posts - self.listing - self.getting - self.ordering - self.sequence_gets


def shares(examples: int | None, *, writes: bool) -> Shares:
    """The shares for the value of `--examples` (None if not given): for 20, 40 requests with 19 POSTs among them.

    GETs have the same share in every run of so many examples: what a run that only reads asks, one that writes asks
    too.
    """
    number = examples_for(examples)
    total, deep = 2 * number, number > DEEP
    posts = max(total // 5, min(total * 12 // 25, _POSTS))
    ordering = total // 100  # few: the document does not show its parameters
    getting = number * 3 // 10 - ordering if deep else number // 5
    sequence_gets = number // 10 if deep else 0
    rest = total - posts - getting - ordering - sequence_gets - _ELSEWHERE
    listing = max(rest, DEEP * 2 // 5) if deep else (number * 3 + 5) // 10
    if not writes:
        return Shares(listing + getting + ordering, 0, listing, getting, ordering, 0, 0)
    return Shares(total, posts, listing, getting, ordering, posts // 7 if deep else 0, sequence_gets)


def examples_for(examples: int | None) -> int:
    """The number of examples: the default if `examples` is None."""
    return EXAMPLES if examples is None else examples
