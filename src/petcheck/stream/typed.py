"""Frozen dataclasses as JSON and back, strictly: what a type does not allow is refused."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, date, datetime
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def plain(value: Any, *, whole: bool = False) -> Any:
    """A value of frozen dataclasses as JSON. Members that have their default are left out, unless `whole`."""
    if is_dataclass(value):
        members = {field.name: (field.default, getattr(value, field.name)) for field in fields(value)}
        return {name: plain(one, whole=whole) for name, (usual, one) in members.items() if whole or one != usual}
    if isinstance(value, Mapping):
        return {key: plain(item, whole=whole) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item, whole=whole) for item in value]
    if isinstance(value, datetime):
        return timestamp(value)
    return value.isoformat() if isinstance(value, date) else value


def in_milliseconds(moment: datetime) -> datetime:
    """A moment as a stream has it: cut to milliseconds."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def timestamp(moment: datetime) -> str:
    """A moment in UTC, ISO 8601, to the millisecond, or to the microsecond where it has them."""
    precision = "microseconds" if moment.microsecond % 1000 else "milliseconds"
    return moment.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def typed(kind: type[T], document: object) -> T:
    """The value of the dataclass `kind` that parsed JSON describes. Raises ValueError, which names the member."""
    value: T = _typed(kind, document, kind.__name__.lower())
    return value


def _typed(kind: Any, document: Any, place: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _dataclass(kind, document, place)
    if origin in (Union, types.UnionType):
        if document is None and type(None) in inner:
            return None
        return _typed(next(one for one in inner if one is not type(None)), document, place)
    if origin is Literal:
        if not any(type(document) is type(value) and document == value for value in inner):
            raise ValueError(f"{place} is not one of the values that it may have")
        return document
    if origin is tuple and isinstance(document, list):
        return tuple(_typed(inner[0], item, f"{place}[{number}]") for number, item in enumerate(document))
    if isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(document, dict):
        return {key: _typed(inner[1], item, f"{place}.{key}") for key, item in document.items()}
    if kind is Any:
        return document
    if kind in (date, datetime) and isinstance(document, str):
        return _moment(kind, document, place)
    if kind is float and type(document) is int:
        try:
            return float(document)
        except OverflowError:
            raise ValueError(f"{place} is too large") from None
    if isinstance(kind, type) and type(document) is kind:
        return document
    name = getattr(kind, "__name__", "of the right type")
    raise ValueError(f"{place} is not {name}")


def _dataclass(kind: Any, document: Any, place: str) -> Any:
    if not isinstance(document, dict):
        raise ValueError(f"{place} is not an object")
    hints = _hints(kind)
    unknown = document.keys() - hints.keys()
    if unknown:
        raise ValueError(f"{place} has a member that petcheck does not write: {min(unknown)}")
    try:
        return kind(**{name: _typed(hints[name], item, f"{place}.{name}") for name, item in document.items()})
    except TypeError:
        missing = next(f.name for f in fields(kind) if f.name not in document and f.default is MISSING)
        raise ValueError(f"{place} has no {missing}") from None


_hints = cache(get_type_hints)


def _moment(kind: Any, text: str, place: str) -> Any:
    word = "day" if kind is date else "time"
    try:
        value = kind.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{place} is not a {word}") from None
    if plain(value) != text:
        raise ValueError(f"{place} is not written as petcheck writes a {word}")
    return value
