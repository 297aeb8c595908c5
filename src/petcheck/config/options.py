"""The options of a run, for both the command line and pytest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from petcheck.spec.figures import PLANS

KEY_VARIABLE = "PETSTORE_API_KEY"
CONFIG_FILE = "petcheck.toml"
EVERY_TARGET = "*"


# the groups of a run's options, as the help shows them
CHOSEN, ALLOWED, JUDGED, WRITTEN = "what to judge", "what it may do", "how to judge", "what to write"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of the command line: its flag, its argparse settings, and whether it may be repeated."""

    flag: str
    help: str
    metavar: str | None = None
    group: str = CHOSEN
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
    Option("--target", f"a server; its key is in {KEY_VARIABLE}[_NAME]", "[NAME=]URL", repeatable=True),
    Option("--shard", "judge only part I of N of the targets", "I/N"),
    Option("--app", "an ASGI or WSGI application, served for the run", "MODULE:APP"),
    Option("--factory", "call MODULE:APP to get the application"),
    Option("--base-path", "path of the operations in the application (/v1)", "PATH"),
    Option("--choose", "only this requirement, group or section", "ID", repeatable=True),
    Option("--failed", "only what failed in the last run"),
    Option("--config", f"targets, defaults and waivers ({CONFIG_FILE})", "FILE"),
    Option("--allow-writes", "allow POST to all targets, or to those named", "NAME,…", ALLOWED, optional_value=True),
    Option("--exhaust-rate-limit", "use up the quota to see the 429; runs last", group=ALLOWED),
    Option("--populate", "with writes: create animals until there are N", "N", ALLOWED),
    Option("--max-requests", "send at most N requests to a target (1200)", "N", ALLOWED),
    Option("--max-wait", "wait at most S seconds for rate limits (120)", "S", ALLOWED),
    Option("--timeout", "seconds for a request and its response (10)", "S", ALLOWED),
    Option("--ca-bundle", "trust these certificate authorities, in PEM", "FILE", ALLOWED),
    Option("--insecure-http", "send the key unencrypted to another machine", group=ALLOWED),
    Option("--dry-run", "print what a run would send, and send nothing", group=ALLOWED),
    Option("--plan", f"the key's plan: {', '.join(PLANS)}", "PLAN", JUDGED),
    Option("--as-of", "judge as on this day (today)", "YYYY-MM-DD", JUDGED),
    Option("--category-id", "a category that exists on the target", "N", JUDGED),
    Option("--examples", "number of property examples (20; read-only 9)", "N", JUDGED),
    Option("--seed", "send the same requests as the run with that seed", "N", JUDGED),
    Option("--strict", "also fail on inconclusive and not-run", group=JUDGED),
    Option("--reports", "folder for the reports (reports/)", "DIR", WRITTEN),
    Option("--sign-key", "sign the reports with this Ed25519 key, in PEM", "FILE", WRITTEN),
    Option("--update-waivers", f"write waivers for what fails now to {CONFIG_FILE}", group=WRITTEN),
    Option("--waiver-reason", "reason of the new waivers", "TEXT", WRITTEN),
    Option("--waiver-expires", "last day of the new waivers", "YYYY-MM-DD", WRITTEN),
)


def given_options(parsed: object) -> dict[str, Any]:
    """The values that a parser has stored, by flag without dashes ("max-requests"); None if not given."""
    return {option.flag[2:]: getattr(parsed, option.dest, None) for option in OPTIONS}
