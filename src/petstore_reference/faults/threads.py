"""Faults of a server with a thread for each request: each shows only while two threads are in the same place.

The threads share lists, locks, files and SQLite connections. A pause stands for the work of a disk or a database.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.messages import Answer, Operation, ReceivedCall
from petstore_reference.overrides import both, in_threads
from petstore_reference.registry import Fault, fault
from petstore_reference.store import Animal, NewAnimal, Store

_DISK_S = 0.003
_BODIES = "CREATE-1 CREATE-5 CREATE-6 CREATE-7 CREATE-8 CREATE-9 CREATE-10 CREATE-14"
_PAGES = "LIST-1 LIST-2 LIST-6"
_MAKING = threading.RLock()  # one thing may be made of another
# two calls of Python's sqlite3 on one connection at the same time may end the process; the threads mix between calls
_IN_SQLITE = threading.Lock()

_Thing = TypeVar("_Thing")


def disk() -> None:
    """Waits as long as a small write takes."""
    time.sleep(_DISK_S)


def kept(
    state: ServerState, name: str, make: Callable[[], _Thing], close: Callable[[_Thing], None] | None = None
) -> _Thing:
    """What all requests of a server share under this name: made by the first of them, closed when the server stops."""
    with _MAKING:
        shared = state.memory[name]
        if "" not in shared:
            shared[""] = make()
            state.closing.callback(shared.clear)
            if close is not None:
                state.closing.callback(close, shared[""])
        thing: _Thing = shared[""]
    return thing


def folder(state: ServerState) -> Path:
    """A folder of the server."""
    return kept(
        state,
        "folder",
        lambda: Path(tempfile.mkdtemp(prefix="pet-store-")),
        lambda path: shutil.rmtree(path, ignore_errors=True),
    )


def numbered(number: Callable[[ServerState], int]) -> Override:
    """A created animal gets the id that `number` returns."""

    def override(behaviour: Behaviour) -> Behaviour:
        def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
            return behaviour.act(call, state, replace(whole, new_id=lambda store: number(state)))

        return replace(behaviour, act=act)

    return override


def highest(store: Store) -> int:
    """The highest id in the store."""
    return max((animal.id for animal in store.newest_first()), default=0)


def _around(
    act: Callable[[ReceivedCall, ServerState, Callable[[ReceivedCall], Answer]], Answer], *operations: Operation
) -> Override:
    """`act` answers the valid calls of these operations (by default all), and gets what would answer them otherwise."""

    def override(behaviour: Behaviour) -> Behaviour:
        def around(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
            if operations and call.operation not in operations:
                return behaviour.act(call, state, whole)
            return act(call, state, lambda call: behaviour.act(call, state, whole))

        return replace(behaviour, act=around)

    return override


def storing(keep: Callable[[ServerState, Callable[[], Animal]], Animal]) -> Override:
    """`keep` stores an animal, and gets what would store it otherwise."""

    def override(behaviour: Behaviour) -> Behaviour:
        def stored(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
            return keep(state, lambda: behaviour.keep(new, animal_id, call, state))

        return replace(behaviour, keep=stored)

    return override


# ---- lists and generators


def _count(state: ServerState) -> int:
    number = len(state.store) + 1
    disk()
    return number


def _old_copy(state: ServerState, keep: Callable[[], Animal]) -> Animal:
    copy = state.store.newest_first()
    disk()
    animal = keep()
    state.store.replace_all([animal, *copy])
    return animal


class _Live(Store):
    """A store that is read animal by animal, each with a look at its category."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store

    def newest_first(self) -> list[Animal]:
        animals = []
        for animal in self._store.one_by_one():
            time.sleep(0.00005)
            animals.append(animal)
        return animals


def _live(behaviour: Behaviour) -> Behaviour:
    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        state = replace(state, store=_Live(state.store)) if call.operation is Operation.LIST else state
        return behaviour.act(call, state, whole)

    return replace(behaviour, act=act)


def _numbers_after(number: int) -> Iterator[int]:
    while True:
        number += 1
        disk()
        yield number


def _from_generator(state: ServerState) -> int:
    return next(kept(state, "numbers", partial(_numbers_after, highest(state.store))))


# ---- locks and pools


def _crossed(first: str, second: str, operation: Operation) -> Override:
    """The operation takes one lock and then another, for which it waits half a second."""

    def act(call: ReceivedCall, state: ServerState, go_on: Callable[[ReceivedCall], Answer]) -> Answer:
        with kept(state, first, threading.Lock):
            disk()
            other = kept(state, second, threading.Lock)
            if not other.acquire(timeout=0.5):
                raise TimeoutError(f"no lock on the {second}")
            try:
                return go_on(call)
            finally:
                other.release()

    return _around(act, operation)


def _pooled(call: ReceivedCall, state: ServerState, go_on: Callable[[ReceivedCall], Answer]) -> Answer:
    pool = kept(state, "pool", lambda: threading.Semaphore(2))
    if not pool.acquire(blocking=False):
        raise RuntimeError("the pool has no connection left")
    try:
        disk()
        return go_on(call)
    finally:
        pool.release()


# ---- files


def _one_body_file(call: ReceivedCall, state: ServerState, go_on: Callable[[ReceivedCall], Answer]) -> Answer:
    upload = folder(state) / "upload.json"
    upload.write_bytes(call.body or b"")
    disk()
    return go_on(replace(call, body=upload.read_bytes()))


