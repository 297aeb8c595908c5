"""A comparison as JSON for other programs; comparison.schema.json beside this module describes it.

Lists with one entry for each side follow the order of `sides`. An exchange is given by its index in the exchanges.har
of its side, or null if that side has no counterpart. Every text is sanitized and cut at 1,500 characters.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from petcheck.comparison.compare import ComparedRequirement, Comparison, Side
from petcheck.comparison.difference import Difference
from petcheck.reports.comparison_words import headline
from petcheck.reports.json_texts import sanitized

FORMAT = 1

# members of the JSON objects, from fields of the same name
_REQUIREMENT = ("id", "section", "level", "statement", "outcomes", "reasons", "settled_by", "exchanges")
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
            "left_out": [{"target": one.name, "why": one.unreachable} for one in comparison.left_out],
            "circumstances": comparison.circumstances,
            "different": {
                "verdicts": _requirements(comparison.contradicted),
                "not_examined_everywhere": _requirements(comparison.one_sided),
                "open_points": comparison.differing_points,
                "behaviour": _behaviour(comparison.differences),
            },
            "equal_parts": {
                "verdicts": _requirements(comparison.agreed),
                "open_points": comparison.agreed_points,
                "behaviour": comparison.alike,
            },
            "the_way_there": _behaviour(comparison.network_path),
            "open_points_not_observed_everywhere": comparison.one_sided_points,
        }
    )
    return document


def _requirements(entries: Sequence[ComparedRequirement]) -> list[dict[str, Any]]:
    return [{name: getattr(entry, name) for name in _REQUIREMENT} for entry in entries]


def _behaviour(differences: Sequence[Difference]) -> list[dict[str, Any]]:
    return [{**{name: getattr(one, name) for name in _TRAIT}, "exchanges": [one.shown_by]} for one in differences]


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
        "verdicts": side.counts,
    }
