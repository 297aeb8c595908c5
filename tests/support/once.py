"""What several tests look at is made once in a run of the tests: the workers of xdist share it."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_places: list[Path] = []


def keep_in(folder: Path) -> None:
    """Say where: a folder of this run of the tests, which all its workers have in common."""
    _places[:] = [folder]


def shared_folder(name: str) -> Path:
    """A new folder for what is made once. Tests only read it: those of other workers look at it too."""
    folder = _places[0] / f"once-{name}"
    folder.mkdir()
    return folder


def folder_made_once(name: str, make: Callable[[Path], object]) -> Path:
    """The shared folder of that name, which `make` has filled."""
    made = _places[0] / f"once-{name}.made"
    with _alone(made.with_suffix(".lock")):
        if not made.exists():
            make(shared_folder(name))
            made.touch()
    return _places[0] / f"once-{name}"


def made_once(function: Callable[P, T]) -> Callable[P, T]:
    """Like `functools.cache`, in all workers: the first call writes the result into a file, the others read it."""

    @functools.cache
    def result(*arguments: P.args, **named: P.kwargs) -> T:
        called = f"{function.__module__}.{function.__qualname__}{arguments}{sorted(named.items())}"
        file = _places[0] / f"once-{hashlib.sha256(called.encode()).hexdigest()[:24]}.pickle"
        with _alone(file.with_suffix(".lock")):
            if file.exists():
                return pickle.loads(file.read_bytes())  # type: ignore[no-any-return]
            made = function(*arguments, **named)
            file.write_bytes(pickle.dumps(made))
            return made

    return result  # type: ignore[return-value]


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Nobody else is in such a block of the same file."""
    with lock.open("wb") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
