"""The seam: what the server does, step by step, as values that a fault or a variation can replace.

A `Behaviour` is what one operation does. The conforming one is in `conforming`; a `Change` makes another one of it.
As each operation has a behaviour of its own, a change can be made to one operation alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from petcheck.reference.messages import Answer, Call, Caller, Record, Refusal, Reply
from petcheck.reference.quota import Quota, QuotaRules, Usage
from petcheck.reference.store import Animal, NewAnimal, Store

Pet = dict[str, object]


@dataclass(frozen=True, slots=True)
class Site:
    """What lasts from one request to the next.

    `as_of` is the day that the server takes for today, None: its clock's. `memory` is for steps that have to remember
    something of a caller, by the step's name and the caller's bucket.
    """

    keys: Mapping[str, str]
    store: Store
    quota: Quota
    as_of: date | None
    log: list[Record]
    memory: dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Wire:
    """What happens below the application, where its replies become bytes on a socket.

    `rewrite` gets each piece of bytes as it is about to be sent; None aborts the connection instead. `close_after`
    closes the connection after each response, without a word. `chunked` sends bodies without a length. `own_date` is
    for an application that sends `Date` itself. `delay` is the seconds that each answer takes.
    """

    rewrite: Callable[[bytes], bytes | None] | None = None
    close_after: bool = False
    chunked: bool = False
    own_date: bool = False
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Each step of answering a call. A step that cannot go on raises `Refusal`.

    The last group is of the server as a whole; it counts in the behaviour that belongs to no operation.
    """

    # sections 5 and 8: who is asking, and may they
    authenticate: Callable[[Call, Mapping[str, str]], Caller]
    look_first: Callable[[Call, Site, Behaviour], None]
    spend: Callable[[Caller, Call, Site], Usage]
    exceeded: Callable[[Usage, Call], Answer]
    rate_headers: Callable[[Usage, Call, int], dict[str, str]]
    # section 4: what the operation does
    act: Callable[[Call, Site, Behaviour], Answer]
    refuse: Callable[[Refusal, Call, Site], Answer]
    # section 4.1: list
    read_limit: Callable[[str | None], int]
    read_filter: Callable[[str | None], str | None]
    visible: Callable[[Animal, float], bool]
    arrange: Callable[[list[Animal]], list[Animal]]
    matches: Callable[[Animal, str | None], bool]
    select: Callable[[Sequence[Animal], Callable[[Animal], bool], int], Sequence[Animal]]
    envelope: Callable[[list[Pet]], object]
    # section 4.2: create
    parse: Callable[[bytes], dict[str, object]]
    read_name: Callable[[dict[str, object]], str]
    read_category: Callable[[dict[str, object]], int]
    read_status: Callable[[dict[str, object]], str | None]
    new_id: Callable[[Store], int]
    keep: Callable[[NewAnimal, int, Call, Site], Animal]
    # section 4.3: get
    read_id: Callable[[str], int]
    removed: Callable[[date], bool]
    find: Callable[[int, Store], Animal | None]
    # section 2: what a Pet looks like
    represent: Callable[[Animal], Pet]
    # from an answer to bytes
    encode: Callable[[object], bytes]
    finish: Callable[[Reply, Call], Reply]
    # the server as a whole
    seed: Callable[[int, int], list[Animal]]
    rules: Callable[[QuotaRules], QuotaRules]
    meanwhile: Callable[[Call, Site, Behaviour], None]
    skew: float  # seconds that the server's clock is ahead
    wire: Wire


Change = Callable[[Behaviour], Behaviour]
