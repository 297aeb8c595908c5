"""A small client that sends bursts of 8 requests, and says which requirements the responses contradict.

It knows nothing of petcheck's judging. It shows what a race can show at all, and that a server conforms under overlap.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from petstore_reference.serve import running
from petstore_reference.server import create_app
from tests.support.ground import KEY, settings

SIZE = 8
BURSTS = 3
LIMIT = 1_000  # of the plan in `try_out`
_BAD = '{"categoryId":1}'


@dataclass(frozen=True)
class Sent:
    """A request and its response; `status` 0 stands for none."""

    method: str
    path: str
    keyed: bool = True
    body: str = ""
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    content: bytes = b""
    began: float = 0.0
    ended: float = 0.0

    def header(self, name: str) -> str:
        return dict(self.headers).get(name.lower(), "")

    @property
    def served(self) -> bool:
        return 200 <= self.status < 300

    @property
    def parsed(self) -> object:
        return json.loads(self.content)


def get(path: str, *, keyed: bool = True) -> Sent:
    return Sent("GET", path, keyed)


def post(name: str, category: int = 1, status: str = "sold", *, keyed: bool = True) -> Sent:
    return Sent("POST", "/pets", keyed, json.dumps({"name": name, "categoryId": category, "status": status}))


def mixed(number: int) -> list[Sent]:
    """The requests of burst `number`: each kind beside others that differ in one thing."""
    name = f"burst {number} pet"
    posts = [post(f"{name} {place}", 1 + place, ("sold", "pending", "available")[place % 3]) for place in range(4)]
    if number % 3 == 0:
        rest = [Sent("POST", "/pets", body=_BAD), get("/pets?limit=5&status=sold"), get("/pets?limit=50")]
        return [*posts, *rest, get("/pets?limit=50", keyed=False)]
    if number % 3 == 1:
        pages = [get("/pets?status=pending"), get("/pets?limit=1"), get("/pets?limit=100&status=available")]
        return [*pages, *posts[:2], get("/pets/7"), get("/pets/8"), get("/pets/7", keyed=False)]
    ids = [get("/pets/3"), get("/pets/999999999")]
    return [*posts, *ids, post(f"{name} without key", keyed=False), get("/pets?limit=20")]


class Client:
    """Eight kept connections to a server."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port or 0
        self._connections = [self._new() for _ in range(SIZE)]
        self._pool = ThreadPoolExecutor(SIZE)

    def burst(self, asks: Sequence[Sent]) -> list[Sent]:
        """The responses to up to eight requests that are sent at the same time."""
        together = threading.Barrier(len(asks))

        def one(place: int) -> Sent:
            with contextlib.suppress(OSError):  # the request will tell
                if self._connections[place].sock is None:
                    self._connections[place].connect()
            together.wait()
            return self._send(asks[place], place)

        return list(self._pool.map(one, range(len(asks))))

    def alone(self, ask: Sent) -> Sent:
        """The response to one request."""
        return self._send(ask, 0)

    def leave(self) -> None:
        """Close all connections; the next requests open new ones."""
        for connection in self._connections:
            connection.close()

    def close(self) -> None:
        self._pool.shutdown()
        self.leave()

    def _new(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self._host, self._port, timeout=20)

    def _send(self, ask: Sent, place: int) -> Sent:
        headers = {"Authorization": f"Bearer {KEY}"} if ask.keyed else {}
        headers |= {"Content-Type": "application/json"} if ask.body else {}
        began = time.monotonic()
        connection = self._connections[place]
        try:
            connection.request(ask.method, f"/v1{ask.path}", ask.body or None, headers)
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            return Sent(ask.method, ask.path, ask.keyed, ask.body, began=began, ended=time.monotonic())
        pairs = tuple((name.lower(), value) for name, value in response.getheaders())
        ended = time.monotonic()
        return Sent(ask.method, ask.path, ask.keyed, ask.body, response.status, pairs, content, began, ended)


def shown(url: str, *, bursts: int = BURSTS, at_once: bool = True, limits: bool = False) -> set[str]:
    """The requirements that bursts contradict; `at_once` False sends the same requests one after the other.

    A server that `limits` requests at the same time may refuse some of them.
    """
    client = Client(url)
    broken: set[str] = set()
    owners: dict[object, str] = {}
    try:
        for number in range(bursts):
            before = client.alone(get("/pets?limit=1"))
            asks = mixed(number)
            answers = client.burst(asks) if at_once else [client.alone(ask) for ask in asks]
            if limits:
                client.leave()
                time.sleep(0.05)  # until the server has seen it
                answers = [answer for answer in answers if not turned_away(answer)]
            after = client.alone(get("/pets?limit=2"))
            for answer in answers:
                broken |= contradicted(answer)
            broken |= miscounted(before, answers, after)
            for answer in answers:
                if answer.method == "POST" and answer.status == 201 and not contradicted(answer):
                    pet = answer.parsed
                    assert isinstance(pet, dict)
                    if pet["id"] in owners:
                        broken.add("PET-5")
                    owners[pet["id"]] = answer.body
            broken |= {problem for number in owners for problem in _read_back(client, number, owners[number])}
    finally:
        client.close()
    return broken


