"""An exchange in a few words, sanitized; `result` is that of its run."""

from __future__ import annotations

from petcheck.exchange import Exchange
from petcheck.results.result import Result
from petcheck.sanitize import printable
from petcheck.stream.curl import curl_line


def request_of(exchange: Exchange, result: Result) -> str:
    """The method, and the URL below the target's base URL."""
    base = next((target.base_url for target in result.targets if target.name == exchange.target), "")
    return f"{printable(exchange.request.method, 20)} {printable(exchange.request.path_below(base))}"


def curl_of(exchange: Exchange, *, short: bool = False) -> str:
    """The `curl` line that sends the request again; `short` as in `curl_line`."""
    return curl_line(exchange.request, short=short, served=exchange.log is not None)


def status_or_error(exchange: Exchange) -> str:
    """The status, or why there was no answer."""
    return str(exchange.status) if exchange.status is not None else f"no answer ({printable(str(exchange.answer), 80)})"


def milliseconds(exchange: Exchange) -> str:
    """The duration, to about three digits."""
    duration = round(max(exchange.elapsed, 0.0) * 1000, 3)  # as a HAR keeps it
    return f"{duration:,.0f} ms" if duration >= 10 else f"{duration:.1f} ms"
