"""A history as JSON for other programs; history.schema.json beside this module describes it.

Runs are given by their index in `runs`. Every text is sanitized and cut at 1,500 characters.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from petcheck.comparison.history import Change, Flip, History, TargetHistory, Track
from petcheck.comparison.past_run import PastRun
from petcheck.reports.history_words import headline
from petcheck.reports.json_texts import sanitized

FORMAT = 1


def json_text(history: History) -> str:
    """The JSON document, in ASCII, without a line feed at its end."""
    return json.dumps(to_json(history), indent=1)


def to_json(history: History) -> dict[str, Any]:
    """The history as a JSON object."""
    document: dict[str, Any] = sanitized(
        {
            "format": FORMAT,
            "headline": headline(history),
            "runs": [_run(run) for run in history.runs],
            "targets": [_target(target) for target in history.targets],
        }
    )
    return document


def _run(run: PastRun) -> dict[str, Any]:
    return {
        "file": run.file,
        "run": run.info.id,
        "started": run.info.started,
        "complete": run.complete,
        "exit": run.info.exit,
        "as_of": run.info.as_of,
        "seed": run.info.seed,
        "suite": f"{run.suite.name} {run.suite.version}",
        "interface": run.suite.interface,
        "openapi_sha256": run.suite.openapi_sha256,
        "requirements_sha256": run.suite.requirements_sha256,
        "unreachable": [
            {"target": name, "why": target.unreachable}
            for name, target in run.targets.items()
            if target.unreachable is not None
        ],
    }


def _target(target: TargetHistory) -> dict[str, Any]:
    return {
        "name": target.name,
        "runs": [
            {"run": one.run, "tested": one.tested, "fail": one.fail, "waived": one.waived} for one in target.tallies
        ],
        "steps": [
            {"before": step.before, "after": step.after, "changes": _changes(step.changes)} for step in target.steps
        ],
        "requirements": [_requirement(track) for track in target.tracks],
    }


def _requirement(track: Track) -> dict[str, Any]:
    return {
        "id": track.entry.id,
        "section": track.entry.section,
        "level": track.entry.level,
        "statement": track.entry.statement,
        "outcomes": track.outcomes,
        "state": track.state,
        "since": track.since,
        "reason": track.reason,
        "flips": [_flip(flip) for flip in track.flips],
        "unexplained_flips": track.unexplained,
    }


def _flip(flip: Flip) -> dict[str, Any]:
    return {
        "to": "pass" if flip.fixed else "fail",
        "before": flip.before,
        "after": flip.after,
        "changes": _changes(flip.changes),
        "reason": flip.reason,
    }


def _changes(changes: Sequence[Change]) -> list[dict[str, str]]:
    return [{"name": change.name, "before": change.before, "after": change.after} for change in changes]