def _saved(state: ServerState, keep: Callable[[], Animal]) -> Animal:
    animal = keep()
    text = json.dumps([each.id for each in state.store.newest_first()])
    with (folder(state) / "pets.json").open("w") as file:
        file.write(text[: len(text) // 2])
        file.flush()
        disk()
        file.write(text[len(text) // 2 :])
    return animal


def _loaded(call: ReceivedCall, state: ServerState, go_on: Callable[[ReceivedCall], Answer]) -> Answer:
    saved = folder(state) / "pets.json"
    if saved.exists():
        json.loads(saved.read_text())
    return go_on(call)


# ---- SQLite


def _locked(state: ServerState, keep: Callable[[], Animal]) -> Animal:
    with closing(sqlite3.connect(folder(state) / "pets.db", timeout=0, isolation_level=None)) as database:
        database.execute("CREATE TABLE IF NOT EXISTS pets (id INTEGER PRIMARY KEY)")
        database.execute("BEGIN IMMEDIATE")
        animal = keep()
        database.execute("INSERT OR IGNORE INTO pets VALUES (?)", (animal.id,))
        disk()
        database.execute("COMMIT")
    return animal


def _database(state: ServerState) -> sqlite3.Connection:
    def make() -> sqlite3.Connection:
        database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        database.execute("CREATE TABLE pets (id INTEGER PRIMARY KEY)")
        database.executemany("INSERT INTO pets VALUES (?)", ((each.id,) for each in state.store.newest_first()))
        return database

    return kept(state, "database", make, sqlite3.Connection.close)


def _last_row(state: ServerState) -> int:
    database = _database(state)
    with _IN_SQLITE:
        database.execute("INSERT INTO pets DEFAULT VALUES")
    disk()
    with _IN_SQLITE:
        (number,) = database.execute("SELECT last_insert_rowid()").fetchone()
    return int(number)


def _added(state: ServerState, keep: Callable[[], Animal]) -> Animal:
    animal = keep()
    database = _database(state)
    with _IN_SQLITE:
        database.execute("INSERT OR IGNORE INTO pets VALUES (?)", (animal.id,))
    return animal


def _one_cursor(behaviour: Behaviour) -> Behaviour:
    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        def find(animal_id: int, store: Store) -> Animal | None:
            cursor = kept(state, "cursor", lambda: _database(state).cursor())
            with _IN_SQLITE:
                cursor.execute("SELECT id FROM pets WHERE id = ?", (animal_id,))
            disk()
            with _IN_SQLITE:
                row = cursor.fetchone()
            return whole.find(row[0], store) if row else None

        return behaviour.act(call, state, replace(whole, find=find))

    return replace(behaviour, act=act)


def threaded(
    name: str, section: str, summary: str, breaks: str, override: Override, needs: str = "writes"
) -> Iterator[Fault]:
    """A fault of a server with threads."""
    return fault(name, summary, breaks, in_threads(override), section=section, needs=needs)


FAULTS = [
    *threaded(
        "id-from-count",
        "4.2",
        "The id is the number of animals plus one, counted before the animal is saved.",
        "PET-5 CREATE-12 CREATE-13 GET-2",
        numbered(_count),
    ),
    *threaded(
        "list-replaced-by-old-copy",
        "4.2",
        "A POST replaces the list by a copy that it read before, so another POST's animal is lost.",
        "CREATE-12 CREATE-13",
        storing(_old_copy),
    ),
    *threaded(
        "list-changed-while-read",
        "4.1",
        "A page is read from the live dictionary, so it gets 500 when a POST adds an animal.",
        f"ERROR-5 {_PAGES}",
        _live,
    ),
    *threaded(
        "id-generator-shared",
        "4.2",
        "All threads take ids from one generator, which fails if two ask at the same time.",
        "ERROR-5 CREATE-1 CREATE-14",
        numbered(_from_generator),
    ),
    *threaded(
        "locks-in-two-orders",
        "7",
        "A POST and a page take two locks in opposite orders, so both wait, and one gets 500.",
        f"ERROR-5 {_PAGES} {_BODIES}",
        both(_crossed("store", "log", Operation.CREATE), _crossed("log", "store", Operation.LIST)),
    ),
    *threaded(
        "pool-of-2-connections",
        "7",
        "A pool has two connections, and a request that finds none gets 500.",
        f"ERROR-5 {_PAGES} {_BODIES} GET-1 GET-3 ORDERS-1",
        _around(_pooled),
        needs="",
    ),
    *threaded(
        "body-in-one-file",
        "4.2",
        "Each body is written to the same file and read from it, so a POST stores another's.",
        f"{_BODIES} CREATE-2 CREATE-3 CREATE-4 CREATE-11 CREATE-12 CREATE-13",
        _around(_one_body_file, Operation.CREATE),
    ),
    *threaded(
        "file-read-while-written",
        "4.1",
        "A page is read from a file that a POST may have half written, which gets 500.",
        f"ERROR-5 {_PAGES}",
        both(storing(_saved), _around(_loaded, Operation.LIST)),
    ),
    *threaded(
        "sqlite-locked",
        "4.2",
        "A POST gets 500 while another one has locked the SQLite file.",
        "ERROR-5 CREATE-1 CREATE-14",
        storing(_locked),
    ),
    *threaded(
        "sqlite-last-row-of-another",
        "4.2",
        "The id is the last row of an SQLite connection that all threads share.",
        "PET-5 CREATE-12 CREATE-13 GET-2",
        numbered(_last_row),
    ),
    *threaded(
        "sqlite-one-cursor",
        "4.3",
        "All threads read animals with one SQLite cursor, so one gets another's row, none or 500.",
        "ERROR-5 GET-1 GET-2 GET-3 CREATE-12 PET-5",
        both(storing(_added), _one_cursor),
        needs="",
    ),
]
