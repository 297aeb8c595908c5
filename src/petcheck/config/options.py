"""The options of a run, for both the command line and pytest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from petcheck.spec.figures import PLANS

KEY_VARIABLE = "PETSTORE_API_KEY"
CONFIG_FILE = "petcheck.toml"
EVERY_TARGET = "*"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of the command line: its flag, its argparse settings, and whether it may be repeated."""

    flag: str
    help: str
    metavar: str | None = None
    repeatable: bool = False
    optional_value: bool = False

    @property
    def dest(self) -> str:
        """The attribute under which parsers store it."""
        return "petcheck_" + self.flag.lstrip("-").replace("-", "_")

    def settings(self) -> dict[str, Any]:
        """Keyword arguments for `add_argument` of argparse and `addoption` of pytest."""
        common: dict[str, Any] = {"dest": self.dest, "help": self.help, "default": None}
        if self.metavar is None:
            return common | {"action": "store_true"}
        if self.optional_value:
            return common | {"metavar": self.metavar, "nargs": "?", "const": EVERY_TARGET}
        return common | {"metavar": self.metavar, "action": "append" if self.repeatable else "store"}


OPTIONS = (
    Option(
        "--target",
        f"a base URL to judge; its key comes from {KEY_VARIABLE}_NAME, otherwise {KEY_VARIABLE}",
        "[NAME=]URL",
        repeatable=True,
    ),
    Option("--shard", "judge that part of the targets alone; `petcheck merge` joins the reports", "I/N"),
    Option("--app", "an ASGI or WSGI application to judge, served on loopback for the run", "MODULE:APP"),
    Option("--factory", "the application of --app is what MODULE:APP returns when it is called"),
    Option("--base-path", "where the application of --app has the operations (/v1, if it is found there)", "PATH"),
    Option(
        "--choose",
        "judge only this requirement, group or section, as words before the options do",
        "WORD",
        repeatable=True,
    ),
    Option("--failed", "judge only what failed in the last run, as the reports folder has it"),
    Option(
        "--allow-writes",
        "allow POST, to all targets or to those named; animals that it creates stay",
        "NAME,…",
        optional_value=True,
    ),
    Option("--exhaust-rate-limit", "use up the quota to see the 429; runs last"),
    Option("--plan", f"the key's plan: {', '.join(PLANS)}", "PLAN"),
    Option("--as-of", "judge as on this day", "YYYY-MM-DD"),
    Option("--category-id", "a category that exists", "N"),
    Option("--max-requests", "most requests to a target (1200)", "N"),
    Option("--max-wait", "most seconds to wait for a quota (120)", "S"),
    Option("--examples", "property examples for each operation, at most two requests each (20, read-only 9)", "N"),
    Option("--seed", "the same seed sends the same requests", "N"),
    Option("--strict", "inconclusive and not-run requirements fail the run too"),
    Option("--dry-run", "print what a run sends, and send nothing"),
    Option("--reports", "where to write (reports/)", "DIR"),
    Option("--timeout", "total seconds for one exchange (10)", "S"),
    Option("--ca-bundle", "a PEM file of certificate authorities to trust", "FILE"),
    Option("--insecure-http", "send the key over http to a host that is not this machine"),
    Option("--sign-key", "seal the reports with that Ed25519 private key, in PEM", "FILE"),
    Option("--update-waivers", f"write waivers for what fails now into {CONFIG_FILE}, and remove stale ones"),
    Option("--waiver-reason", "why the failures are accepted, for the waivers that --update-waivers writes", "TEXT"),
    Option("--waiver-expires", "the last day of the waivers that --update-waivers writes", "YYYY-MM-DD"),
    Option("--config", f"targets, defaults and waivers ({CONFIG_FILE})", "FILE"),
)


def given_options(parsed: object) -> dict[str, Any]:
    """The values that a parser has stored, by flag without dashes ("max-requests"); None if not given."""
    return {option.flag[2:]: getattr(parsed, option.dest, None) for option in OPTIONS}
