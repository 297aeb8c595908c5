"""result.json: the findings of a run about its targets, as values and as a file. Every other output is a view of it.

A `Result` is written at the end of a run and validated against `result.schema.json` beside this module. Reading it
back gives an equal value, or raises `NotAResult` with one line that says what is wrong with the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from petcheck.errors import NotAResult
from petcheck.results import atomic_write
from petcheck.results.sanitize import printable
from petcheck.results.valid import expect_valid
from petcheck.spec.outcomes import Outcome

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"

JudgedLevel = Literal["stated", "implied"]

FORMAT = 1
FILE = "result.json"


@dataclass(frozen=True, slots=True)
class SuiteInfo:
    """The suite that ran: its version, the version of the interface that it judges, and digests of its two sources."""

    name: str
    version: str
    interface: str
    openapi_sha256: str
    requirements_sha256: str


@dataclass(frozen=True, slots=True)
class AgreedWaiver:
    """A waiver that the run was given, whether it applied or not; `expires` is its last day (YYYY-MM-DD)."""

    requirement: str
    target: str
    reason: str
    expires: str


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What steers a run beside its targets, wherever it was set: with it a recording is judged as the run was.

    `max_wait` is in seconds; `examples` is None where the run decided how many; `seed_given` says whether `--seed`
    was given. `choice` are the ids to judge, None for all. `populate` is the number of animals to create up to,
    None for none. `traffic` is true where nothing was sent: it flowed anyway, and was recorded by another program.
    """

    max_requests: int
    max_wait: float
    examples: int | None
    seed_given: bool
    strict: bool
    traffic: bool = False
    choice: tuple[str, ...] | None = None
    populate: int | None = None
    waivers: tuple[AgreedWaiver, ...] = ()


@dataclass(frozen=True, slots=True)
class ShardInfo:
    """The part of a list of targets that a run judged: `number` (from 1) of `of`.

    `targets` counts the whole list, and `list_sha256` is its digest: shards of the same list have the same.
    """

    number: int
    of: int
    targets: int
    list_sha256: str

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


@dataclass(frozen=True, slots=True)
class JoinedRun:
    """A run that was merged into another result. `shard` is None if it was not a shard."""

    id: str
    seed: int
    started: str
    finished: str
    shard: ShardInfo | None = None


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run. `started` and `finished` are UTC in ISO 8601; `as_of` is the day to judge by (YYYY-MM-DD).

    `exit` is the exit code of the command; `options` are the options as given, never the key.
    `settings` are None in a result of an older version. `shard` is None if the run judged its whole list of targets.
    `joined` are the runs that the result was merged from; `id` and `seed` are then those of the first.
    """

    id: str
    started: str
    finished: str
    as_of: str
    seed: int
    exit: int
    options: Mapping[str, JsonValue]
    settings: RunSettings | None = None
    shard: ShardInfo | None = None
    joined: tuple[JoinedRun, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestCount:
    """Requests sent to a target: in total, by method, and by the section of the check that sent them.

    `examples` of them were property examples, which belong to no section. `kept` are in the report: of a long run it
    shows a sample of the passing examples. `repeats` were sent in addition to the planned ones, by cause in words.
    `lost` met a connection that the server had closed, and were sent again. `forgiven` counts each 502, 503 and 504
    that was gone on the second try.
    """

    total: int
    get: int
    post: int
    by_section: Mapping[str, int]
    examples: int = 0
    kept: int = 0
    repeats: Mapping[str, int] = field(default_factory=dict)
    lost: int = 0
    forgiven: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Created:
    """An animal that the run left behind. `id` is None if the POST got no answer: the animal may or may not exist."""

    id: int | None
    name: str


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """A target and what the run sent to it and created there.

    `key` is "sha256:" and eight digits of the key's digest. `exhaust` allowed to use up the quota, and `category_id` is
    the category that was given. `waited_s` is the seconds waited for its rate limit,
    `rate_limited` counts its 429s. `unreachable` says in one line why it could not be tested, or is None.
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
    exhaust: bool = False
    category_id: int | None = None


@dataclass(frozen=True, slots=True)
class AppliedWaiver:
    """The waiver of a row: why the failure is accepted, and the last day (YYYY-MM-DD) of the waiver."""

    reason: str
    expires: str


@dataclass(frozen=True, slots=True)
class Example:
    """A property example by its exchanges: the simplest form that fails in the same way, and the form found first."""

    simplest: int
    found: int


