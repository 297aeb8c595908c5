"""A page that uses the reference server, in Chromium, which records a HAR: faults that one exchange shows are found."""

from __future__ import annotations

import http.server
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.foreign import judged, outcomes
from tests.support.trial import KEY, server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGE = """<!doctype html><title>shop</title><script>
async function ask(path, options) {
  const answer = await fetch(path, options); await answer.text()
}
async function shop(key) {
  const headers = {Authorization: `Bearer ${key}`}
  for (const path of ['/v1/pets', '/v1/pets?limit=100', '/v1/pets?status=sold', '/v1/pets/1', '/v1/store/orders'])
    await ask(path, {headers, cache: 'no-store'})
  await ask('/v1/pets', {cache: 'no-store'})
  await ask('/v1/pets', {method: 'POST', headers: {...headers, 'Content-Type': 'application/json'},
    body: JSON.stringify({name: 'Rex', categoryId: 1, status: 'sold'})})
  return true
}
</script>"""


class _Site(http.server.BaseHTTPRequestHandler):
    """The page, and what is below /v1 from the reference server: one origin for both."""

    behind = ""

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, body: bytes | None) -> None:
        import httpx

        if not self.path.startswith("/v1"):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(PAGE.encode())
            return
        kept = {
            name: self.headers[name] for name in ("Authorization", "Content-Type", "Accept") if name in self.headers
        }
        answer = httpx.request(self.command, self.behind + self.path, headers=kept, content=body)
        self.send_response(answer.status_code)
        for name, value in answer.headers.items():
            if name.lower() not in ("server", "date", "connection", "transfer-encoding"):
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize(
    ("faults", "broken"),
    [((), set()), (("default-limit-50",), {"LIST-4"}), (("id-text@getPet",), {"PET-1"})],
)
def test_a_har_of_chromium(faults: tuple[str, ...], broken: set[str], browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "chromium.har"
    with server(faults=faults) as url:
        _Site.behind = url.removesuffix("/v1")
        site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Site)
        threading.Thread(target=site.serve_forever, daemon=True).start()
        try:
            context = browser.new_context(record_har_path=path)
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{site.server_port}/")
            assert page.evaluate(f"shop({KEY!r})")
            context.close()
        finally:
            site.shutdown()
            site.server_close()
    found = outcomes(judged(path.read_text("utf-8"), tmp_path))
    assert {name for name, outcome in found.items() if outcome == "fail"} == broken
    passed = {name for name, outcome in found.items() if outcome == "pass"}
    assert {"LIST-1", "ORDERS-1", "BODY-1", "RATE-1", "CREATE-2"} <= passed
