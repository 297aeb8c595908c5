"""A fact of the document is written in `petcheck.spec` and, independently, in the reference server; nowhere else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

import petcheck
from petcheck.spec import figures
from petcheck.spec.operations import Operation
from petstore_reference import conforming, messages, quota, store
from petstore_reference.server import OPERATIONS

PACKAGE = Path(petcheck.__file__).parent

INT64 = (-figures.INT64_MIN, figures.INT64_MAX)
FIGURES_OF_PLANS = {n for plan in figures.PLANS.values() for n in (plan.per_minute, plan.per_day) if n is not None}
# a number up to a thousand may mean anything; a larger one, or two of them together, means the plans
LARGE = {number for number in FIGURES_OF_PLANS if number > 1_000}
HEADERS = (*figures.RATE_HEADERS, figures.RETRY_AFTER, figures.CONTENT_TYPE)
TEXTS = {
    **{name: rf"(?i)(?<![\w-]){name}(?![\w-])" for name in HEADERS},
    **{status: rf"(?i)\b{status}\b" for status in figures.STATUSES},
    **{path: re.escape(path) for path in ("/pets", "/store/orders")},
    figures.MEDIA_TYPE: re.escape(figures.MEDIA_TYPE),
    "limit=": r"\blimit=\d",
    "the removal day": rf"{figures.REMOVAL_DAY}|\b{figures.REMOVAL_DAY.day} {figures.REMOVAL_DAY:%b}",
    "int64": "|".join(str(number) for number in INT64),
}

ALLOWED = {
    ("json_values.py", "100000"),  # how much of a text is read
    ("json_values.py", "10000"),  # and how deep
}


def facts_in(source: str) -> Iterator[str]:
    """The facts of the document in the literals of a module; docstrings do not count."""
    tree = ast.parse(source)
    plain = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in plain:
            if isinstance(node.value, str):
                yield from (fact for fact, pattern in TEXTS.items() if re.search(pattern, node.value))
            elif node.value in LARGE:
                yield str(node.value)
            elif node.value in INT64:
                yield "int64"
        elif isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict | ast.Call):
            numbers = {part.value for part in ast.iter_child_nodes(node) if isinstance(part, ast.Constant)}
            if len({n for n in numbers if type(n) is int} & FIGURES_OF_PLANS) > 1:
                yield "figures of plans"
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if called.endswith("date") and figures.REMOVAL_DAY.year in numbers:
                yield "the removal day"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and ast.unparse(node) == "2 ** 63":
            yield "int64"


@pytest.mark.parametrize(
    ("source", "facts"),
    [
        ('x = response.header("retry-after")', ["Retry-After"]),
        ('x = f"{n} X-RateLimit-Limit is"', ["X-RateLimit-Limit"]),
        ('x = "a X-RateLimit-Limits"', []),
        ('x = ["SOLD", "unsold"]', ["sold"]),
        ('x = "GET /pets?limit=5"', ["/pets", "limit="]),
        ("x = -(2**63), 9223372036854775807", ["int64", "int64"]),
        ("x = datetime.date(2030, 12, 5)", ["the removal day"]),
        ('x = "2030-12-05"', ["the removal day"]),
        ("x = {'free': 60, 'pro': 300}", ["figures of plans"]),
        ("x = text[:60] + text[300:]", []),
        ("x = 10_000", ["10000"]),
        ('def f():\n    """GET /pets with Retry-After."""', []),
    ],
)
def test_a_fact_is_found(source: str, facts: list[str]) -> None:
    assert sorted(facts_in(source)) == sorted(facts)


def test_no_other_package_repeats_a_fact() -> None:
    found = {
        (path.relative_to(PACKAGE).as_posix(), fact)
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] != "spec"
        for fact in facts_in(path.read_text("utf-8"))
    }
    assert found >= ALLOWED
    assert sorted(found - ALLOWED) == []


# ---- the second reading


def test_the_reference_server_reads_the_same_figures() -> None:
    assert store.STATUSES == figures.STATUSES
    assert (conforming.INT64_MIN, conforming.INT64_MAX) == (figures.INT64_MIN, figures.INT64_MAX)
    assert (conforming.DEFAULT_LIMIT, conforming.MAX_LIMIT) == (figures.LIMIT_DEFAULT, figures.LIMIT_MAX)
    assert conforming.read_limit(None) == figures.LIMIT_DEFAULT
    for limit in (figures.LIMIT_MIN, figures.LIMIT_MAX):
        assert conforming.read_limit(str(limit)) == limit
    for limit in (figures.LIMIT_MIN - 1, figures.LIMIT_MAX + 1):
        with pytest.raises(messages.Refused):
            conforming.read_limit(str(limit))
    told = {name: plan for name, plan in figures.PLANS.items() if plan.per_minute is not None}
    assert {name: plan.per_minute for name, plan in told.items()} == quota.PER_MINUTE
    assert {name: plan.per_day for name, plan in told.items()} == quota.PER_DAY


def test_the_reference_server_reads_the_same_removal_day() -> None:
    assert date(2030, 12, 5) == conforming.GET_PET_REMOVED == figures.REMOVAL_DAY
    assert conforming.removed(figures.REMOVAL_DAY)
    assert not conforming.removed(figures.REMOVAL_DAY - timedelta(days=1))


def test_the_reference_server_reads_the_same_operations_and_headers() -> None:
    assert {(method, path) for path, by_method in OPERATIONS.items() for method in by_method} == {
        (operation.method, f"/{figures.BASE_SEGMENT}{operation.path}".replace("petId", "pet_id"))
        for operation in Operation
    }
    assert [operation.value for operation in messages.Operation] == [operation.value for operation in Operation]
    usage = quota.Usage(60, 0, 1.0, retry_after=1.0)
    call = None
    assert tuple(conforming.rate_headers(usage, call, 200)) == figures.RATE_HEADERS  # type: ignore[arg-type]
    assert [name for name, _ in conforming.exceeded(usage, call).headers] == [figures.RETRY_AFTER]  # type: ignore[arg-type]