@dataclass(frozen=True, slots=True)
class RequirementRow:
    """The verdict on one requirement of the catalogue for one target.

    `exchanges` are all that were examined and `decisive` those that decide, the most revealing first, by index within
    the target. `parts` has the deciding part of each of `decisive`: `status`, `header:Name`, `body`, or `body:` and a
    JSON pointer; empty if it is the whole exchange. `expected` are the statuses that conform, in words, if a wrong
    status decides, and empty if not. `in_force` is false if no check can observe the requirement, or if it is not in
    force on the day to judge by; --strict ignores it then. `settled_by` is the option to judge a row that is open.
    `example` is set if a simplified property example decides. A `waiver` on a row that is not "waived" is stale (pass)
    or expired (fail).
    """

    id: str
    section: str
    level: JudgedLevel
    statement: str
    target: str
    outcome: Outcome
    reason: str
    checks: tuple[str, ...]
    exchanges: tuple[int, ...]
    decisive: tuple[int, ...] = ()
    in_force: bool = True
    also: tuple[str, ...] = ()
    waiver: AppliedWaiver | None = None
    settled_by: str | None = None
    parts: tuple[str, ...] = ()
    example: Example | None = None
    expected: str = ""

    @property
    def decisive_by_weight(self) -> tuple[int, ...]:
        """The exchanges that decide: the simplest form of an example first, then its form as found, then the others."""
        first = (self.example.simplest, self.example.found) if self.example else ()
        return tuple(dict.fromkeys((*first, *self.decisive)))

    def part(self, index: int) -> str:
        """The deciding part of a decisive exchange; empty if it is the whole exchange or unknown."""
        return dict(zip(self.decisive, self.parts, strict=False)).get(index, "")


