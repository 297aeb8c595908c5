"""Checks values of options and settings. Each function returns the value, or raises `BadValue` with what is allowed.

`where` begins the message: the option, or the file and its setting.
"""

from __future__ import annotations

import contextlib
import os
import re
import ssl
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

from petcheck.errors import BadValue
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import INT64_MAX, INT64_MIN, PLANS
from petcheck.stream.lines import Label, Subject
from petcheck.words import did_you_mean

_LABEL = re.compile(r"([A-Za-z0-9._-]{1,60})=(\s*\S.{0,200})")
_SUBJECT = re.compile(r"([!-?A-~]{1,200})@sha256:([0-9a-f]{64})")

Reader: TypeAlias = Callable[[Any, str], Any]
"""A function of this module: the value from any place and what begins a message, to the value that counts."""


def why(error: Exception) -> str:
    """The reason of a disk error."""
    return getattr(error, "strerror", None) or str(error)


def switch(value: object, where: str) -> bool:
    """True or false; a file must give it without quotes."""
    if not isinstance(value, bool):
        raise BadValue(f"{where} {value!r}: must be true or false")
    return value


def text(value: object, where: str) -> str:
    """Text that is not empty; a file must put it in quotes."""
    if not isinstance(value, str) or not value.strip():
        raise BadValue(f"{where} {value!r}: must be text in quotes, and not empty")
    return value


def plan(text: object, where: str) -> str | None:
    """The name of a plan of section 8, None if not given."""
    if text is None:
        return None
    plan = str(text).lower()
    if plan not in PLANS:
        hint = did_you_mean(plan, PLANS, f"plans: {', '.join(PLANS)}")
        raise BadValue(f"{where} {text}: no such plan; {hint}")
    return plan


def requirement_set(value: object, where: str) -> str:
    """A version that published requirements."""
    sets = catalogue().sets
    if value not in sets:
        raise BadValue(f"{where} {value}: no such set of requirements; sets: {', '.join(sets)}")
    return str(value)


def iso_date(value: object, where: str) -> date:
    """A date written as YYYY-MM-DD; a file may leave out the quotes."""
    text = str(value)
    try:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise BadValue(f"{where} {value}: not a date; write it as YYYY-MM-DD")


def whole_number(value: object, where: str, *, least: int | None = None, most: int | None = None) -> int:
    """A whole number, not below `least` and not above `most`."""
    text = str(value).strip()
    if not re.fullmatch(r"[+-]?[0-9]{1,100}", text):
        raise BadValue(f"{where} {value}: not a whole number")
    number = int(text)
    if least is not None and number < least:
        raise BadValue(f"{where} {value}: must be {least} or more")
    if most is not None and number > most:
        raise BadValue(f"{where} {value}: must be {most} or less")
    return number


def number_or_share(value: object, where: str) -> str:
    """A whole number above 0, or a share as in 90%, in text."""
    text = str(value).strip()
    number, share = text.removesuffix("%"), text.endswith("%")
    if not re.fullmatch(r"[0-9]{1,4}", number) or not 1 <= int(number) <= (100 if share else 9999):
        raise BadValue(f"{where} {value}: write it as a number of requirements (50), or as a share (90%)")
    return text


def category(value: object, where: str) -> int:
    """A category within int64."""
    number = whole_number(value, where)
    if not INT64_MIN <= number <= INT64_MAX:
        raise BadValue(f"{where} {value}: a category is an int64, from -2^63 to 2^63-1")
    return number


def seconds(value: object, where: str, *, zero: bool = False) -> float:
    """A number of seconds, above zero unless `zero` is allowed."""
    try:
        seconds = float(str(value))
    except ValueError:
        raise BadValue(f"{where} {value}: not a number of seconds") from None
    if not (0 < seconds < 1e6 or (zero and seconds == 0)):
        raise BadValue(f"{where} {value}: must be above 0 and below 1000000 seconds")
    return seconds


def formed(value: object, where: str, *, form: str, advice: str) -> str:
    """Text that a regular expression matches as a whole."""
    if not re.fullmatch(form, str(value)):
        raise BadValue(f"{where} {value}: {advice}")
    return str(value)


def path(value: object, where: str) -> str:
    """The path of a URL without a slash at its end; empty for the root."""
    text = str(value).strip()
    if not re.fullmatch(r"(/[A-Za-z0-9._~%-]+)*/?", text):
        raise BadValue(f"{where} {value}: not a path; write it as /v1, or / for the root")
    return text.rstrip("/")


def ca_bundle(value: object, where: str) -> str:
    """The path of a PEM file that contains a certificate."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=str(value))
    except ssl.SSLError:
        raise BadValue(
            f"{where} {value}: contains no certificate; give a PEM file of certificate authorities"
        ) from None
    except (OSError, ValueError) as error:
        raise BadValue(f"{where} {value}: cannot be read ({why(error)}); give a PEM file") from None
    return str(value)


def labels(value: object, where: str) -> tuple[Label, ...]:
    """Texts of the form NAME=VALUE."""
    pairs = _each(value, where, _LABEL, "write it as NAME=VALUE, as in build=1742")
    return tuple(Label(name, text.strip()) for name, text in pairs)


def subjects(value: object, where: str) -> tuple[Subject, ...]:
    """Texts of the form NAME@sha256:DIGEST."""
    pairs = _each(value, where, _SUBJECT, "write it as NAME@sha256: and the 64 digits of its digest")
    return tuple(Subject(name, digest) for name, digest in pairs)


def _each(value: object, where: str, form: re.Pattern[str], advice: str) -> list[tuple[str, str]]:
    """The two parts of each text; no two begin alike."""
    found: dict[str, str] = {}
    for one in each(value):
        parts = form.fullmatch(one) if isinstance(one, str) and one.isprintable() else None
        if parts is None:
            raise BadValue(f"{where} {one}: {advice}")
        if parts[1] in found:
            raise BadValue(f"{where} {one}: {parts[1]} is given twice; give it once")
        found[parts[1]] = parts[2]
    return list(found.items())


def each(value: object) -> Sequence[object]:
    """The values of an option that may be given several times."""
    return value if isinstance(value, list | tuple) else [value]


def file(value: object, where: str) -> Path:
    """The path of a file."""
    return Path(text(value, where))


def folder(value: object, where: str) -> Path:
    """A folder that can be written, or that can be made: a run that ends before it writes leaves none behind."""
    folder = Path(text(value, where))
    try:
        _probe(_nearest(folder))
    except (OSError, ValueError) as error:
        raise BadValue(f"{where} {folder}: cannot be written ({why(error)}); give another folder") from None
    return folder


def writable_file(path: Path, where: str) -> None:
    """Expect a regular file that can be replaced, or nothing where one can be made."""
    try:
        _probe(Path(os.path.realpath(path)).parent)
    except (OSError, ValueError) as error:
        raise BadValue(f"{where}: cannot be written ({why(error)})") from None
    if path.exists() and not path.is_file():
        raise BadValue(f"{where}: is not a regular file, so it cannot be updated")


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there. Raises OSError or ValueError if it can never be made."""
    for place in (folder, *folder.absolute().parents):
        with contextlib.suppress(FileNotFoundError):
            place.stat()
            return place
        if place.is_symlink():
            raise ValueError(f"{place} is a link to nothing")
    return folder


def _probe(folder: Path) -> None:
    """Raise OSError if no file can be made in the folder."""
    probe = folder / f".petcheck-{os.getpid()}"
    probe.touch()
    probe.unlink()