def turned_away(sent: Sent) -> bool:
    """Whether a server that limits requests at the same time refused this one, as it may."""
    return sent.status == 0 or (sent.status in (429, 503) and sent.header("retry-after").isdigit())


def contradicted(sent: Sent) -> set[str]:
    """What a response contradicts by itself."""
    if sent.status == 0:
        return {"SERVICE-1"}
    if not all(sent.header(f"x-ratelimit-{name}") for name in ("limit", "remaining", "reset")):
        return {"RATE-1"}
    if sent.status >= 500:
        return {"ERROR-5"}
    if not sent.keyed:
        return set() if sent.status == 401 else {"AUTH-1"}
    if sent.status == 401:
        return {"AUTH-7"}
    if int(sent.header("x-ratelimit-limit")) != LIMIT:
        return {"RATE-5"}
    try:
        content = sent.parsed
    except ValueError:
        return {"SERVICE-1"}
    if isinstance(content, dict) and content.get("status") not in (sent.status, "sold", "pending", "available", None):
        return {"ERROR-4"}
    if sent.method == "POST":
        return _created(sent, content)
    return _page(sent, content) if sent.path.partition("?")[0] == "/pets" else _animal(sent, content)


def miscounted(before: Sent, answers: Sequence[Sent], after: Sent) -> set[str]:
    """RATE-4 if Remaining fell by less than the requests that were served between two others."""
    if not before.served or not after.served or before.header("x-ratelimit-reset") != after.header("x-ratelimit-reset"):
        return set()
    fell = int(before.header("x-ratelimit-remaining")) - int(after.header("x-ratelimit-remaining"))
    own = sum(answer.served and answer.keyed for answer in answers) + 1
    return {"RATE-4"} if fell < own else set()


def _created(sent: Sent, pet: object) -> set[str]:
    if sent.body == _BAD:
        return set() if sent.status == 400 else {"CREATE-6"}
    if sent.status != 201:
        return {"CREATE-1"}
    if not isinstance(pet, dict) or not isinstance(pet.get("id"), int):
        return {"PET-1"}
    asked = json.loads(sent.body)
    differ = {"name": "CREATE-2", "categoryId": "CREATE-3", "status": "CREATE-4"}
    return {requirement for field, requirement in differ.items() if pet.get(field) != asked[field]}


def _page(sent: Sent, page: object) -> set[str]:
    if sent.status != 200:
        return {"LIST-1"}
    if not isinstance(page, list):
        return {"PETS-1"}
    query = {name: values[0] for name, values in parse_qs(urlsplit(sent.path).query).items()}
    broken = {"LIST-3"} if len(page) > int(query.get("limit", 20)) else set()
    if any(pet.get("status") != query["status"] for pet in page if "status" in query):
        broken.add("LIST-7")
    if "status" not in query and len(page) < min(int(query.get("limit", 20)), 20):  # there are 130 animals
        broken.add("LIST-4")
    return broken


def _animal(sent: Sent, pet: object) -> set[str]:
    number = int(sent.path.rpartition("/")[2])
    if number > 10**6:
        return set() if sent.status == 404 else {"GET-3"}
    if sent.status != 200:
        return {"GET-1"}
    return set() if isinstance(pet, dict) and pet.get("id") == number else {"GET-2"}


def _read_back(client: Client, number: object, body: str) -> set[str]:
    answer = client.alone(get(f"/pets/{number}"))
    if answer.status != 200:
        return {"CREATE-12"}
    pet = answer.parsed
    return set() if isinstance(pet, dict) and json.loads(body).items() <= pet.items() else {"CREATE-12"}


def try_out(
    *, faults: Sequence[str] = (), variations: Sequence[str] = (), at_once: bool = True, limits: bool = False
) -> set[str]:
    """What three bursts of 8 contradict on a new server with these faults and variations."""
    app = create_app(settings(keys={KEY: "business"}, faults=tuple(faults), variations=tuple(variations)))
    with running(app) as url:
        return shown(url, at_once=at_once, limits=limits)
