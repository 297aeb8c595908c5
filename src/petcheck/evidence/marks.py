"""What the marks of exchanges say that the exchanges themselves contradict: forms, bursts, repeats, causes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, pairwise

from petcheck.call import FORMS_OF_JSON, Form
from petcheck.exchange import Exchange, Response
from petcheck.plan.forms import fits, spelled
from petcheck.plan.together import MOST, connections
from petcheck.spec.figures import CONTENT_TYPE, MEDIA_TYPE
from petcheck.spec.sections import TITLES
from petcheck.spec.version import VERSION
from petcheck.stream.stream import MASKED, Part, Stream
from petcheck.wire.client import KEPT_OF_MORE
from petcheck.wire.decoding import ACCEPTED_ENCODINGS
from petcheck.wire.sender import cased
from petcheck.wire.tally import Unplanned
from petcheck.words import plural

_CAUSES = {"", *(each.value for each in Unplanned)}
_NAMES = ("Accept", "Accept-Encoding", "Authorization", CONTENT_TYPE, "Transfer-Encoding", "User-Agent")
_VALUES = {
    "accept-encoding": ACCEPTED_ENCODINGS,
    CONTENT_TYPE.lower(): MEDIA_TYPE,
    "transfer-encoding": "chunked",
    "user-agent": f"petcheck/{VERSION}",
}


def contradicted(stream: Stream) -> Iterator[str]:
    """The first exchange with each target whose marks are wrong, in words."""
    given = str(stream.head.options.get("connections", ""))
    allowed = int(given) if re.fullmatch("[0-9]{1,3}", given) else MOST
    for part in stream.parts:
        most = connections(allowed, writes=part.settings.writes)
        found = (*_bursts(part, most), *_overlaps(part), *_words(part))
        yield from found[:1]


def _bursts(part: Part, most: int) -> Iterator[str]:
    """Bursts are numbered from 1, each in one piece, of no more requests than may be under way together."""
    number = 0
    for burst, together in groupby(part.exchanges, lambda one: one.burst):
        if burst is None:
            continue
        members, number = list(together), number + 1
        which = f"the burst of exchange {members[0].index} with {part.name}"
        answered = [one for one in members if isinstance(one.answer, Response)]
        if burst != number:
            yield f"{which} has the number {burst}, and is burst {number} of the run"
        elif not 1 < len(members) <= most:
            yield f"{which} has {plural(len(members), 'request')}; the run sends 2 to {most} at once"
        elif any(before.finished < after.sent for before, after in pairwise(answered)):
            yield f"{which} has requests that were answered before others of it were sent"


def _overlaps(part: Part) -> Iterator[str]:
    """Only the requests of a burst are under way at the same time."""
    latest = float("-inf")
    for _, some in groupby(part.exchanges, lambda one: (one.burst, one.index if one.burst is None else 0)):
        members = list(some)
        if members[0].sent < latest:
            yield f"exchange {members[0].index} with {part.name} was sent before the one before it was answered"
        latest = max(one.finished for one in members)


def _words(part: Part) -> Iterator[str]:
    """Each exchange is spelled as its form says, and repeats the request that it says it repeats."""
    own = {given.partition("=")[0].lower() for given in part.settings.headers}
    for one in part.exchanges:
        which, form = f"exchange {one.index} with {part.name}", one.request.form
        if not _is_spelled(one, own):
            yield f"{which} says that it has {form.value}, and is written otherwise"
        # a mask may be shorter than what it stands for
        if not one.heard.body_complete and len(one.heard.body) < KEPT_OF_MORE // 2:
            yield f"{which} says that its body was too long to read, and keeps {len(one.heard.body)} bytes of it"
        if one.section not in ("", *TITLES):
            yield f"{which} was sent for a section that the document does not have"
        if one.cause not in _CAUSES:
            yield f"{which} was sent for a reason that petcheck does not have"
        if one.again is not None and one.cause != Unplanned.PROBE.value:
            first = part.exchanges[one.again].request
            if first.call != one.request.call:
                yield f"{which} says that it repeats exchange {one.again}, which is another request"


def _is_spelled(exchange: Exchange, own: set[str]) -> bool:
    """Whether headers and body are written as the form of the request says; `own` are headers that the user sends."""
    request, call, body = exchange.request, exchange.request.call, exchange.request.body or b""
    form = request.form
    usual = {name.lower(): name for name in _NAMES if name.lower() not in own}
    sent = [(name, value) for name, value in request.headers if name.lower() in usual]
    accepted = [] if form is Form.NO_ACCEPT else ["*/*" if form is Form.ANY_ACCEPT else MEDIA_TYPE]
    if any(name != cased(usual[name.lower()], form) for name, _ in sent):
        return False
    if any(value != _VALUES.get(name.lower(), value) for name, value in sent):
        return False
    if "accept" in usual and [value for name, value in sent if name.lower() == "accept"] != accepted:
        return False
    if any(name == "Transfer-Encoding" for name, _ in sent) != (form is Form.CHUNKED):
        return False
    if MASKED.search(body):
        return True
    return fits(form, call) and (form not in FORMS_OF_JSON or spelled(call, form).body == body)
