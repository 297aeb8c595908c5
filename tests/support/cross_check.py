"""The problems that schemathesis finds in an exchange, by those of its checks that the document supports.

It reads openapi.yaml with a validator of its own, so it tells where that file and our rules disagree. It sees JSON and
headers as the matchers read them, since how those may be written is open (a byte order mark, a leading zero, a
parameter of the type).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from petcheck.exchange import Exchange, Response
from petcheck.json_values import HugeNumber
from petcheck.judging import rate_headers
from petcheck.judging.apply import decide_each
from petcheck.judging.decision import Failed
from petcheck.judging.judgement import Grounds
from petcheck.judging.rules import RULES
from petcheck.judging.statuses import body_due, documented
from petcheck.properties.generate import described_by_schemathesis
from petcheck.spec.operations import Operation

if TYPE_CHECKING:
    from schemathesis import Case

_OF_FIELD = {
    "pet": {"id": "PET-1", "name": "PET-2", "categoryId": "PET-3", "status": "PET-4"},
    "pets": {"id": "PET-1", "name": "PET-2", "categoryId": "PET-3", "status": "PET-4"},
    "error": {"code": "ERROR-2", "message": "ERROR-3", "status": "ERROR-4"},
}
_OF_WHOLE = {"pet": "PET-1", "pets": "PETS-1", "error": "ERROR-1"}
_OF_HEADER = {"X-RateLimit-Limit": "RATE-1", "X-RateLimit-Remaining": "RATE-2", "X-RateLimit-Reset": "RATE-3"}


def overlooked(exchanges: Iterable[Exchange], grounds: Grounds) -> list[tuple[Exchange, set[str]]]:
    """The exchanges in which schemathesis finds something that the rules do not find, and what that is.

    The rules report nothing else about a body that is not JSON.
    """
    found = []
    for exchange in exchanges:
        theirs = set(schemathesis_problems(exchange, grounds))
        ours = broken(exchange, grounds) if theirs else set()
        if not (theirs <= ours or "SERVICE-1" in ours):
            found.append((exchange, theirs - ours))
    return found


def broken(exchange: Exchange, grounds: Grounds) -> set[str]:
    """The requirements that the rules find broken by one exchange."""
    return {rule.requirement for rule in RULES if isinstance(decide_each(rule, [exchange], grounds), Failed)}


def schemathesis_problems(exchange: Exchange, grounds: Grounds) -> dict[str, str]:
    """What is wrong with an exchange, by requirement."""
    answer = exchange.answer
    due = body_due(exchange, grounds.as_of)
    if not isinstance(answer, Response) or answer.status >= 500 or answer.status == 429:
        return {}
    if due is None or not documented(exchange, grounds.as_of):
        return {}
    shown = None if answer.parsed.unread else _shown(exchange, answer)
    if shown is None:
        return {}
    from schemathesis.openapi.checks import MissingContentType
    from schemathesis.specs.openapi import checks

    found: dict[str, str] = {}
    for failure in _failures(exchange.request.operation, shown, checks.response_schema_conformance):
        if isinstance(failure, MissingContentType):
            continue  # below
        path = [str(step) for step in getattr(failure, "instance_path", ())]
        named = next((_OF_FIELD[due][step] for step in reversed(path) if step in _OF_FIELD[due]), None)
        missing = next(
            (name for field, name in _OF_FIELD[due].items() if f'"{field}" is a required' in str(failure)), None
        )
        too_long = "LIST-5" if list(getattr(failure, "schema_path", ()))[-1:] == ["maxItems"] else None
        found.setdefault(named or missing or too_long or _OF_WHOLE[due], _said(failure))
    for failure in _failures(exchange.request.operation, shown, checks.content_type_conformance):
        found.setdefault("BODY-1", _said(failure))
    if any(_failures(exchange.request.operation, shown, checks.response_headers_conformance)):
        for header, requirement in _OF_HEADER.items():
            shown = _shown(exchange, answer, alone=header)
            for failure in _failures(exchange.request.operation, shown, checks.response_headers_conformance):
                found.setdefault(requirement, f"{header}: {_said(failure)}")
    return found


def _said(failure: BaseException) -> str:
    text = " ".join(str(failure).split())
    return f"it is not what openapi.yaml describes: {text[:200]}"


def _failures(operation: Operation, response: Any, check: Callable[..., Any]) -> Iterator[BaseException]:
    from schemathesis.core.failures import FailureGroup

    try:
        _case(operation).validate_response(response, checks=[check])
    except FailureGroup as group:
        yield from group.exceptions


@cache
def _case(operation: Operation) -> Case[Any]:
    path: dict[str, object] = {"petId": 1} if operation is Operation.GET_PET else {}
    return described_by_schemathesis(operation).Case(path_parameters=path)


def _shown(exchange: Exchange, answer: Response, *, alone: str | None = None) -> Any:
    """The response for schemathesis; None where it holds a number that is beyond reading.

    Of the rate limit headers, one that is to be looked at `alone` stands among faultless ones.
    """
    import requests
    from schemathesis import Response as Shown

    try:
        body = json.dumps(answer.parsed.value, default=_number).encode()
    except (TypeError, RecursionError):
        return None
    media = (answer.header("Content-Type") or "").partition(";")[0].partition(",")[0].strip().lower()
    headers = {"content-type": [media]} if media else {}
    for name in _OF_HEADER:
        value = rate_headers.header_of(exchange, name) if alone in (None, name) else "1"
        if value is not None:
            headers[name.lower()] = [value.lstrip("0") or "0" if value.isdecimal() else value]
    request = requests.Request(exchange.request.method, "http://example.invalid/").prepare()
    return Shown(answer.status, headers, body, request, elapsed=max(exchange.elapsed, 0.0), verify=True)


def _number(value: object) -> float:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, HugeNumber):
        raise TypeError
    raise TypeError(type(value).__name__)
