"""result.json: what a run found out about its targets, as values and as the file that every other output is a view of.

A `Result` is written once, at the end of a run, validated against `result.schema.json` beside this module. Reading
one back gives an equal value, or `NotAResult` with one line that says what is wrong with the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from petcheck.reports import atomic
from petcheck.reports.visible import visible

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"

Outcome = Literal["pass", "fail", "inconclusive", "not-run", "waived", "error"]

Level = Literal["stated", "implied"]

FORMAT = 1
FILE = "result.json"


class NotAResult(Exception):
    """A file or value that is no result of this format. The message is one line for the user."""


@dataclass(frozen=True, slots=True)
class SuiteInfo:
    """The suite that ran: its version, the interface version that it judges, and digests of its two sources."""

    name: str
    version: str
    interface: str
    openapi_sha256: str
    requirements_sha256: str


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run. `started` and `finished` are UTC in ISO 8601; `as_of` is the day (YYYY-MM-DD) judged for.

    `exit` is the exit code of the command; `options` are the options in force, the key never among them.
    """

    id: str
    started: str
    finished: str
    as_of: str
    seed: int
    exit: int
    options: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class RequestCount:
    """Requests sent to a target: all, by method, and by the section of the check that sent them.

    `examples` of them were property examples, which count for no section. `kept` are in exchanges.har: of a long run
    passing examples are sampled.
    """

    total: int
    get: int
    post: int
    by_section: Mapping[str, int]
    examples: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Created:
    """An animal that the run left behind. `id` is None where the POST got no answer, so that it may exist or not."""

    id: int | None
    name: str


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """A target and what the run cost it.

    `key` is "sha256:" and eight digits of the key's digest; `waited_s` are seconds spent waiting for its rate limit,
    `rate_limited` the 429s that came. `unreachable` says in one line why it could not be tested, or is None.
    """

    name: str
    base_url: str
    plan: str | None
    writes: bool
    key: str | None
    requests: RequestCount
    waited_s: float
    rate_limited: int
    created: tuple[Created, ...]
    unreachable: str | None = None


@dataclass(frozen=True, slots=True)
class Waiver:
    """Why a failure is accepted, and the last day (YYYY-MM-DD) on which it is."""

    reason: str
    expires: str


@dataclass(frozen=True, slots=True)
class Example:
    """A property example by its exchanges: the simplest that fails alike, and as it was found."""

    simplest: int
    found: int


@dataclass(frozen=True, slots=True)
class RequirementRow:
    """The verdict on one requirement of the catalogue for one target.

    `exchanges` are all that were examined and `decisive` those among them that decide, by index within the target.
    `parts` tells for each of `decisive` which part of it decides: `status`, `header:Name`, `body`, or `body:` and a
    JSON pointer; empty where the exchange does as a whole. `in_force` is false where no check can see the requirement
    or it is not in force on the day judged for; such a row never counts for --strict. `settled_by` is the option that
    would settle what is open. `example` is there where a property example decides that was made simpler. A `waiver` on
    a row that is not "waived" is a stale one (pass) or an expired one (fail).
    """

    id: str
    section: str
    level: Level
    statement: str
    target: str
    outcome: Outcome
    reason: str
    checks: tuple[str, ...]
    exchanges: tuple[int, ...]
    decisive: tuple[int, ...] = ()
    in_force: bool = True
    also: tuple[str, ...] = ()
    waiver: Waiver | None = None
    settled_by: str | None = None
    parts: tuple[str, ...] = ()
    example: Example | None = None

    @property
    def telling(self) -> tuple[int, ...]:
        """The exchanges that decide, those that tell most first: an example's simplest form, then as it was found."""
        first = (self.example.simplest, self.example.found) if self.example else ()
        return tuple(dict.fromkeys((*first, *self.decisive)))

    def part(self, index: int) -> str:
        """The part of a decisive exchange that decides; empty where that is the whole, or where nothing is said."""
        return dict(zip(self.decisive, self.parts, strict=False)).get(index, "")


