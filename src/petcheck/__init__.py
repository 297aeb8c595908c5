"""petcheck judges whether a server obeys the pet store service interface, and proves it with recorded exchanges.

    check              judge a server, get a `Result`
    requirement_tests  one test for each requirement, in your own pytest suite
    replay             send one request that failed again, in a test that `petcheck replay` has written
    Options            the options of both
    Result             what a run found; it has `Verdict`, `TargetInfo`, `Observation`

    PetcheckError      what both raise
    ├── ConfigError    the run cannot start as asked: BadUrl, BadKey, BadApp, BadValue, BadFile
    ├── Untestable     the server could not be tested
    └── SuiteBroke     petcheck itself failed

These names are the public interface, and `CHANGELOG.md` names every change of them; modules below this one may change
at any time. They are imported on first use: importing petcheck alone costs next to nothing.
"""

from typing import TYPE_CHECKING

from petcheck.spec.version import VERSION

if TYPE_CHECKING:
    from petcheck.config.options import Options
    from petcheck.embed.process import check
    from petcheck.embed.replay import replay
    from petcheck.embed.suite_tests import requirement_tests
    from petcheck.errors import (
        BadApp,
        BadFile,
        BadKey,
        BadUrl,
        BadValue,
        ConfigError,
        PetcheckError,
        SuiteBroke,
        Untestable,
    )
    from petcheck.judging.verdicts import Verdict
    from petcheck.results.findings import Observation, TargetInfo
    from petcheck.results.result import Result

__version__ = VERSION

_PLACES = {
    "petcheck.config.options": ("Options",),
    "petcheck.embed.process": ("check",),
    "petcheck.embed.replay": ("replay",),
    "petcheck.embed.suite_tests": ("requirement_tests",),
    "petcheck.errors": (
        *("BadApp", "BadFile", "BadKey", "BadUrl", "BadValue", "ConfigError"),
        *("PetcheckError", "SuiteBroke", "Untestable"),
    ),
    "petcheck.judging.verdicts": ("Verdict",),
    "petcheck.results.findings": ("Observation", "TargetInfo"),
    "petcheck.results.result": ("Result",),
}

__all__ = [
    "BadApp",
    "BadFile",
    "BadKey",
    "BadUrl",
    "BadValue",
    "ConfigError",
    "Observation",
    "Options",
    "PetcheckError",
    "Result",
    "SuiteBroke",
    "TargetInfo",
    "Untestable",
    "Verdict",
    "__version__",
    "check",
    "replay",
    "requirement_tests",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'petcheck' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
