"""An exchange as views show it, with every part of it at hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from petcheck.exchange import Credential, Exchange, NoAnswer, Request, Response
from petcheck.spec.operations import Operation
from petcheck.stream.curl import curl_line
from petcheck.stream.typed import timestamp


@dataclass(frozen=True, slots=True)
class Evidence:
    """One exchange as views show it.

    `index` counts within `target`. Without an answer, `status` is 0 and `error` says why. `started` is UTC in ISO 8601,
    `elapsed_ms` the milliseconds until the last byte or until petcheck gave up. `whole` is false if the response body
    exceeded the size cap. `request_body` is None if no body was sent.
    """

    target: str
    index: int
    operation: Operation
    credential: Credential
    curl: str
    started: str
    elapsed_ms: float
    method: str
    url: str
    request_headers: tuple[tuple[str, str], ...]
    request_body: bytes | None
    status: int
    reason: str
    http_version: str
    response_headers: tuple[tuple[str, str], ...]
    response_body: bytes
    whole: bool
    error: str | None
    log: str | None = None

    @property
    def request(self) -> Request:
        """The request, as it was sent."""
        return Request(self.operation, self.method, self.url, self.request_headers, self.request_body, self.credential)


def evidence_of(exchange: Exchange) -> Evidence:
    """An exchange as views show it."""
    request, answer = exchange.request, exchange.answer
    heard = answer if isinstance(answer, Response) else Response(0, "", "", (), b"")
    silence = f"{answer.kind.value}: {answer.detail}".removesuffix(": ") if isinstance(answer, NoAnswer) else None
    return Evidence(
        target=exchange.target,
        index=exchange.index,
        operation=request.operation,
        credential=request.credential,
        curl=curl_line(request, served=exchange.log is not None),
        started=timestamp(exchange.started),
        elapsed_ms=round(max(exchange.elapsed, 0.0) * 1000, 3),
        method=request.method,
        url=request.url,
        request_headers=request.headers,
        request_body=request.body,
        status=heard.status,
        reason=heard.reason,
        http_version=heard.http_version,
        response_headers=heard.headers,
        response_body=heard.body,
        whole=heard.body_complete,
        error=silence,
        log=exchange.log,
    )


def by_index(exchanges: Iterable[Exchange]) -> dict[tuple[str, int], Evidence]:
    """Exchanges as views show them, by target and index."""
    return {(exchange.target, exchange.index): evidence_of(exchange) for exchange in exchanges}


def path_below(url: str, base_url: str) -> str:
    """The path of `url` below `base_url`, with its query; the whole URL if it is not below it."""
    base = base_url.rstrip("/")
    return url[len(base) :] if base and url.startswith(f"{base}/") else url
