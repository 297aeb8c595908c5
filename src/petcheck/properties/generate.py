"""The cases that schemathesis generates from openapi.yaml without a target: coverage cases and random ones.

Nothing is sent or shrunk here: a strategy generates, and the cases are collected. The same seed gives the same cases.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from petcheck.call import Call
from petcheck.properties.hypothesis_setup import set_up_hypothesis
from petcheck.properties.pool import Mode, segment_call
from petcheck.spec.files import suite_file
from petcheck.spec.operations import Operation

if TYPE_CHECKING:
    from schemathesis import Case
    from schemathesis.schemas import APIOperation

_BATCH = 60
# these cases test a header that the document leaves open
_OPEN_SCENARIOS = frozenset({"malformed_content_type", "unsupported_content_type"})
_CONFIG: Mapping[str, Any] = {
    "generation": {"with-security-parameters": False, "allow-x00": False},
    "phases": {"coverage": {"unexpected-methods": [], "generate-duplicate-query-parameters": False}},
}


class Generated:
    """Cases that schemathesis generates while a run goes on."""

    def coverage(self, operation: Operation, mode: Mode) -> Iterator[Call]:
        """The coverage cases of an operation, each about one thing; always the same ones."""
        return iter(_coverage(operation, mode))

    def random(self, operation: Operation, mode: Mode, seed: int) -> Iterator[Call]:
        """Cases from the strategies of schemathesis; endless unless an operation has nothing to vary."""
        batch = 0
        while drawn := _random(operation, mode, seed * 10_007 + batch):
            yield from drawn
            batch += 1


@cache
def _coverage(operation: Operation, mode: Mode) -> tuple[Call, ...]:
    from schemathesis import GenerationMode

    if mode == "negative":
        set_up_hypothesis()  # these need drawn values
        _draw_one_value_beyond_an_enum()
    api = described_by_schemathesis(operation)
    cases = api.schema.iter_coverage_cases(
        api,
        generation_modes=[GenerationMode(mode)],
        generation_config=api.schema.config.generation_for(operation=api),
    )
    calls = (_call(case, operation) for case in cases if _scenario(case) not in _OPEN_SCENARIOS)
    return tuple(call for call in calls if call is not None)


def _draw_one_value_beyond_an_enum() -> None:
    """Keep schemathesis from drawing hundreds of values to choose from, which takes a third of a second: without them
    it draws the same one.
    """
    from schemathesis.specs.openapi.coverage import _schema

    if hasattr(_schema, "_invalid_enum_candidates"):
        _schema._invalid_enum_candidates = lambda: ()  # type: ignore[assignment]


def described_by_schemathesis(operation: Operation) -> APIOperation[Any, Any, Any, Any]:
    """An operation as schemathesis reads it from openapi.yaml."""
    return _described()[operation]


@cache
def _described() -> dict[Operation, APIOperation[Any, Any, Any, Any]]:
    import schemathesis
    from schemathesis.config import SchemathesisConfig
    from schemathesis.core.result import Ok

    config = SchemathesisConfig.from_dict(dict(_CONFIG))
    schema = schemathesis.openapi.from_path(suite_file("openapi.yaml"), config=config)
    found = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    return {Operation(described.definition.raw["operationId"]): described for described in found}


def _random(operation: Operation, mode: Mode, seed: int) -> list[Call]:
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from hypothesis.errors import Unsatisfiable
    from schemathesis import GenerationMode

    set_up_hypothesis()
    drawn: list[Call] = []
    strategy = described_by_schemathesis(operation).as_strategy(generation_mode=GenerationMode(mode))

    @seeded(seed)
    @settings(
        max_examples=_BATCH,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def collect(case: Case[Any]) -> None:
        call = _call(case, operation)
        if call is not None and call not in drawn:
            drawn.append(call)

    try:
        collect()
    except Unsatisfiable:
        return []
    return drawn


def _scenario(case: Case[Any]) -> str:
    data: Any = case.meta.phase.data if case.meta else None
    return str(getattr(getattr(data, "scenario", None), "value", getattr(data, "scenario", "")))


def _call(case: Case[Any], operation: Operation) -> Call | None:
    """The case as a call; None if it cannot be sent as one of the four operations."""
    try:
        match operation:
            case Operation.GET_PET:
                segment = case.path_parameters["petId"]
                return segment_call(unquote(segment) if isinstance(segment, str) else _text(segment))
            case Operation.CREATE_PET:
                return Call(operation, body=_body(case.body))
            case _:
                return Call(operation, query=tuple(_pairs(case.query)))
    except (ValueError, UnicodeEncodeError):
        return None


def _pairs(query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in query.items():
        for each in value if isinstance(value, list) else [value]:
            pair = name, _text(each)
            "".join(pair).encode()
            yield pair


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _body(body: Any) -> bytes | None:
    """A body as bytes. Whole numbers have no fraction, since it is open whether `1.0` is an integer."""
    if isinstance(body, bytes):
        return body
    if type(body).__name__ == "NotSet":
        return None
    return json.dumps(_whole(body), ensure_ascii=False).encode()


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(Decimal(value))
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value
