"""A history as JSON for other programs; history.schema.json beside this module describes it.

Runs are given by their index in `runs`. Every text is sanitized and cut at 1,500 characters.
"""

from __future__ import annotations

import json
from typing import Any

from petcheck.comparison.history import Flip, History, TargetHistory, Track
from petcheck.comparison.past_run import PastRun
from petcheck.reports.history_words import headline
from petcheck.reports.json_texts import sanitized

FORMAT = 1


def json_text(history: History) -> str:
    """The JSON document, in ASCII, without a line feed at its end."""
    document = {
        "format": FORMAT,
        "headline": headline(history),
        "runs": [_run(run) for run in history.runs],
        "targets": [_target(target) for target in history.targets],
    }
    return json.dumps(sanitized(document), indent=1)


def _run(run: PastRun) -> dict[str, Any]:
    silent = {name: target.info.unreachable for name, target in run.targets.items()}
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
        "unreachable": [{"target": name, "why": why} for name, why in silent.items() if why is not None],
    }


def _target(target: TargetHistory) -> dict[str, Any]:
    requirements = [_requirement(track) for track in target.tracks]
    return {"name": target.name, "runs": target.tallies, "steps": target.steps, "requirements": requirements}


def _requirement(track: Track) -> dict[str, Any]:
    names = ("outcomes", "state", "since", "reason")
    return {
        **{name: getattr(track.entry, name) for name in ("id", "section", "level", "statement")},
        **{name: getattr(track, name) for name in names},
        "flips": [_flip(flip) for flip in track.flips],
        "unexplained_flips": track.unexplained,
    }


def _flip(flip: Flip) -> dict[str, Any]:
    names = ("before", "after", "changes", "reason")
    return {"to": "pass" if flip.fixed else "fail", **{name: getattr(flip, name) for name in names}}
