"""A comparison as JSON, for other programs; comparison.schema.json beside this module describes it.

Wherever something is given for each side, it stands in the order of `sides`. Exchanges are told by their index in the
exchanges.har of that side, null where it has none that answers to the others. Every text is visible text, cut at 1,500
characters.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from petcheck.reports.comparison import Comparison, Requirement, Side
from petcheck.reports.comparison_words import headline
from petcheck.reports.divergence import Divergence
from petcheck.reports.openpoints import OpenPoint
from petcheck.reports.visible import REASON_LIMIT, visible

FORMAT = 1


def text(comparison: Comparison) -> str:
    """The JSON document, in ASCII, without a line feed at its end."""
    return json.dumps(to_json(comparison), indent=1)


def to_json(comparison: Comparison) -> dict[str, Any]:
    """The comparison as a JSON object."""
    shown: dict[str, Any] = _visible(_plain(comparison))
    return shown


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value, REASON_LIMIT, whole_in="result.json")
    if isinstance(value, list):
        return [_visible(item) for item in value]
    if isinstance(value, dict):
        return {key: _visible(item) for key, item in value.items()}
    return value


def _plain(comparison: Comparison) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "equal": not comparison.different,
        "headline": headline(comparison),
        "suite": comparison.suite,
        "interface": comparison.interface,
        "sides": [_side(side) for side in comparison.sides],
        "left_out": [{"target": one.name, "why": one.why} for one in comparison.left_out],
        "circumstances": [{"name": one.name, "values": list(one.values)} for one in comparison.circumstances],
        "different": {
            "verdicts": _requirements(comparison.contradicted),
            "not_examined_everywhere": _requirements(comparison.one_sided),
            "open_points": _points(comparison.diverging),
            "behaviour": [_divergence(one) for one in comparison.divergences],
        },
        "equal_parts": {
            "verdicts": _requirements(comparison.agreed),
            "open_points": _points(comparison.agreed_points),
            "behaviour": dict(comparison.alike),
        },
        "open_points_not_observed_everywhere": _points(comparison.points_one_sided),
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "label": side.label,
        "file": side.file,
        "target": side.target.name,
        "base_url": side.target.base_url,
        "run": side.run.id,
        "started": side.run.started,
        "as_of": side.run.as_of,
        "seed": side.run.seed,
        "writes": side.target.writes,
        "plan": side.target.plan,
        "verdicts": dict(side.counts),
    }


def _requirements(entries: Sequence[Requirement]) -> list[dict[str, Any]]:
    return [
        {
            "id": entry.id,
            "section": entry.section,
            "level": entry.level,
            "statement": entry.statement,
            "outcomes": list(entry.outcomes),
            "reasons": list(entry.reasons),
            "settled_by": list(entry.settled_by),
            "exchanges": [list(pair) for pair in entry.pairs],
        }
        for entry in entries
    ]


def _points(entries: Sequence[OpenPoint]) -> list[dict[str, Any]]:
    return [
        {
            "id": entry.id,
            "section": entry.section,
            "statement": entry.statement,
            "values": list(entry.values),
            "exchanges": [list(pair) for pair in entry.pairs],
        }
        for entry in entries
    ]


def _divergence(entry: Divergence) -> dict[str, Any]:
    return {
        "kind": entry.kind,
        "subject": entry.subject,
        "places": list(entry.places),
        "values": list(entry.values),
        "exchanges": [list(entry.shown_by)],
    }