@dataclass(frozen=True, slots=True)
class CheckRow:
    """The outcome of one check (a test by its id) for one target; `duration_s` in seconds."""

    id: str
    requirements: tuple[str, ...]
    section: str
    target: str
    outcome: Outcome
    reason: str
    duration_s: float
    exchanges: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ObservedAnswer:
    """One answer at an open point: its `status`, None without an answer, and the number of `animals` if it is a page.

    `asked` distinguishes several requests at one point. `detail` is the kind of the body, or why there was no answer.
    """

    status: int | None
    animals: int | None = None
    asked: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a target does where the document is silent: `statement` is the question, `value` the answer in words.

    `seen` is false if the run saw nothing that answers the question; `value` then says why. `answers` hold the same as
    data if `value` is about whole answers, so that programs do not have to parse the words.
    """

    id: str
    section: str
    target: str
    value: str
    statement: str
    exchanges: tuple[int, ...] = ()
    seen: bool = True
    answers: tuple[ObservedAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class UntestablePoint:
    """An open point that no check can observe; `untestable` says why."""

    id: str
    section: str
    statement: str
    untestable: str


@dataclass(frozen=True, slots=True)
class Result:
    """A run. `complete` is false if it was interrupted: the result holds what was judged before."""

    complete: bool
    suite: SuiteInfo
    run: RunInfo
    targets: tuple[TargetInfo, ...]
    requirements: tuple[RequirementRow, ...]
    checks: tuple[CheckRow, ...]
    observations: tuple[Observation, ...]
    untestable: tuple[UntestablePoint, ...]
    format: int = FORMAT

    def chose(self, row: RequirementRow) -> bool:
        """Whether the run was to judge that requirement."""
        settings = self.run.settings
        return settings is None or settings.choice is None or row.id in settings.choice

    def rows_of(self, target: str) -> list[RequirementRow]:
        """The rows of that target."""
        return [row for row in self.requirements if row.target == target]


def write(result: Result, folder: Path) -> Path:
    """Validate `result` and write it atomically as result.json into `folder`; returns the path.

    Raises NotAResult if the value breaks the schema, OSError if the folder cannot be written.
    """
    document = to_json(result)
    validate(document)
    path = folder / FILE
    atomic_write.write(path, _text_of(document))
    return path


def text_of(result: Result) -> str:
    """The text of result.json; nothing is validated."""
    return _text_of(to_json(result))


def _text_of(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def load(path: Path) -> Result:
    """The result in the file `path`. Raises NotAResult; its message begins with the path."""
    try:
        document = json.loads(path.read_bytes(), parse_constant=_no_constant)
    except OSError as error:
        raise NotAResult(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise NotAResult(f"{path} is not complete JSON, so no result of petcheck: {printable(str(error))}") from None
    try:
        return from_json(document)
    except NotAResult as error:
        raise NotAResult(f"{path} {error}") from None


def to_json(result: Result) -> dict[str, Any]:
    """`result` as the JSON object of result.json; nothing is validated."""
    return {"format": result.format, **_plain(result)}


def from_json(document: Any) -> Result:
    """The result that `document`, parsed JSON, describes. Raises NotAResult with what is wrong and where."""
    if isinstance(document, dict) and document.get("format", FORMAT) != FORMAT:
        raise NotAResult(f"has format {printable(str(document['format']), 20)}; this version reads format {FORMAT}")
    validate(document)
    return Result(
        complete=document["complete"],
        suite=SuiteInfo(**document["suite"]),
        run=_run(**document["run"]),
        targets=tuple(_target(**target) for target in document["targets"]),
        requirements=tuple(_requirement(**row) for row in document["requirements"]),
        checks=tuple(CheckRow(**_tuples(row)) for row in document["checks"]),
        observations=tuple(_observation(**row) for row in document["observations"]),
        untestable=tuple(UntestablePoint(**row) for row in document["untestable"]),
    )


_ROWS = ("requirements", "checks", "observations", "untestable")


def head_of(result: Result) -> dict[str, Any]:
    """What a recording says of its run: `result` as a JSON object without what the run found out."""
    bare = replace(result, requirements=(), checks=(), observations=(), untestable=())
    return {name: value for name, value in to_json(bare).items() if name not in _ROWS}


def from_head(head: Any) -> Result:
    """The result without any rows that `head`, parsed JSON, describes. Raises NotAResult."""
    return from_json({**head, **{name: [] for name in _ROWS}} if isinstance(head, dict) else head)


_FIGURES = ("by_section", "examples", "kept", "repeats", "lost", "forgiven")


def _plain(value: Any) -> Any:
    if isinstance(value, RequestCount):
        figures = {name: _plain(getattr(value, name)) for name in _FIGURES}
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


def _run(
    *,
    settings: dict[str, Any] | None = None,
    shard: dict[str, Any] | None = None,
    joined: Iterable[dict[str, Any]] = (),
    **rest: Any,
) -> RunInfo:
    return RunInfo(
        settings=None if settings is None else _settings(**settings),
        shard=_shard(shard),
        joined=tuple(JoinedRun(**run | {"shard": _shard(run.get("shard"))}) for run in joined),
        **rest,
    )


def _settings(*, waivers: list[dict[str, Any]], **rest: Any) -> RunSettings:
    return RunSettings(waivers=tuple(AgreedWaiver(**waiver) for waiver in waivers), **_tuples(rest))


def _shard(shard: dict[str, Any] | None) -> ShardInfo | None:
    return None if shard is None else ShardInfo(**shard)


def _target(*, requests: dict[str, Any], created: list[dict[str, Any]], **rest: Any) -> TargetInfo:
    figures = {name: requests[name] for name in _FIGURES if name in requests}
    count = RequestCount(requests["total"], requests["GET"], requests["POST"], **figures)
    return TargetInfo(requests=count, created=tuple(Created(**animal) for animal in created), **rest)


def _requirement(
    *, waiver: dict[str, str] | None, example: dict[str, int] | None = None, **rest: Any
) -> RequirementRow:
    return RequirementRow(
        waiver=AppliedWaiver(**waiver) if waiver else None,
        example=Example(**example) if example else None,
        **_tuples(rest),
    )


def _observation(*, answers: Iterable[dict[str, Any]] = (), **rest: Any) -> Observation:
    return Observation(answers=tuple(ObservedAnswer(**answer) for answer in answers), **_tuples(rest))


def validate(document: Any) -> None:
    """Raise NotAResult for the first breach of the schema in `document`, or the first row of an unknown target."""
    expect_valid(document)
    names = {target["name"] for target in document["targets"]}
    for kind in ("requirements", "checks", "observations"):
        for index, row in enumerate(document[kind]):
            if row["target"] not in names:
                name = printable(row["target"], 100)
                raise NotAResult(
                    f"is not a result of petcheck: {kind}[{index}].target: {name!r} is not one of the targets"
                )


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")
