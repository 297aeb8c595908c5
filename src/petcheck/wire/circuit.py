"""Distinguishes one unanswered request from a kind of request that is never answered, and from a dead target.

Only silence that kept the run waiting counts: if a connection is dropped at once, the next request costs nothing.
Requests that any server serves and requests that it refuses are counted separately, so a server that hangs on each
malformed body is still asked to create animals.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from petcheck.call import Call, Credential
from petcheck.exchange import Exchange, NoAnswer, Response, Silence
from petcheck.spec.figures import LIMIT_MAX, LIMIT_MIN, NEW_PET_FIELDS, STATUSES
from petcheck.spec.operations import Operation

# seconds without any answer before a target counts as down, and before one that has never answered does
PATIENCE_S = 10.0
PATIENCE_AT_START_S = 3.0
_FIRST_PAUSE_S = 0.5
# nothing listened, so the request was not tried at all
NOT_TRIED = (Silence.UNREACHABLE, Silence.PROXY)
_SUSPECTS = 3  # requests of a burst that are named if it ended a target
_OPEN_AFTER = 2
_DIGITS = 18  # of a number that even careless code reads into 64 bits


class Circuit:
    """Counts the timeouts in a row for each kind of request: its operation, and whether any server should serve it."""

    def __init__(self) -> None:
        self._waits: Counter[tuple[Operation, bool]] = Counter()

    def open(self, call: Call) -> bool:
        """Whether calls like this one are no longer sent."""
        return self._waits[call.operation, is_ordinary(call)] >= _OPEN_AFTER

    def note(self, call: Call, answer: Response | NoAnswer) -> None:
        """Learn from the answer to the last try of a request."""
        kind = call.operation, is_ordinary(call)
        if isinstance(answer, Response):
            self._waits[kind] = 0
        elif answer.kind is Silence.TIMEOUT:
            self._waits[kind] += 1


def last_words(unanswered: Sequence[Exchange], lasted: str) -> str:
    """Why a target counts as down: the last requests before the silence, and what was seen; `lasted` says how long.

    Of several at the same time, the likeliest to have ended it come first: what no server expects to serve. A request
    for which there was no connection any more did not end it.
    """
    silences = [(one, one.answer) for one in unanswered if isinstance(one.answer, NoAnswer)]
    reached = [one for one, silence in silences if silence.kind not in NOT_TRIED] or unanswered
    likely = sorted(reached, key=lambda one: is_ordinary(one.request.call) or not one.request.has_valid_key)
    asked = "; ".join(one.request.summary for one in likely[:_SUSPECTS])
    more = f"; and {len(likely) - _SUSPECTS} more at the same time" if len(likely) > _SUSPECTS else ""
    silence = f"{asked}{more} got no answer ({likely[0].answer}), nor did any other request{lasted}"
    return f"the target has stopped answering: {silence}"


def pause_before_probe(number: int, passed: float, patience: float) -> float:
    """Seconds before probe `number` (from 1 on), `passed` seconds after the first one: twice as long each time."""
    return max(0.0, min(_FIRST_PAUSE_S * 2.0 ** (number - 1), patience - passed))


def is_ordinary(call: Call) -> bool:
    """Whether any server should serve a call: with the valid key, what sections 4.1 to 4.4 describe."""
    return call.credential is Credential.VALID and (
        _is_new_pet(call.body)
        if call.operation is Operation.CREATE_PET
        else _is_number(call.pet_id or "0") and all(_is_ordinary_parameter(*one) for one in call.query)
    )


def _is_ordinary_parameter(name: str, value: str) -> bool:
    if name == "status":
        return value in STATUSES
    return name == "limit" and _is_number(value) and LIMIT_MIN <= int(value) <= LIMIT_MAX


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS


def _is_new_pet(body: bytes | None) -> bool:
    try:
        pet = json.loads(body or b"")
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(pet, dict)
        and pet.keys() <= set(NEW_PET_FIELDS)
        and isinstance(pet.get("name"), str)
        and type(pet.get("categoryId")) is int
        and ("status" not in pet or pet["status"] in STATUSES)
    )
