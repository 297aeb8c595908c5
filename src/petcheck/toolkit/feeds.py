"""Which requests feed the verdict on each catalogue entry: what a run of chosen entries has to send, and no more. Pure.

A check declares the kinds of requests that it makes with `@sends`. Many requirements are judged by requests that checks
of other requirements make: ERROR-2 by whatever is refused, PET-1 by whatever shows an animal. `FEEDS` names these
kinds, so a choice of entries brings along every check whose requests all serve it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum

from petcheck.judging.request_bodies import Due, asked_for
from petcheck.spec.operations import Operation


class RequestKind(Enum):
    """A kind of request, by its purpose."""

    PAGES = "pages, as the document allows them"
    ODD_PAGES = "pages, with parameters that the document leaves open"
    ANIMALS = "an animal that exists"
    OTHER_IDS = "an animal by any other id"
    NEW = "a new animal that may be accepted"
    DEFECTIVE = "a new animal that must be refused"
    ORDERS = "the orders"
    KEYS = "requests without a valid key"
    EXHAUSTION = "requests that use up the quota"


PAGES, ODD_PAGES, ANIMALS, OTHER_IDS, NEW, DEFECTIVE, ORDERS, KEYS, EXHAUSTION = RequestKind

_EVERYTHING = frozenset(RequestKind)
# what is accepted by mistake must be an animal too
_PETS = frozenset({PAGES, ODD_PAGES, ANIMALS, OTHER_IDS, NEW, DEFECTIVE})
_CACHEABLE = frozenset({PAGES, ANIMALS, ORDERS})
_ERRORS = frozenset({ODD_PAGES, OTHER_IDS, NEW, DEFECTIVE, KEYS})

FEEDS = {
    **dict.fromkeys(("SERVICE-1", "BODY-1", "ERROR-5", "AUTH-7"), _EVERYTHING),
    **dict.fromkeys(("RATE-1", "RATE-2", "RATE-3", "RATE-4", "RATE-5"), _EVERYTHING),
    **dict.fromkeys(("ERROR-1", "ERROR-2", "ERROR-3", "ERROR-4", "error-codes"), _ERRORS),
    **dict.fromkeys(("PET-1", "PET-2", "PET-3", "PET-4", "PET-5", "pet-extra-fields"), _PETS),
    **dict.fromkeys(("PETS-1", "LIST-5"), frozenset({PAGES, ODD_PAGES})),
    # a careless filter or a careless read shows at the extreme animals that a run creates
    **dict.fromkeys(("LIST-7", "LIST-8"), frozenset({PAGES, NEW})),
    **dict.fromkeys(("GET-1", "GET-4"), frozenset({ANIMALS, NEW})),
    "GET-2": frozenset({ANIMALS, NEW, PAGES}),
    # a cache that ignores the key shows at URLs that were answered with the key before
    **dict.fromkeys(("AUTH-1", "AUTH-2", "AUTH-4"), _CACHEABLE),
    # a defective POST with an empty token is compared with a plain one, which another kind of key sends
    **dict.fromkeys(("AUTH-3", "AUTH-5"), _CACHEABLE | {KEYS}),
    "www-authenticate": frozenset({KEYS}),
    # LIST-2 asks for each limit alone: a filter that is refused with a limit may be refused for the limit
    "LIST-6": frozenset({PAGES}),
    **dict.fromkeys(("RATE-7", "rate-limit-body"), frozenset({EXHAUSTION})),
}
"""The kinds of requests that an entry is judged by, whichever check makes them."""

OWN = {
    **dict.fromkeys(("LIST-1", "LIST-2", "LIST-3", "LIST-4"), frozenset({PAGES})),
    **dict.fromkeys(("CREATE-1", "CREATE-2", "CREATE-3", "CREATE-4"), frozenset({NEW})),
    **dict.fromkeys(("CREATE-12", "CREATE-13", "CREATE-14"), frozenset({NEW})),
    **dict.fromkeys((f"CREATE-{number}" for number in range(5, 12)), frozenset({DEFECTIVE})),
    "GET-3": frozenset({OTHER_IDS}),
    "ORDERS-1": frozenset({ORDERS}),
}
"""The kinds of property examples for the entries whose own checks send everything else that they are judged by."""


_QUESTIONS = {"LIST-6": frozenset({"LIST-2"})}
"""For an entry the others whose rules ask the questions that it needs."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a run judges: some entries of the catalogue, or all of them if `entries` is None."""

    entries: frozenset[str] | None = None

    def covers(self, *entries: str) -> bool:
        """Whether one of these entries is chosen."""
        return self.entries is None or not self.entries.isdisjoint(entries)

    def asks(self, entry: str) -> bool:
        """Whether a chosen entry needs the questions of this one, which is not judged itself."""
        return any(entry in _QUESTIONS.get(chosen, ()) for chosen in self.entries or ())

    @property
    def needs(self) -> frozenset[RequestKind]:
        """The kinds of requests of other checks that the chosen entries are judged by."""
        return self._kinds(FEEDS)

    @property
    def examples(self) -> frozenset[RequestKind]:
        """The kinds of property examples that the chosen entries are judged by."""
        return self.needs | self._kinds(OWN)

    def _kinds(self, table: Mapping[str, frozenset[RequestKind]]) -> frozenset[RequestKind]:
        if self.entries is None:
            return _EVERYTHING
        return frozenset(kind for entry in self.entries for kind in table.get(entry, ()))

    def brings(self, sent: Collection[RequestKind]) -> bool:
        """Whether a check of other entries runs along: all requests of the kinds that it sends are needed."""
        return bool(sent) and self.needs.issuperset(sent)

    def posts(self, body: bytes | None, categories: Collection[int]) -> bool:
        """Whether a generated body is of a kind that is needed, if `categories` are known to exist."""
        due = asked_for(body, categories).due
        return (DEFECTIVE if due is Due.REFUSED else NEW) in self.examples

    def calls(self, operation: Operation) -> bool:
        """Whether generated requests to an operation are needed."""
        return not self.examples.isdisjoint(_OF[operation])


_OF = {
    Operation.LIST_PETS: (PAGES, ODD_PAGES),
    Operation.GET_PET: (ANIMALS, OTHER_IDS),
    Operation.CREATE_PET: (NEW, DEFECTIVE),
    Operation.STORE_ORDERS: (ORDERS,),
}
