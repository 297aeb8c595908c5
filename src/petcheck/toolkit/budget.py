"""How many requests the property examples of one target may use, and how they share them. Pure."""

from __future__ import annotations

from dataclasses import dataclass

# without --examples; a run then ends within the second minute of the Free plan, a read-only run within the first
EXAMPLES, EXAMPLES_READING = 20, 9
# POSTs of a run by default; a deep run has a fifth
_POSTS = 19
# above this number, sequences are tried too
DEEP = 20


@dataclass(frozen=True, slots=True)
class Shares:
    """The most requests: in total, POSTs among them, to `GET /pets/{petId}`, to `GET /store/orders`, for sequences."""

    total: int
    posts: int
    getting: int
    ordering: int
    sequence_posts: int
    sequence_gets: int

    @property
    def creating(self) -> int:
        """POSTs outside sequences; each valid one leaves an animal behind."""
        return self.posts - self.sequence_posts

    @property
    def listing(self) -> int:
        """Requests to `GET /pets` outside sequences."""
        return self.total - self.posts - self.getting - self.ordering - self.sequence_gets


def shares(examples: int | None, *, writes: bool) -> Shares:
    """The shares for the value of `--examples` (None if not given): for 20, 40 requests with 19 POSTs among them."""
    number = examples_for(examples, writes=writes)
    total = 2 * number
    posts = max(total // 5, min(total * 12 // 25, _POSTS)) if writes else 0
    deep = writes and number > DEEP
    ordering = total // 100  # few: the document does not show its parameters
    # the ids next to those that exist come first, and a run of few examples asks for them too
    getting = max(number * (3 if number > DEEP else 5) - 1, 0) // 10 - ordering
    return Shares(total, posts, getting, ordering, posts // 7 if deep else 0, number // 10 if deep else 0)


def examples_for(examples: int | None, *, writes: bool) -> int:
    """The number of examples: the default if `examples` is None."""
    if examples is not None:
        return examples
    return EXAMPLES if writes else EXAMPLES_READING
