"""What answers the requests of a run: a server on the network. What it says is redacted here, before it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from petcheck.errors import NotSent
from petcheck.exchange import Call, Exchange, Form, NoAnswer, Request, Response
from petcheck.spec.figures import CONTENT_TYPE, MEDIA_TYPE
from petcheck.spec.version import VERSION
from petcheck.wire.client import ACCEPTED_ENCODINGS, HttpClient
from petcheck.wire.clock import Clock
from petcheck.wire.credentials import ApiKey, authorization, shown
from petcheck.wire.redaction import Redactor


@dataclass
class LiveSender:
    """Sends requests with the key, or what replaces it, to a server.

    `client` is None for a server that was never there, such as an application that does not start. `log` returns the
    tracebacks of a server that the run serves, since the last call.
    """

    base_url: str
    key: ApiKey
    random_key: str
    client: HttpClient | None
    clock: Clock
    log: Callable[[], str] | None = None
    _redactor: Redactor = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._redactor = Redactor(self.key)

    @property
    def fingerprint(self) -> str:
        """`sha256:` and eight digits of the key's digest."""
        return self.key.fingerprint

    def redacted(self, text: str) -> str:
        """`text` without the key."""
        return self._redactor.in_text(text)

    def send(
        self, call: Call, target: str = "", index: int = 0, section: str = "", *, new_connection: bool, body_cap: int
    ) -> Exchange:
        """Send one request of the run, and return it with its answer, redacted. Raises `ConnectionLost`.

        `new_connection` asks for its own connection; `body_cap` is the most bytes of the response body that are read.
        """
        if self.client is None:
            raise NotSent(f"there is no server to send {call.method} {call.path} to")
        url = self.base_url + call.path
        form = call.form or Form.PLAIN
        headers = [*_headers(call, form)]
        authorization_header = _cased("Authorization", form)
        credential = authorization(call.credential, self.key, self.random_key)
        authorized = [*headers, (authorization_header, credential)] if credential is not None else headers
        started, sent = self.clock.now(), self.clock.monotonic()
        alone = new_connection or form is Form.NEW_CONNECTION
        answer = self.client.send(call.method, url, authorized, call.body, new_connection=alone, body_cap=body_cap)
        finished = self.clock.monotonic()
        said = None if self.log is None else self._redactor.in_text(self.log())
        display = shown(call.credential, self.key, self.random_key)
        return Exchange(
            index=index,
            target=target,
            request=Request(
                operation=call.operation,
                method=call.method,
                url=self._redactor.in_text(url),
                headers=(*headers, *(((authorization_header, display),) if display is not None else ())),
                # masked like the answer, so a part of the key that a name contains by chance makes no difference
                body=call.body and self._redactor.in_bytes(call.body),
                credential=call.credential,
                form=form,
            ),
            answer=self._without_key(answer),
            started=started,
            sent=sent,
            finished=finished,
            section=section,
            log=said,
        )

    def _without_key(self, answer: Response | NoAnswer) -> Response | NoAnswer:
        clean = self._redactor.in_text
        if isinstance(answer, NoAnswer):
            return replace(answer, detail=clean(answer.detail))
        return replace(
            answer,
            encoding_broken=answer.encoding_broken and clean(answer.encoding_broken),
            reason=clean(answer.reason),
            headers=tuple((clean(name), clean(value)) for name, value in answer.headers),
            body=self._redactor.in_bytes(answer.body),
        )


def _headers(call: Call, form: Form) -> Iterator[tuple[str, str]]:
    """The headers of a request, but for Authorization."""
    if form is not Form.NO_ACCEPT:
        yield _cased("Accept", form), "*/*" if form is Form.ANY_ACCEPT else MEDIA_TYPE
    yield _cased("Accept-Encoding", form), ACCEPTED_ENCODINGS
    yield _cased("User-Agent", form), f"petcheck/{VERSION}"
    if call.body is not None:
        yield _cased(CONTENT_TYPE, form), MEDIA_TYPE


def _cased(name: str, form: Form) -> str:
    return name.lower() if form is Form.LOWER else name.upper() if form is Form.UPPER else name
