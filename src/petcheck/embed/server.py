"""What a caller may give as a server: the URL of one that runs, or an application, which is served for the run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from petcheck.errors import BadApp
from petcheck.sanitize import printable
from petcheck.wire.credentials import ApiKey
from petcheck.wire.raised import Raised

_BASE_PATH = "/v1"  # section 9


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers.

    `raised` has the tracebacks of an application so far; None for a URL.
    """

    base_url: str
    raised: Iterable[Raised] | None


@dataclass(frozen=True, slots=True)
class Server:
    """A server as given: `address` is a URL, anything whose text is one, or an ASGI or WSGI application.

    `base_path` is the path of the interface below it; None for `/v1` below an application, and nothing below a URL.
    `key` is None where the environment has it.
    """

    address: Any
    key: ApiKey | None = None
    base_path: str | None = None

    @contextlib.contextmanager
    def running(self) -> Iterator[Running]:
        """The server while the block lasts. Raises BadApp for an application that does not start."""
        text = str(self.address)
        if isinstance(self.address, str) or "://" in text.partition(" ")[0]:
            yield Running(_joined(text, self.base_path or ""), None)
            return
        from petcheck.runner.application import Watched, as_asgi
        from petstore_reference.serve import running

        if not callable(self.address):
            raise BadApp(
                f"{printable(repr(self.address), 80)}: neither a URL nor an ASGI or WSGI application; give one of these"
            )
        watched = Watched(as_asgi(self.address))
        with contextlib.ExitStack() as stack:
            stack.enter_context(watched.listening())
            try:
                url = stack.enter_context(running(watched))
            except RuntimeError as error:
                cause = error.__cause__
                why = f" ({type(cause).__name__}: {cause})" if isinstance(cause, Exception) else ""
                raise BadApp(f"{error}{why}; fix that first") from None
            yield Running(_joined(url, _BASE_PATH if self.base_path is None else self.base_path), watched.raised)


def server(given: Any, key: str | ApiKey | None, base_path: str | None) -> Server:
    """The server that a caller gives: an address, or a pair of an address and its key, which goes before `key`."""
    if isinstance(given, tuple) and len(given) == 2:
        given, key = given
    return Server(given, masked(key), base_path)


def masked(key: str | ApiKey | None) -> ApiKey | None:
    """A key that no traceback shows."""
    return ApiKey(key) if isinstance(key, str) else key


def _joined(url: str, path: str) -> str:
    below = path.strip("/")
    return f"{url.rstrip('/')}/{below}" if below else url
