"""report.html: the result as a document that a person reads, signs and sends on.

One file without script or any outside resource, forbidden both by its own Content-Security-Policy. Every string is
made visible and then escaped by the template engine's own hooks, so no place in a template can forget it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petcheck.reports import digest, marked, sections
from petcheck.reports.har import Evidence
from petcheck.reports.result import Observation, RequirementRow, Result
from petcheck.reports.shown import ShownExchanges
from petcheck.reports.visible import BODY_LIMIT, FIELD_LIMIT, REASON_LIMIT, visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

FILE = "report.html"

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class _Requirement:
    """One requirement and its row for each target, in the order of the targets; None where a target has none."""

    id: str
    section: str
    level: str
    statement: str
    also: tuple[str, ...]
    rows: tuple[RequirementRow | None, ...]

    @property
    def outcomes(self) -> str:
        return " ".join(sorted({row.outcome for row in self.rows if row is not None}))


@dataclass(frozen=True, slots=True)
class _OpenPoint:
    """One open point and what each target does there."""

    id: str
    section: str
    statement: str
    rows: tuple[Observation | None, ...]


def render(result: Result, evidence: Sequence[Evidence]) -> str:
    """The whole page. `evidence` are the exchanges of exchanges.har, in any order."""
    environment = _environment()
    groups = _groups(result)
    style = (_TEMPLATES / "report.css").read_text("utf-8") + _filters(groups)
    page = environment.get_template("report.html.jinja").render(
        result=result,
        style=_markup(style),
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        digest=digest,
        title=sections.title,
        groups=groups,
        points=_points(result),
        found={target.name: digest.counts(_rows(result, target.name)) for target in result.targets},
        total=digest.counts(result.requirements),
        exchanges=ShownExchanges(result, evidence, _exchange_markup(environment)),
    )
    return page.strip() + "\n"


def _groups(result: Result) -> dict[str, list[_Requirement]]:
    """The requirements by section, one for each id with the rows of all targets."""
    groups: dict[str, list[_Requirement]] = {}
    for section, rows in digest.by_section(result.requirements).items():
        of_id: dict[str, dict[str, RequirementRow]] = {}
        for row in rows:
            of_id.setdefault(row.id, {})[row.target] = row
        for by_target in of_id.values():
            row = next(iter(by_target.values()))
            columns = tuple(by_target.get(target.name) for target in result.targets)
            groups.setdefault(section, []).append(
                _Requirement(row.id, row.section, row.level, row.statement, row.also, columns)
            )
    return groups


def _filters(groups: Mapping[str, Sequence[_Requirement]]) -> str:
    """The rules that make the two rows of choices filter: by verdict, by section, and a word where nothing is left."""
    rules, nothing = [], []
    for section, entries in groups.items():
        slug = _slug(section)
        rules.append(f':root:has(#s-{slug}:checked) .group:not([data-section="{slug}"]) {{ display: none; }}')
        found = {outcome for entry in entries for outcome in entry.outcomes.split()}
        nothing += [(outcome, slug) for outcome in digest.OUTCOMES if outcome not in found]
    for outcome in digest.OUTCOMES:
        rules.append(
            f':root:has(#v-{outcome}:checked) :is(.group, .requirement):not([data-outcomes~="{outcome}"]) '
            "{ display: none; }"
        )
    rules += [
        f":root:has(#v-{outcome}:checked):has(#s-{slug}:checked) .nothing {{ display: block; }}"
        for outcome, slug in nothing
    ]
    return "@media screen {\n" + "\n".join(rules) + "\n}\n"


def _points(result: Result) -> list[_OpenPoint]:
    """The observations in the document's order, one for each id with the values of all targets."""
    of_id: dict[str, dict[str, Observation]] = {}
    for observation in sorted(result.observations, key=lambda entry: sections.order(entry.section)):
        of_id.setdefault(observation.id, {})[observation.target] = observation
    points = []
    for by_target in of_id.values():
        first = next(iter(by_target.values()))
        columns = tuple(by_target.get(target.name) for target in result.targets)
        points.append(_OpenPoint(first.id, first.section, first.statement, columns))
    return points


def _rows(result: Result, target: str) -> list[RequirementRow]:
    return [row for row in result.requirements if row.target == target]


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "field": _field,
        "reason": _reason,
        "body": _body,
        "statement": _statement,
        "headers": _headers,
        "slug": _slug,
        "milliseconds": digest.milliseconds,
        "plural": digest.plural,
    }
    environment.globals |= {"limits": {"body": BODY_LIMIT, "field": FIELD_LIMIT}}
    return environment


def _exchange_markup(environment: Environment) -> Callable[[Evidence, str], Markup]:
    """What turns an exchange into markup, with the part of it that decides marked."""
    module: Any = environment.get_template("exchange.html.jinja").module
    macro: Callable[[Evidence, str], Markup] = module.exchange
    return macro


def _harmless(value: Any) -> Any:
    """What every expression of a template passes through: strings become visible, markup of ours stays."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible(value, len(value))
    return value


def _slug(section: str) -> str:
    """A section number fit for an identifier, in the page and in the style sheet."""
    return re.sub("[^0-9A-Za-z]+", "-", section)


def _markup(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)


def _escaped(text: str) -> Markup:
    from markupsafe import escape

    return escape(text)


def _field(text: str) -> str:
    return visible(text, FIELD_LIMIT, whole_in="result.json")


def _reason(text: str) -> str:
    return visible(text, REASON_LIMIT, whole_in="result.json")


def _body(body: bytes, part: str = "") -> Markup:
    return _pieces(marked.body(body, part))


def _headers(headers: Sequence[tuple[str, str]], part: str = "") -> Markup:
    return _pieces(marked.headers(headers, part))


def _pieces(pieces: Iterable[marked.Piece]) -> Markup:
    """The pieces one after the other, what decides as `mark`."""
    texts = (_markup(f"<mark>{_escaped(p.text)}</mark>") if p.decides else _escaped(p.text) for p in pieces)
    return _markup("").join(texts)


def _statement(text: str) -> Markup:
    """A sentence of the catalogue, whose backticks mark code."""
    parts = visible(text, REASON_LIMIT, whole_in="result.json").split("`")
    if len(parts) % 2 == 0:
        return _escaped("`".join(parts))
    code = (
        _markup(f"<code>{_escaped(part)}</code>") if index % 2 else _escaped(part) for index, part in enumerate(parts)
    )
    return _markup("").join(code)
