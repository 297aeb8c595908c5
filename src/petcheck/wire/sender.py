"""What answers the requests of a run: a server on the network. What it says is redacted here, before it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from typing import TypeAlias

from petcheck.call import OWN_CONNECTION, Call, Form
from petcheck.errors import ConnectionLost, NotSent
from petcheck.exchange import DIRECT, Exchange, NoAnswer, Reach, Request, Response, Silence
from petcheck.json_values import is_utf_8
from petcheck.spec.figures import CONTENT_TYPE, MEDIA_TYPE
from petcheck.spec.version import VERSION
from petcheck.wire.client import BODY_CAP, KEPT_OF_MORE, HttpClient, Moment, Outgoing, Timed
from petcheck.wire.clock import Clock
from petcheck.wire.credentials import ApiKey, Header, authorization, shown
from petcheck.wire.decoding import ACCEPTED_ENCODINGS, announced
from petcheck.wire.raised import Raised, with_tracebacks
from petcheck.wire.redaction import Redactor

TRACE = "traceparent"
"""The header of W3C Trace Context."""
UNDECODED = b"[not kept: it cannot be decoded, and may contain the key]"
"""What is recorded of a body that Content-Encoding hides from the search for the key."""
_STOPPED = NoAnswer(Silence.INTERRUPTED, "petcheck stopped before the server answered")
# a server that reads no chunks takes them for the next request of the connection

Unheard: TypeAlias = Callable[[Sequence[Exchange]], object]
"""Takes exchanges whose answers nobody has waited for."""


@dataclass
class LiveSender:
    """Sends requests with the key, or what replaces it, to a server.

    `client` is None for a server that was never there, such as an application that does not start. `log` returns the
    tracebacks of a server that the run serves, since the last call. `headers` go with each request, and so does a
    `traceparent` of `trace`, a new one each time. `reach` is recorded. `secrets` are masked like the key.
    """

    base_url: str
    key: ApiKey
    _: KW_ONLY
    random_key: str
    client: HttpClient | None
    clock: Clock
    log: Callable[[], Sequence[Raised]] | None = None
    headers: Sequence[Header] = ()
    reach: Reach = DIRECT
    trace: Callable[[], str] | None = None
    secrets: InitVar[Sequence[str]] = ()
    _redactor: Redactor = field(init=False, repr=False)

    def __post_init__(self, secrets: Sequence[str]) -> None:
        self._redactor = Redactor(self.key, *secrets)

    def redacted(self, text: str) -> str:
        """`text` without the key, for every message about this server."""
        return self._redactor.in_text(text)

    def send(self, call: Call, *, new_connection: bool, body_cap: int, unheard: Unheard) -> Exchange:
        """Send a request, and return it with its answer, redacted and not numbered yet. Raises `ConnectionLost`.

        `new_connection` asks for its own connection; `body_cap` is the most bytes of the response body that are read.
        `unheard` gets the exchange of a request that is not safe if anything ends the wait for its answer.
        """
        client, headers = self._client(call), self._headers(call)
        going = self._outgoing(call, headers)
        alone = new_connection or call.form in OWN_CONNECTION
        with self._under_way([call], [headers], unheard) as began:
            answer = client.send(going, new_connection=alone, body_cap=body_cap)
        timed = Timed(answer, began, self._moment())
        said = None if self.log is None else "\n\n".join(dict.fromkeys(one.lines for one in self._said()))
        return replace(self._exchange(call, headers, timed, said), connection=client.connections or None)

    def send_together(self, calls: Sequence[Call], *, body_cap: int, unheard: Unheard) -> list[Exchange]:
        """Send several requests at the same time; their exchanges in the order of `calls`, not numbered yet.

        `unheard` gets all of them if one is not safe and anything ends the wait for the answers.
        """
        client, headers = self._client(calls[0]), [self._headers(call) for call in calls]
        going = list(map(self._outgoing, calls, headers))
        with self._under_way(calls, headers, unheard):
            answers = client.send_together(going, self._moment, body_cap=body_cap)
        exchanges = list(map(self._exchange, calls, headers, answers))
        return exchanges if self.log is None else with_tracebacks(exchanges, self._said())

    @contextmanager
    def _under_way(
        self, calls: Sequence[Call], headers: Sequence[Sequence[Header]], unheard: Unheard
    ) -> Iterator[Moment]:
        """In this block calls are sent; what ends the wait for their answers is raised again. Gives when it began."""
        began = self._moment()
        try:
            yield began
        except ConnectionLost:  # it is sent again
            raise
        except BaseException:
            if not all(call.operation.safe for call in calls):
                stopped, said = Timed(_STOPPED, began, self._moment()), None if self.log is None else ""
                unheard([self._exchange(call, own, stopped, said) for call, own in zip(calls, headers, strict=True)])
            raise

    def _client(self, call: Call) -> HttpClient:
        if self.client is None:
            raise NotSent(f"there is no server to send {call.method} {call.path} to")
        return self.client

    def _moment(self) -> Moment:
        return self.clock.now(), self.clock.monotonic()

    def _said(self) -> list[Raised]:
        """What the server that the run serves has raised since the last call, redacted."""
        return [replace(one, lines=self._redactor.in_text(one.lines)) for one in self.log()] if self.log else []

    def _headers(self, call: Call) -> list[Header]:
        """The headers of a request, with the key or what replaces it."""
        headers = [Header(name, value, value) for name, value in usual(call)]
        credential = authorization(call.credential, self.key, self.random_key)
        if credential is not None:
            display = shown(call.credential, self.key, self.random_key) or ""
            headers.append(Header(cased("Authorization", call.form), credential, display))
        if self.trace is not None:
            made = self.trace()
            headers.append(Header(TRACE, made, made))
        return [*headers, *self.headers]

    def _outgoing(self, call: Call, headers: Sequence[Header]) -> Outgoing:
        """A call as it is sent."""
        written = [(one.name, one.value) for one in headers]
        return Outgoing(call.method, self.base_url + call.path, written, call.body, in_chunks=call.form is Form.CHUNKED)

    def _exchange(self, call: Call, headers: Sequence[Header], timed: Timed, said: str | None = None) -> Exchange:
        """A call and its answer, redacted; `said` are the tracebacks of a server that the run serves."""
        return Exchange(
            index=0,
            target="",
            request=Request(
                operation=call.operation,
                method=call.method,
                url=self._redactor.in_text(self.base_url + call.path),
                headers=tuple((one.name, one.shown) for one in headers),
                # masked like the answer, so a part of the key that a name contains by chance makes no difference
                body=call.body and self._redactor.in_bytes(call.body),
                credential=call.credential,
                form=call.form or Form.PLAIN,
                reach=self.reach,
            ),
            answer=self._without_key(timed.answer),
            started=timed.sent[0],
            sent=timed.sent[1],
            finished=timed.finished[1],
            log=said,
        )

    def _without_key(self, answer: Response | NoAnswer) -> Response | NoAnswer:
        clean = self._redactor.in_text
        if isinstance(answer, NoAnswer):
            return replace(answer, detail=clean(answer.detail))
        # of a cut body the encodings may be undone, or some of them, or none
        cut = not answer.body_complete
        encoded = answer.encoding_broken is not None or (cut and announced(answer.header("Content-Encoding") or ""))
        undecoded = encoded and not is_utf_8(answer.body, whole=not cut)
        body = UNDECODED if undecoded else self._redactor.in_body(answer.body)
        # masks may be longer than what they stand for
        more = len(body) > BODY_CAP
        return replace(
            answer,
            encoding_broken=answer.encoding_broken and clean(answer.encoding_broken),
            reason=clean(answer.reason),
            headers=tuple((clean(name), clean(value)) for name, value in answer.headers),
            body=body[:KEPT_OF_MORE] if more else body,
            body_complete=answer.body_complete and not more,
        )


def usual(call: Call) -> Iterator[tuple[str, str]]:
    """The headers of each request, but for Authorization and those of the target."""
    form = call.form
    if form is not Form.NO_ACCEPT:
        yield cased("Accept", form), "*/*" if form is Form.ANY_ACCEPT else MEDIA_TYPE
    yield cased("Accept-Encoding", form), ACCEPTED_ENCODINGS
    yield cased("User-Agent", form), f"petcheck/{VERSION}"
    if call.body is not None:
        yield cased(CONTENT_TYPE, form), "text/plain" if form is Form.AS_TEXT else MEDIA_TYPE
    if form is Form.CHUNKED:
        yield "Transfer-Encoding", "chunked"


def cased(name: str, form: Form | None) -> str:
    """The name of a header as a request in that form has it (RFC 9110, section 5.1)."""
    return name.lower() if form is Form.LOWER else name.upper() if form is Form.UPPER else name
