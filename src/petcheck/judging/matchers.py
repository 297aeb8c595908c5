"""Matchers: each looks at one thing and returns a `Problem`, or None if it is right. They ignore severity."""

from __future__ import annotations

import json
import re
import unicodedata
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import accumulate, takewhile, zip_longest
from typing import Final
from urllib.parse import urlsplit

from petcheck.exchange import Animal, Exchange, NoAnswer, Response
from petcheck.json_values import HugeNumber, Json, integer, kind
from petcheck.judging.judgement import BODY, Problem, body, header
from petcheck.spec.figures import CONTENT_TYPE, INT64_MAX, INT64_MIN, MEDIA_TYPE, PET_FIELDS, STATUSES
from petcheck.words import shortened

_SHOWN, _AROUND = 80, 30  # characters of a value, and on each side of a difference
_UNICODE_FORMS: Final = ("NFC", "NFD", "NFKC", "NFKD")
_MEMBERS = {*PET_FIELDS, "code", "message"}

# ---- words


def described(exchange: Exchange) -> str:
    """The request in a few words: method, path, and the credential unless it is the valid key."""
    request = exchange.request
    parts = urlsplit(request.url)
    path = request.operation.path.replace("{petId}", shortened(parts.path.rpartition("/")[2]))
    query = f"?{parts.query}" if parts.query else ""
    with_key = "" if request.has_valid_key else f" with {request.credential.value}"
    return f"{request.method} {path}{query}{with_key}"


def answer_text(exchange: Exchange) -> str:
    """The answer in a few words: the status, or the kind of silence with its detail."""
    answer = exchange.answer
    if isinstance(answer, NoAnswer):
        return f"no answer ({answer.kind.value}: {answer.detail})"
    return f"{answer.status} {_cut(answer.reason)}".strip()


def silence_text(exchange: Exchange) -> str:
    """A silence that counts in a few words: it is that of a second try."""
    return f"{answer_text(exchange)}, twice"


def quoted(value: Json) -> str:
    """A JSON value as JSON text, in ASCII, cut at 80 characters; a string is cut between two of its characters."""
    if isinstance(value, Decimal):
        return _cut(str(value))
    if isinstance(value, HugeNumber):
        return str(_plain(value))
    try:
        text = json.dumps(value, default=_plain)
    except RecursionError:
        return f"<{kind(value)}, deeply nested>"
    if isinstance(value, str) and len(text) > _SHOWN:
        return f"{json.dumps(value[: _fitting(value, _SHOWN - 3)])}…"  # beside two quotes and the dots
    return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _plain(value: Decimal | HugeNumber) -> float | str:
    return float(value) if isinstance(value, Decimal) else f"<{kind(value)}>"


def one_of(names: Sequence[str], word: str = "or") -> str:
    """Names in words: `a`, `a or b`, `a, b or c`; empty without names."""
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def kind_and_value(value: Json) -> str:
    """The JSON type of a value, and the value as JSON text unless it is null."""
    return "null" if value is None else f"{kind(value)}, {quoted(value)}"


# ---- bodies


def problem_of_json(response: Response) -> Problem | None:
    """Why the body is not JSON (section 1)."""
    if response.parsed.wrong:
        return Problem(response.parsed.wrong, BODY)
    if response.body.startswith(BOM_UTF8):
        return Problem("the body begins with a byte order mark, which RFC 8259, section 8.1, forbids", BODY)
    return None


# the bound keeps a header of quotes without an end from being searched again from each of them
_PARAMETERS = re.compile(r';(?:"(?:[^"\\]|\\.){0,256}"|[^,])*')


def problem_of_media_type(response: Response) -> Problem | None:
    """What is wrong with Content-Type: `application/json` in any letter case, with any parameters (section 4)."""
    value = response.header(CONTENT_TYPE)
    if value is None:
        return Problem(f"{CONTENT_TYPE} is missing; expected `{MEDIA_TYPE}`", header(CONTENT_TYPE))
    # a parameter may be quoted, with commas in it
    types = {part.strip().lower() for part in _PARAMETERS.sub("", value).split(",")}
    if types == {MEDIA_TYPE}:
        return None
    return Problem(f"{CONTENT_TYPE} is {quoted(value)}; expected `{MEDIA_TYPE}`", header(CONTENT_TYPE))


def similar(name: str, names: Iterable[str]) -> list[str]:
    """Those of some names that differ from `name` only in case, hyphens and underscores."""
    return [other for other in names if other != name and letters(other) == letters(name)]


def letters(name: str) -> str:
    """A name without case, hyphens and underscores."""
    return re.sub("[-_]", "", name).lower()


def _instead(name: str, holder: Animal) -> str:
    """What an object has instead of a member: a similar name, or the only member; empty if it is unknown."""
    only = next(iter(holder)) if len(holder) == 1 else None
    found = next(iter(similar(name, holder)), only if only not in _MEMBERS else None)
    return f"; it has {'only ' if found == only else ''}`{shortened(found[:_SHOWN])}`" if found else ""


def problem_of_int64(owner: str, name: str, holder: Animal) -> Problem | None:
    """What is wrong with a required int64 member (section 2)."""
    if name not in holder:
        return Problem(f"{owner} has no `{name}`{_instead(name, holder)}", BODY)
    value = holder[name]
    number = integer(value)
    if number is None and not isinstance(value, HugeNumber):
        return Problem(f"`{name}` is {kind_and_value(value)}; expected an integer", body(name))
    if number is None or not INT64_MIN <= number <= INT64_MAX:
        return Problem(f"`{name}` is {quoted(value)}, outside the int64 range", body(name))
    return None


