"""The options of a run: the one table of them, and the classes that give their values a type.

A row names an option once. From it come its flag for the command line and pytest, its key in petcheck.toml, its Python
argument, its member of a run's recorded settings, its line in every help, and the check of its value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from datetime import date
from enum import Flag, auto
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

from petcheck.config import reach, values
from petcheck.config.keys import KEY_VARIABLE
from petcheck.config.settings_file import CONFIG_FILE
from petcheck.config.targets import EVERY_TARGET, TargetConfig
from petcheck.config.urls import authority_url
from petcheck.spec.figures import PLANS
from petcheck.spec.outcomes import Waiver
from petcheck.stream.lines import CONNECTIONS, Head, Label, RunSettings, ShardInfo, Subject, TargetSettings
from petcheck.wire.tally import DEADLINE_S

# the groups of a run's options, as the help shows them
CHOSEN, ALLOWED, JUDGED, WRITTEN = "what to judge", "what it may do", "how to judge", "what to write"


@dataclass(frozen=True, slots=True)
class WaiverUpdate:
    """What `--update-waivers` writes: new waivers have this `reason` and last day, and are in the file `path`."""

    path: Path
    reason: str
    expires: date


@dataclass(frozen=True, slots=True)
class Config:
    """The configuration of a run. `targets` are complete, and at least one. Times are in seconds.

    `choice` are the entries of the catalogue that the run judges; None for all of them. `failed` chooses what
    failed in the last run. `populate` is the number of animals that a target which may be written to is to have;
    None if none are created for that. `given` are the options as given, by flag without dashes. `repeats` is true
    if the seed was given, as one does to repeat an earlier run. `waiver_update` is None in a run that leaves the
    waivers alone. `shard` is the part of the list of targets that `targets` are. `part` says that it is the run of
    one of the targets of a run in parts.
    """

    as_of: date
    seed: int
    targets: tuple[TargetConfig, ...]
    choice: frozenset[str] | None = None
    failed: bool = False
    populate: int | None = None
    max_requests: int = 1200
    max_wait: float = 120.0
    connections: int = CONNECTIONS
    examples: int | None = None
    repeats: bool = False
    strict: bool = False
    min_examined: str | None = None
    dry_run: bool = False
    reports: Path = Path("reports")
    sign_key: Path | None = None
    timestamp_url: str | None = None
    timeout: float = DEADLINE_S
    ca_bundle: str | None = None
    requirements_as_of: str | None = None
    traceparent: bool = False
    waivers: tuple[Waiver, ...] = ()
    waiver_update: WaiverUpdate | None = None
    labels: tuple[Label, ...] = ()
    subjects: tuple[Subject, ...] = ()
    given: Mapping[str, object] = field(default_factory=dict)
    shard: ShardInfo | None = None
    part: bool = False


class Options(TypedDict, total=False):
    """The options of a run in Python. Times are in seconds."""

    config: Path | str
    allow_writes: bool
    exhaust_rate_limit: bool
    populate: int
    max_requests: int
    max_wait: float
    connections: int
    timeout: float
    ca_bundle: Path | str
    client_cert: Path | str
    client_key: Path | str
    header: Sequence[str]
    proxy: str
    traceparent: bool
    insecure_http: bool
    plan: str
    as_of: date | str
    requirements_as_of: str
    category_id: int
    examples: int
    seed: int
    strict: bool
    min_examined: int | str
    label: Sequence[str]
    subject: Sequence[str]
    sign_key: Path | str
    timestamp_url: str


class Place(Flag):
    """Where an option may be given: always on the command line, and in these places too."""

    NOWHERE = 0
    DEFAULTS = auto()
    """In `[defaults]` of petcheck.toml."""
    TARGET = auto()
    """In `[targets.NAME]` of petcheck.toml."""
    PYTHON = auto()
    """As an argument of `petcheck.check` and `petcheck.requirement_tests`."""


_USUAL = Place.DEFAULTS | Place.PYTHON
_OF_TARGET = _USUAL | Place.TARGET


@dataclass(frozen=True, slots=True)
class Option:
    """One option: a row of the table.

    Args:
        flag: its name on the command line. All its other names are this one, with dashes or underscores.
        help: one line, wherever it is described; `{default}` is the default of its field.
        metavar: what its value is called; None for a switch.
        group: where the help lists it.
        read: checks a value from any place. It takes the value and what a message begins with, and returns what the
            field holds, or raises `BadValue`. None if the value can be read only together with other options.
        places: where it may be given beside the command line.
        field: the field of `Config`, `TargetConfig` or `Opening` that holds it, if that has another name.
        repeatable: whether it may be given several times.
        optional_value: whether its value may be left out, which means every target.
        reaches: whether it says where requests go, or how; `petcheck replay` has it too, since a recording may not.
        free_text: whether it is text of the operator's for readers of the reports; no part of a key may be in it.
    """

    flag: str
    help: str
    metavar: str | None = None
    group: str = CHOSEN
    read: values.Reader | None = values.switch
    places: Place = _USUAL
    field: str = ""
    repeatable: bool = False
    optional_value: bool = False
    reaches: bool = False
    free_text: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "field", self.field or self.argument)
        object.__setattr__(self, "help", self.help.format(default=self.default))

    @property
    def name(self) -> str:
        """Its key in petcheck.toml, and in what was given: the flag without its first dashes."""
        return self.flag[2:]

    @property
    def argument(self) -> str:
        """Its name in Python."""
        return self.name.replace("-", "_")

    @property
    def default(self) -> str:
        """The default of its field in words; empty if there is none, or if it is off."""
        value = next((each.default for each in fields(Config) if each.name == self.field), None)
        if value in (None, False, MISSING, ()):
            return ""
        if isinstance(value, Path):
            return f"{value}/"
        return value if isinstance(value, str) else f"{value:g}"

    @property
    def decides(self) -> bool:
        """Whether it has a part in the verdicts, so that a recording holds it."""
        return any(self.field == each.name for kind in (Head, RunSettings, TargetSettings) for each in fields(kind))

    @property
    def dest(self) -> str:
        """The attribute under which parsers store it."""
        return f"petcheck_{self.argument}"

    def settings(self) -> dict[str, Any]:
        """Keyword arguments for `add_argument` of argparse and `addoption` of pytest."""
        common: dict[str, Any] = {"dest": self.dest, "help": self.help, "default": None}
        if self.metavar is None:
            return common | {"action": "store_true"}
        if self.optional_value:
            return common | {"metavar": self.metavar, "nargs": "?", "const": EVERY_TARGET}
        return common | {"metavar": self.metavar, "action": "append" if self.repeatable else "store"}


_least = partial(partial, values.whole_number)
# given on the command line only
_AtStart = partial(Option, places=Place.NOWHERE)
OPTIONS = (
    _AtStart("--target", f"a server; its key is in {KEY_VARIABLE}[_NAME]", "[NAME=]URL", read=None, repeatable=True,
              reaches=True),
    _AtStart("--shard", "judge only part I of N of the targets", "I/N", read=None),
    _AtStart("--app", "an ASGI or WSGI application, served for the run", "MODULE:APP", reaches=True,
             read=partial(values.formed, form=r"[^\W\d][\w.]*:[^\W\d][\w.]*",
                          advice="write it as module:application, as in shop.main:app")),
    _AtStart("--self-test", "test petcheck itself, with its reference server"),
    _AtStart("--factory", "call MODULE:APP to get the application", reaches=True),
    _AtStart("--base-path", "path of the operations in it (found)", "PATH", read=values.path, reaches=True),
    Option("--choose", "only this requirement, group or section", "ID", CHOSEN, None, Place.NOWHERE, field="choice",
           repeatable=True),
    _AtStart("--failed", "only what failed in the last run"),
    Option("--config", f"targets, defaults and waivers ({CONFIG_FILE})", "FILE", CHOSEN, None, Place.PYTHON,
           reaches=True),
    Option("--allow-writes", "allow POST to all targets, or only to those named", "NAME,…", ALLOWED, None, _OF_TARGET,
           field="writes", optional_value=True),
    Option("--exhaust-rate-limit", "use up the quota to see the 429; runs last", group=ALLOWED, field="exhaust"),
    Option("--populate", "with writes: create animals until there are N", "N", ALLOWED, _least(least=1, most=5_000)),
    Option("--max-requests", "send at most N requests to a target ({default})", "N", ALLOWED, _least(least=1)),
    Option("--max-wait", "longest single wait for a rate limit, s ({default})", "S", ALLOWED,
           partial(values.seconds, zero=True)),
    Option("--connections", "at most N requests at the same time ({default}; reading 4)", "N", ALLOWED,
           _least(least=1, most=100)),
    Option("--timeout", "seconds for a request and its response ({default})", "S", ALLOWED, values.seconds),
    Option("--ca-bundle", "trust these certificate authorities, in PEM", "FILE", ALLOWED, values.ca_bundle,
           reaches=True),
    Option("--client-cert", "show this certificate to the server, in PEM", "FILE", ALLOWED, values.file, _OF_TARGET,
           reaches=True),
    Option("--client-key", "its private key, if that is in another file", "FILE", ALLOWED, values.file, _OF_TARGET,
           reaches=True),
    Option("--header", "send this header with each request", "NAME=VALUE", ALLOWED, reach.headers, _OF_TARGET,
           field="headers", repeatable=True, reaches=True),
    Option("--proxy", "send through this HTTP proxy", "URL", ALLOWED, reach.proxy, _OF_TARGET, reaches=True),
    Option("--traceparent", "send a trace id with each request (W3C)", group=ALLOWED),
    Option("--insecure-http", "send the key unencrypted to another machine", group=ALLOWED, reaches=True),
    _AtStart("--dry-run", "print what a run would send, and send nothing", group=ALLOWED),
    Option("--plan", f"the key's plan: {', '.join(PLANS)}", "PLAN", JUDGED, values.plan, _OF_TARGET),
    Option("--as-of", "judge as on this day (today)", "YYYY-MM-DD", JUDGED, values.iso_date),
    Option("--requirements-as-of", "judge by the requirements of this version", "VERSION", JUDGED,
           values.requirement_set),
    Option("--category-id", "a category that exists on the target", "N", JUDGED, values.category, _OF_TARGET),
    Option("--examples", "property examples, fewer after failures (20)", "N", JUDGED, _least(least=0)),
    Option("--seed", "send the same requests as the run with that seed", "N", JUDGED, _least(least=0)),
    Option("--strict", "also fail on inconclusive and not-run", group=JUDGED),
    Option("--min-examined", "fail if fewer requirements were examined", "N[%]", JUDGED, values.number_or_share),
    Option("--reports", "folder for the reports ({default})", "DIR", WRITTEN, values.folder, Place.DEFAULTS),
    Option("--label", "say what was tested: a build, a ticket", "NAME=VALUE", WRITTEN, values.labels, field="labels",
           repeatable=True, free_text=True),
    Option("--subject", "the artifact that was tested", "NAME@sha256:…", WRITTEN, values.subjects, field="subjects",
           repeatable=True, free_text=True),
    Option("--sign-key", "sign the reports with this Ed25519 key, in PEM", "FILE", WRITTEN, values.file, Place.PYTHON),
    Option("--timestamp-url", "have an RFC 3161 authority date the reports", "URL", WRITTEN, authority_url),
    _AtStart("--update-waivers", f"write waivers for what fails now to {CONFIG_FILE}", None, WRITTEN, None),
    _AtStart("--waiver-reason", "reason of the new waivers", "TEXT", WRITTEN, None),
    _AtStart("--waiver-expires", "last day of the new waivers", "YYYY-MM-DD", WRITTEN, None),
)  # fmt: skip
"""Every option, in the order of the help, in which values are read too; `--reports` creates its folder."""

Options.__doc__ = "\n".join([
    "The options of a run in Python, as those of the command. Times are in seconds.\n",
    *(f"    {option.argument}: {option.help}" for option in OPTIONS if Place.PYTHON in option.places),
])  # fmt: skip


def arguments_of(given: Mapping[str, Any]) -> list[str]:
    """Options by flag without dashes as arguments, as far as given: a value is in the same argument as its flag."""
    given = {name: value for name, value in given.items() if value is not None and value is not False}
    several = ((name, one) for name, value in given.items() for one in (value if isinstance(value, list) else [value]))
    return [f"--{name}" if one is True else f"--{name}={one}" for name, one in several]


def given_options(parsed: object) -> dict[str, Any]:
    """The values that a parser has stored, by flag without dashes ("max-requests"); None if not given."""
    return {option.name: getattr(parsed, option.dest, None) for option in OPTIONS}


@dataclass(frozen=True, slots=True)
class Given:
    """Settings by name with dashes, in places: each is what begins the name in a message, and what is set there."""

    places: tuple[tuple[str, Mapping[str, Any]], ...]

    def __contains__(self, name: str) -> bool:
        return any(name in settings for _, settings in self.places)

    def get(self, name: str, default: object = None) -> Any:
        """The value of a setting as it was given."""
        return next((settings[name] for _, settings in self.places if name in settings), default)

    def where(self, name: str) -> str:
        """The setting in a message: `--plan`, or `petcheck.toml: [defaults] plan`."""
        return next((place + name for place, settings in self.places if name in settings), f"--{name}")

    def fields(self, kind: type) -> dict[str, Any]:
        """The values of the options that are fields of a class, where they are given. Raises `ConfigError`."""
        names = {each.name for each in fields(kind)}
        return {
            option.field: option.read(self.get(option.name), self.where(option.name))
            for option in OPTIONS
            if option.field in names and option.read is not None and option.name in self
        }
