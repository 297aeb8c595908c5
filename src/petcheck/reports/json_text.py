"""Comparisons and histories as JSON for other programs: comparison.schema.json and history.schema.json describe them.

In a comparison, lists with one entry for each side follow the order of `sides`. An exchange is given by its index in
the exchanges.har of its side, or null if that side has no counterpart. In a history, runs are given by their index in
`runs`. Every text is sanitized and cut at 1,500 characters.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

from petcheck.comparison.compare import Comparison, Side
from petcheck.comparison.difference import Difference
from petcheck.comparison.history import Flip, History, PastRun, Track
from petcheck.reports import comparison_text, history_text
from petcheck.sanitize import printable_reason

FORMAT = 1

# members of the JSON objects, from attributes of the same name
_ENTRY = ("id", "section", "level", "statement")
_REQUIREMENT = (*_ENTRY, "outcomes", "reasons", "settled_by", "exchanges", "when")
_POINT = ("id", "section", "statement", "values", "exchanges")
_SUITE = ("interface", "openapi_sha256", "requirements_sha256")


def of_comparison(comparison: Comparison) -> str:
    """The JSON document of a comparison, in ASCII, without a line feed at its end."""
    return _text(
        {
            "format": FORMAT,
            "equal": not comparison.different,
            "headline": comparison_text.headline(comparison),
            "suite": comparison.suite,
            "interface": comparison.interface,
            "sides": [_side(side) for side in comparison.sides],
            "left_out": [{"target": one.label, "why": one.why} for one in comparison.left_out],
            "circumstances": [{"name": name, "values": each} for name, each in comparison.circumstances.items()],
            "different": {
                "verdicts": _each(comparison.contradicted, _REQUIREMENT),
                "not_examined_everywhere": _each(comparison.one_sided, _REQUIREMENT),
                "open_points": _each(comparison.differing_points, _POINT),
                "behaviour": _behaviour(comparison.differences),
            },
            "equal_parts": {
                "verdicts": _each(comparison.agreed, _REQUIREMENT),
                "open_points": _each(comparison.agreed_points, _POINT),
                "behaviour": comparison.alike,
            },
            "the_way_there": _behaviour(comparison.network_path),
            "open_points_not_observed_everywhere": _each(comparison.one_sided_points, _POINT),
        }
    )


def of_history(history: History) -> str:
    """The JSON document of a history, in ASCII, without a line feed at its end."""
    return _text(
        {
            "format": FORMAT,
            "headline": history_text.headline(history),
            "runs": [_run(run) for run in history.runs],
            "targets": [
                {
                    "name": target.name,
                    "runs": target.tallies,
                    "steps": target.steps,
                    "requirements": [_requirement(track) for track in target.tracks],
                }
                for target in history.targets
            ],
        }
    )


def _side(side: Side) -> dict[str, Any]:
    return {
        **_members(side, ("label", "file")),
        "target": side.target.name,
        "base_url": side.target.base_url,
        "run": side.run.id,
        **_members(side.run, ("started", "as_of", "seed")),
        **_members(side.target, ("writes", "plan")),
        "verdicts": side.counts,
    }


def _behaviour(differences: Iterable[Difference]) -> list[dict[str, Any]]:
    return [
        {**_members(one, ("kind", "subject", "places", "values")), "exchanges": [one.shown_by]} for one in differences
    ]


def _run(run: PastRun) -> dict[str, Any]:
    silent = {name: target.info.unreachable for name, target in run.targets.items()}
    return {
        "file": run.file,
        "run": run.info.id,
        "started": run.info.started,
        "complete": run.complete,
        **_members(run.info, ("exit", "as_of", "seed")),
        "suite": f"{run.suite.name} {run.suite.version}",
        **_members(run.suite, _SUITE),
        "unreachable": [{"target": name, "why": why} for name, why in silent.items() if why is not None],
    }


def _requirement(track: Track) -> dict[str, Any]:
    return {
        **_members(track.entry, _ENTRY),
        **_members(track, ("outcomes", "state", "since", "reason")),
        "flips": [_flip(flip) for flip in track.flips],
        "unexplained_flips": track.unexplained,
    }


def _flip(flip: Flip) -> dict[str, Any]:
    return {
        "to": "pass" if flip.fixed else "fail",
        **_members(flip, ("before", "after", "changes", "reason", "by_chance")),
    }


def _each(entries: Iterable[object], names: Iterable[str]) -> list[dict[str, Any]]:
    return [_members(entry, names) for entry in entries]


def _members(value: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def _text(document: dict[str, Any]) -> str:
    return json.dumps(_sanitized(document), indent=1)


def _sanitized(value: Any) -> Any:
    """`value` as JSON: dataclasses become objects."""
    if isinstance(value, str):
        return printable_reason(value)
    if isinstance(value, list | tuple):
        return list(map(_sanitized, value))
    if is_dataclass(value):
        return {field.name: _sanitized(getattr(value, field.name)) for field in fields(value)}
    return {key: _sanitized(item) for key, item in value.items()} if isinstance(value, dict) else value