def problem_of_string(owner: str, name: str, holder: Animal) -> Problem | None:
    """What is wrong with a required string member (sections 2 and 7)."""
    if name not in holder:
        return Problem(f"{owner} has no `{name}`{_instead(name, holder)}", BODY)
    value = holder[name]
    if isinstance(value, str):
        return None
    return Problem(f"`{name}` is {kind_and_value(value)}; expected a string", body(name))


def problem_of_pet_status(holder: Animal) -> Problem | None:
    """What is wrong with a Pet's optional status (section 2)."""
    if "status" not in holder or holder["status"] in STATUSES:
        return None
    value = holder["status"]
    absent = ", or no `status` at all" if value is None else ""
    return Problem(f"`status` is {quoted(value)}; expected {one_of(STATUSES)}{absent}", body("status"))


def problem_of_error_status(holder: Animal, http_status: int) -> Problem | None:
    """What is wrong with an Error's `status` (section 7)."""
    if "status" not in holder:
        return Problem(f"the Error has no `status`{_instead('status', holder)}", BODY)
    value = holder["status"]
    if integer(value) is None:
        return Problem(f"`status` is {kind_and_value(value)}; expected the integer {http_status}", body("status"))
    if integer(value) == http_status:
        return None
    return Problem(f"`status` is {quoted(value)}; expected {http_status}, the status of the response", body("status"))


# ---- comparisons


def difference_of_text(sent: str, got: str) -> str | None:
    """The first code point in which a returned text differs from the one sent, in words; None if they are equal."""
    if sent == got:
        return None
    at = next(at for at, (was, now) in enumerate(zip_longest(sent, got)) if was != now)
    long = _are_long(sent, got)
    after, before = (_cut_around(text, at) if long else quoted(text) for text in (got, sent))
    return f"{after} instead of {before} ({_parting(sent, got, at)})"


def _are_long(*texts: str) -> bool:
    """Whether one of them is too long as JSON text to show it beside another."""
    return any(len(json.dumps(text)) >= _SHOWN for text in texts)


def _cut_around(text: str, at: int) -> str:
    """A text as JSON text, cut to what surrounds a place in it."""
    first, last = at - _fitting(text[:at][::-1], _AROUND), at + _fitting(text[at:], _AROUND)
    return f"{'…' * (first > 0)}{json.dumps(text[first:last])}{'…' * (last < len(text))}"


def _fitting(text: str, space: int) -> int:
    """How many characters at the beginning of a text are shown, by the `space` that they take as JSON text."""
    sizes = accumulate(len(json.dumps(character)) - 2 for character in text)
    return max(1, sum(1 for _ in takewhile(lambda size: size <= space, sizes))) if text else 0


def _parting(before: str, after: str, at: int) -> str:
    if not after or not before:
        return "it is empty" if not after else "it should be empty"
    trimmed = {before.strip(): "around it", before.lstrip(): "at its beginning", before.rstrip(): "at its end"}
    if after in trimmed:
        return f"the white space {trimmed[after]} is missing"
    form = next((form for form in _UNICODE_FORMS if unicodedata.normalize(form, before) == after), None)
    if form is not None:
        return f"that is its Unicode form {form}; character {at + 1} is the first that differs"
    if at == len(after):
        return f"it ends after {at} characters" if at != 1 else "it ends after 1 character"
    if at == len(before):
        return f"it goes on with {_code_point(after, at)} after character {at}"
    return f"character {at + 1} is {_code_point(after, at)} instead of {_code_point(before, at)}"


def _code_point(text: str, at: int) -> str:
    return f"U+{ord(text[at]):04X}"


def differences(before: Animal, after: Animal) -> list[Problem]:
    """The documented fields in which two sights of one animal differ; each problem names its part of the later one.

    Other fields are open. A field that is malformed in either sight does not count: PET-1 to PET-4 judge that.
    """

    def is_well_formed(problem: Callable[[Animal], Problem | None]) -> bool:
        return problem(before) is None and problem(after) is None

    found = [
        Problem(f"`{name}` is {_changed(before[name], after[name])}", body(name))
        for name, problem in _PROBLEMS.items()
        if _differ(before.get(name), after.get(name)) and is_well_formed(problem)
    ]
    was, now = before.get("status"), after.get("status")
    if _differ(was, now) and all(map(is_well_formed, (*_PROBLEMS.values(), problem_of_pet_status))):
        said = " instead of ".join("missing" if value is None else quoted(value) for value in (now, was))
        found.append(Problem(f"`status` is {said}", BODY if now is None else body("status")))
    return found


def _differ(before: Json, after: Json) -> bool:
    """Whether two values differ; those of a malformed field may be nested too deep to compare."""
    return not isinstance(before, list | dict) and before != after


def _changed(before: Json, after: Json) -> str:
    """Two values in words, and their first difference if a text is too long to show in full."""
    if isinstance(before, str) and isinstance(after, str) and _are_long(before, after):
        return str(difference_of_text(before, after))
    return f"{quoted(after)} instead of {quoted(before)}"


_PROBLEMS: dict[str, Callable[[Animal], Problem | None]] = {
    "id": lambda holder: problem_of_int64("a Pet", "id", holder),
    "name": lambda holder: problem_of_string("a Pet", "name", holder),
    "categoryId": lambda holder: problem_of_int64("a Pet", "categoryId", holder),
}
