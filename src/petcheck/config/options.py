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
    Option("--target", f"a server; key: {KEY_VARIABLE}_NAME, else {KEY_VARIABLE}", "[NAME=]URL", repeatable=True),
    Option("--shard", "only that part of the targets; see merge", "I/N"),
    Option("--app", "an ASGI or WSGI application, served for the run", "MODULE:APP"),
    Option("--factory", "MODULE:APP returns the application when called"),
    Option("--base-path", "where the application has the operations (/v1)", "PATH"),
    Option("--choose", "as ID before the options: only that", "ID", repeatable=True),
    Option("--failed", "only what failed in the last run"),
    Option("--config", f"targets, defaults and waivers ({CONFIG_FILE})", "FILE"),
    Option("--allow-writes", "allow POST, to all or to those named", "NAME,…", ALLOWED, optional_value=True),
    Option("--exhaust-rate-limit", "use up the quota to see the 429; runs last", group=ALLOWED),
    Option("--populate", "create animals until there are N; POST must be allowed", "N", ALLOWED),
    Option("--max-requests", "most requests to a target (1200)", "N", ALLOWED),
    Option("--max-wait", "most seconds to wait for a quota (120)", "S", ALLOWED),
    Option("--timeout", "total seconds for one exchange (10)", "S", ALLOWED),
    Option("--ca-bundle", "certificate authorities to trust, in PEM", "FILE", ALLOWED),
    Option("--insecure-http", "send the key over http to another machine", group=ALLOWED),
    Option("--dry-run", "print what a run sends, and send nothing", group=ALLOWED),
    Option("--plan", f"the key's plan: {', '.join(PLANS)}", "PLAN", JUDGED),
    Option("--as-of", "judge as on this day", "YYYY-MM-DD", JUDGED),
    Option("--category-id", "a category that exists", "N", JUDGED),
    Option("--examples", "property examples, two requests each (20, reading 9)", "N", JUDGED),
    Option("--seed", "the same seed sends the same requests", "N", JUDGED),
    Option("--strict", "inconclusive and not-run fail the run too", group=JUDGED),
    Option("--reports", "where to write (reports/)", "DIR", WRITTEN),
    Option("--sign-key", "seal the reports with an Ed25519 key, in PEM", "FILE", WRITTEN),
    Option("--update-waivers", f"waive what fails now, in {CONFIG_FILE}", group=WRITTEN),
    Option("--waiver-reason", "why, for the waivers that it writes", "TEXT", WRITTEN),
    Option("--waiver-expires", "their last day", "YYYY-MM-DD", WRITTEN),
)


def given_options(parsed: object) -> dict[str, Any]:
    """The values that a parser has stored, by flag without dashes ("max-requests"); None if not given."""
    return {option.flag[2:]: getattr(parsed, option.dest, None) for option in OPTIONS}
