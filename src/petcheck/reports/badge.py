"""badge.svg and badge.json: the verdict of a run in a few words, for a README.

badge.json has the format of a shields.io endpoint. With several targets, the badge names the worst.
"""

from __future__ import annotations

import json
from xml.sax.saxutils import escape

from petcheck.results import fleet, totals
from petcheck.results.findings import TargetInfo
from petcheck.results.result import Result
from petcheck.sanitize import printable
from petcheck.spec.outcomes import Outcome
from petcheck.words import plural

SVG_FILE = "badge.svg"
JSON_FILE = "badge.json"

_LABEL = "pet store conformance"
# white text on each of them has a contrast of more than 4.5 to 1
_COLOURS: dict[Outcome, str] = {
    "pass": "#17683a",
    "fail": "#b0231b",
    "error": "#8f1d63",
    "inconclusive": "#7b5000",
    "not-run": "#535b64",
    "waived": "#59409b",
}
_LABEL_COLOUR = "#33383e"
_NAME_LIMIT = 30
# the approximate width of a character at font size 11; `textLength` makes the text exactly that wide in any font
_NARROW, _WIDE, _OTHERS = 4.0, 9.5, 6.7
_PADDING = 8


def svg(result: Result) -> str:
    """The badge as a self-contained SVG image: no font, no script, nothing to fetch."""
    message, outcome = _message(result)
    widths = [_width(text) for text in (_LABEL, message)]
    left, right = (width + 2 * _PADDING for width in widths)
    whole = escape(f"{_LABEL}: {message}", {'"': "&quot;"})
    texts = "".join(
        f'<text x="{x}" y="14" textLength="{width}">{escape(text)}</text>'
        for x, width, text in ((_PADDING, widths[0], _LABEL), (left + _PADDING, widths[1], message))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{whole}">\n'
        f"<title>{whole}</title>\n"
        f'<rect width="{left + right}" height="20" rx="3" fill="{_LABEL_COLOUR}"/>\n'
        f'<path d="M{left} 0h{right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{left}z" fill="{_COLOURS[outcome]}"/>\n'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" aria-hidden="true">{texts}</g>\n'
        "</svg>\n"
    )


def endpoint(result: Result) -> str:
    """The badge as the JSON object of a shields.io endpoint, schema version 1."""
    message, outcome = _message(result)
    colour = _COLOURS[outcome].removeprefix("#")
    return json.dumps({"schemaVersion": 1, "label": _LABEL, "message": message, "color": colour}) + "\n"


def _width(text: str) -> int:
    return round(sum(_NARROW if sign in "fijlt.,:;|!'() " else _WIDE if sign in "mwMW" else _OTHERS for sign in text))


def _message(result: Result) -> tuple[str, Outcome]:
    """The message about the worst target, and the outcome that sets its colour."""
    if not result.targets:
        return "nothing tested", "not-run"
    words, outcome = _fleet_message(result) if fleet.is_fleet(result) else _worst_message(result)
    if outcome != "fail" and totals.waiver_faults(result):
        return "a waiver is stale or expired", "fail"
    if outcome != "fail" and not result.complete:
        return "incomplete" if fleet.in_parts(result) else "interrupted", "not-run"
    return words, outcome


def _fleet_message(joined: Result) -> tuple[str, Outcome]:
    members = fleet.members(joined)
    outcomes = [member.outcome for member in members]
    whole, held, failing = len(outcomes), outcomes.count("pass") + outcomes.count("waived"), outcomes.count("fail")
    if failing:
        return f"{failing:,} of {whole:,} targets fail", "fail"
    shown = min((member.shown for member in members), key=fleet.WORST_FIRST.index)
    if held == whole and shown == "inconclusive":
        return f"no failure on {plural(whole, 'target')}", shown
    return f"all {plural(whole, 'target')} hold" if held == whole else f"{held:,} of {whole:,} targets hold", shown


def _worst_message(result: Result) -> tuple[str, Outcome]:
    judged = [(target, *_target_message(target, result)) for target in result.targets]
    target, words, outcome = min(judged, key=lambda one: fleet.WORST_FIRST.index(one[2]))
    name = f"{printable(target.name, _NAME_LIMIT)}: " if len(result.targets) > 1 else ""
    return name + words, outcome


def _target_message(target: TargetInfo, result: Result) -> tuple[str, Outcome]:
    rows = [row for row in result.rows_of(target.name) if row.in_force]
    found, outcome = totals.tally(rows), totals.target_outcome(target, result)
    if outcome == "fail":
        return f"{found['fail']} of {len(rows)} fail", outcome
    if outcome == "error":
        return "could not be tested" if target.unreachable is not None else "no verdict", outcome
    if outcome == "waived":
        examined = found["pass"] + found["waived"]
        some = f"{examined} of {len(rows)} examined, {found['waived']} waived"
        return f"{found['waived']} of {len(rows)} waived" if examined == len(rows) else some, outcome
    if not found["pass"]:
        return "nothing examined", "inconclusive"
    if outcome == "inconclusive":
        return f"{found['pass']} of {len(rows)} examined, none fails", outcome
    return f"all {len(rows)} hold", outcome
