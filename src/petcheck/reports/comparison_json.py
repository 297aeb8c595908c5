"""A comparison as JSON for other programs; comparison.schema.json beside this module describes it.

Lists with one entry for each side follow the order of `sides`. An exchange is given by its index in the exchanges.har
of its side, or null if that side has no counterpart. Every text is sanitized and cut at 1,500 characters.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from petcheck.comparison.compare import Comparison, Side
from petcheck.comparison.difference import Difference
from petcheck.reports.comparison_words import headline
from petcheck.reports.json_texts import sanitized

FORMAT = 1

# members of the JSON objects, from fields of the same name
_REQUIREMENT = ("id", "section", "level", "statement", "outcomes", "reasons", "settled_by", "exchanges")
_POINT = ("id", "section", "statement", "values", "exchanges")
_TRAIT = ("kind", "subject", "places", "values")


def json_text(comparison: Comparison) -> str:
    """The JSON document, in ASCII, without a line feed at its end."""
    return json.dumps(to_json(comparison), indent=1)


def to_json(comparison: Comparison) -> dict[str, Any]:
    """The comparison as a JSON object."""
    document: dict[str, Any] = sanitized(
        {
            "format": FORMAT,
            "equal": not comparison.different,
            "headline": headline(comparison),
            "suite": comparison.suite,
            "interface": comparison.interface,
            "sides": [_side(side) for side in comparison.sides],
            "left_out": [{"target": one.name, "why": one.why} for one in comparison.left_out],
            "circumstances": [{"name": one.name, "values": one.values} for one in comparison.circumstances],
            "different": {
                "verdicts": _members(comparison.contradicted, _REQUIREMENT),
                "not_examined_everywhere": _members(comparison.one_sided, _REQUIREMENT),
                "open_points": _members(comparison.differing_points, _POINT),
                "behaviour": _behaviour(comparison.differences),
            },
            "equal_parts": {
                "verdicts": _members(comparison.agreed, _REQUIREMENT),
                "open_points": _members(comparison.agreed_points, _POINT),
                "behaviour": dict(comparison.alike),
            },
            "the_way_there": _behaviour(comparison.network_path),
            "open_points_not_observed_everywhere": _members(comparison.one_sided_points, _POINT),
        }
    )
    return document


def _members(entries: Sequence[object], names: Sequence[str]) -> list[dict[str, Any]]:
    return [{name: getattr(entry, name) for name in names} for entry in entries]


def _behaviour(differences: Sequence[Difference]) -> list[dict[str, Any]]:
    return [
        made | {"exchanges": [one.shown_by]}
        for one, made in zip(differences, _members(differences, _TRAIT), strict=True)
    ]


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
