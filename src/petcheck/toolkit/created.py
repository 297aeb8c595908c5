"""The record of the animals that a run has created on a target (section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

from petcheck.exchange import Exchange
from petcheck.judging.creations import creations_in


@dataclass(frozen=True, slots=True)
class Created:
    """A POST of a valid animal: the label of its body, the body, and the exchange."""

    label: str
    body: dict[str, object]
    exchange: Exchange

    @property
    def status(self) -> int | None:
        """The status of the answer; None without one."""
        return self.exchange.status

    @property
    def accepted(self) -> bool:
        """Whether the server returned 201."""
        return self.status == 201

    @property
    def id(self) -> int | None:
        """The id that the service gave the animal; None if there is none that can be read."""
        return next((made.id for made in creations_in([self.exchange])), None)