@dataclass(frozen=True, slots=True)
class CheckRow:
    """What one check (a test by its id) came to for one target; `duration_s` in seconds."""

    id: str
    requirements: tuple[str, ...]
    section: str
    target: str
    outcome: Outcome
    reason: str
    duration_s: float
    exchanges: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Observation:
    """What a target does where the document leaves it open: `statement` asks, `value` answers."""

    id: str
    section: str
    target: str
    value: str
    statement: str
    exchanges: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """A point that the document leaves open and no check can look at; `untestable` says why."""

    id: str
    section: str
    statement: str
    untestable: str


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run. `complete` is false where it was interrupted: what it had judged until then is there."""

    complete: bool
    suite: SuiteInfo
    run: RunInfo
    targets: tuple[TargetInfo, ...]
    requirements: tuple[RequirementRow, ...]
    checks: tuple[CheckRow, ...]
    observations: tuple[Observation, ...]
    untestable: tuple[OpenPoint, ...]
    format: int = FORMAT


def write(result: Result, folder: Path) -> Path:
    """Write `result` as result.json into `folder`, validated and all at once; the path it went to.

    Raises NotAResult where the value breaks the schema, OSError where the folder cannot be written.
    """
    document = to_json(result)
    _validate(document)
    path = folder / FILE
    atomic.replace(path, json.dumps(document, indent=1, allow_nan=False) + "\n")
    return path


def load(path: Path) -> Result:
    """The result in the file `path`. Raises NotAResult, its message beginning with the path."""
    try:
        document = json.loads(path.read_bytes(), parse_constant=_no_constant)
    except OSError as error:
        raise NotAResult(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise NotAResult(f"{path} is not whole JSON, so no result of petcheck: {visible(str(error))}") from None
    try:
        return from_json(document)
    except NotAResult as error:
        raise NotAResult(f"{path} {error}") from None


def to_json(result: Result) -> dict[str, Any]:
    """`result` as the JSON object of result.json; nothing is validated."""
    return {
        "format": result.format,
        "complete": result.complete,
        "suite": _plain(result.suite),
        "run": _plain(result.run),
        "targets": [_plain(target) for target in result.targets],
        "requirements": [_plain(row) for row in result.requirements],
        "checks": [_plain(row) for row in result.checks],
        "observations": [_plain(row) for row in result.observations],
        "untestable": [_plain(row) for row in result.untestable],
    }


def from_json(document: Any) -> Result:
    """The result that `document`, parsed JSON, describes. Raises NotAResult with what is wrong and where."""
    if isinstance(document, dict) and document.get("format", FORMAT) != FORMAT:
        raise NotAResult(f"has format {visible(str(document['format']), 20)}; this version reads format {FORMAT}")
    _validate(document)
    return Result(
        complete=document["complete"],
        suite=SuiteInfo(**document["suite"]),
        run=RunInfo(**document["run"]),
        targets=tuple(_target(**target) for target in document["targets"]),
        requirements=tuple(_requirement(**row) for row in document["requirements"]),
        checks=tuple(CheckRow(**_tuples(row)) for row in document["checks"]),
        observations=tuple(Observation(**_tuples(row)) for row in document["observations"]),
        untestable=tuple(OpenPoint(**row) for row in document["untestable"]),
    )


def _plain(value: Any) -> Any:
    if isinstance(value, RequestCount):
        figures = {"by_section": dict(value.by_section), "examples": value.examples, "kept": value.kept}
        return {"total": value.total, "GET": value.get, "POST": value.post} | figures
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


def _target(*, requests: dict[str, Any], created: list[dict[str, Any]], **rest: Any) -> TargetInfo:
    figures = {name: requests[name] for name in ("by_section", "examples", "kept")}
    count = RequestCount(requests["total"], requests["GET"], requests["POST"], **figures)
    return TargetInfo(requests=count, created=tuple(Created(**animal) for animal in created), **rest)


def _requirement(
    *, waiver: dict[str, str] | None, example: dict[str, int] | None = None, **rest: Any
) -> RequirementRow:
    return RequirementRow(
        waiver=Waiver(**waiver) if waiver else None, example=Example(**example) if example else None, **_tuples(rest)
    )


def _validate(document: Any) -> None:
    """Raise NotAResult for the first thing in `document` that the schema forbids, or that no reader could resolve."""
    from jsonschema.exceptions import best_match

    error = best_match(_validator().iter_errors(document))
    if error is not None:
        place = error.json_path.removeprefix("$").removeprefix(".") or "the top level"
        raise NotAResult(f"is no result of petcheck: {visible(place, 100)}: {visible(error.message, 200)}")
    names = {target["name"] for target in document["targets"]}
    for kind in ("requirements", "checks", "observations"):
        for index, row in enumerate(document[kind]):
            if row["target"] not in names:
                name = visible(row["target"], 100)
                raise NotAResult(f"is no result of petcheck: {kind}[{index}].target: {name!r} is none of the targets")


@cache
def _validator() -> Any:
    from jsonschema import Draft202012Validator  # 80 ms, so only when a result is read or written

    schema = json.loads(Path(__file__).with_name("result.schema.json").read_text("utf-8"))
    return Draft202012Validator(_spelt_out(schema, schema.pop("$defs")))


def _spelt_out(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """`schema` with its definitions where they are referred to: looking them up row by row takes most of the time."""
    if isinstance(schema, list):
        return [_spelt_out(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    here = {word: _spelt_out(part, definitions) for word, part in schema.items() if word != "$ref"}
    if "$ref" not in schema:
        return here
    return _spelt_out(definitions[schema["$ref"].removeprefix("#/$defs/")], definitions) | here


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")
