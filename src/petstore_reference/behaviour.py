"""What the server does, step by step, as functions that a fault or a variation can replace.

A `Behaviour` is what one operation does. The conforming one is in `conforming`; an `Override` turns it into another
one. Each operation has its own behaviour, so an override can apply to one operation alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from enum import Enum, auto
from typing import Any

from petstore_reference.messages import Answer, Caller, EncodedAnswer, LoggedRequest, ReceivedCall, Refused
from petstore_reference.quota import QuotaCounter, QuotaRules, Usage
from petstore_reference.store import Animal, NewAnimal, Store

Pet = dict[str, object]


@dataclass(frozen=True, slots=True)
class ServerState:
    """The state that persists between requests.

    `as_of` is the server's date; None means the date of its clock. `memory` is for overrides that remember something
    between requests; its keys are the name of the override and any key that the override chooses. `closing` ends what
    overrides have begun, such as processes and files, when the server stops.
    """

    keys: Mapping[str, str]
    store: Store
    quota: QuotaCounter
    as_of: date | None
    log: list[LoggedRequest]
    memory: dict[str, dict[str, Any]]
    closing: ExitStack


class Excess(Enum):
    """What a server does with a connection when as many are open as it allows.

    CLOSE sends nothing and waits for the client to close, too. REFUSE means that the server does not listen meanwhile.
    """

    WAIT = auto()
    CLOSE = auto()
    RESET = auto()
    REFUSE = auto()


@dataclass(frozen=True, slots=True)
class SocketOptions:
    """How bytes on a socket become requests, and replies bytes.

    `receive` gets each chunk of bytes from the client, and returns what the server reads of it. `rewrite` gets each
    chunk of bytes before it is sent; None aborts the connection instead. `close_after` closes the connection after that
    many responses, and `idle_seconds` after that much idle time, both without notice. `chunked` sends bodies without a
    length. `own_date` means that the application sends `Date`, `date_offset` seconds away from the server's clock.
    `delay` is how many seconds each answer takes. `connections` is how many may be open at the same time, None for any
    number, and `excess` what the server does with the others.
    """

    receive: Callable[[bytes], bytes] = bytes
    rewrite: Callable[[bytes], bytes | None] | None = None
    close_after: int | None = None
    idle_seconds: float = 5.0
    chunked: bool = False
    own_date: bool = False
    date_offset: float = 0.0
    delay: float = 0.0
    connections: int | None = None
    excess: Excess = Excess.WAIT


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Each step of answering a call. A step that cannot continue raises `Refused`.

    The last group applies to the server as a whole; the server reads it from the behaviour of no operation.
    """

    # sections 5 and 8: who sends the request, and whether they may
    authenticate: Callable[[ReceivedCall, Mapping[str, str]], Caller]
    before_key_check: Callable[[ReceivedCall, ServerState, Behaviour], object]
    spend: Callable[[Caller, ReceivedCall, ServerState], Usage]
    exceeded: Callable[[Usage, ReceivedCall], Answer]
    rate_headers: Callable[[Usage, ReceivedCall, int], dict[str, str]]
    # section 4: what the operation does
    act: Callable[[ReceivedCall, ServerState, Behaviour], Answer]
    refuse: Callable[[Refused, ReceivedCall, ServerState], Answer]
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
    keep: Callable[[NewAnimal, int, ReceivedCall, ServerState], Animal]
    # section 4.3: get
    read_id: Callable[[str], int]
    removed: Callable[[date], bool]
    find: Callable[[int, Store], Animal | None]
    # section 2: what a Pet looks like
    represent: Callable[[Animal], Pet]
    # from an answer to bytes
    encode: Callable[[object], bytes]
    finish: Callable[[EncodedAnswer, ReceivedCall], EncodedAnswer]
    # the server as a whole
    seed: Callable[[int, int], list[Animal]]
    rules: Callable[[QuotaRules], QuotaRules]
    other_clients: Callable[[ReceivedCall, ServerState, Behaviour], None]
    handle: Callable[[ReceivedCall, ServerState, Behaviour], Awaitable[EncodedAnswer]]
    threads: bool  # each call is served in a thread, so a step may wait for a disk while others go on
    skew: float  # how many seconds the server's clock is ahead
    socket_options: SocketOptions


Override = Callable[[Behaviour], Behaviour]
