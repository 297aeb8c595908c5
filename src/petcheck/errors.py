"""The exceptions that cross rooms, in one tree.

    PetcheckError
    ├── Inconclusive       judging, checks: tried, but the target gave nothing to judge
    │   ├── NotRun         checks: not tried, since a permission is missing or it is not in force
    │   └── NotSent        wire: a request could not be sent, or got no answer that counts
    │       ├── NotPermitted     a POST without permission for writes
    │       ├── BudgetSpent      the run has sent all requests that it may
    │       ├── OperationSilent  this operation leaves requests unanswered, others do not
    │       └── TargetDown       the target answers nothing any more
    ├── ConnectionLost     wire: a kept connection was closed before the response began; sent again on a new one
    ├── Untestable         toolkit: the target as a whole cannot be tested (exit 6)
    │   └── AppFailed      runner: the application of `--app` does not start
    ├── ConfigError        config, runner: the run cannot start as asked (exit 4)
    │   ├── NothingToRun   config, runner: nothing is left of what was chosen (exit 5)
    │   ├── BadUrl         a base URL that is not one, or that would send the key unencrypted
    │   ├── BadKey         no API key, or one that cannot be masked
    │   ├── BadApp         an application that is not one, or that does not start
    │   ├── BadValue       an option or setting with a value that it cannot have
    │   └── BadFile        petcheck.toml cannot be read, or holds what it cannot hold
    ├── NotARun            results: a file or folder was not written by a complete run (exit 4)
    │   ├── NotAResult     not a result.json
    │   └── NotEvidence    no evidence that petcheck has recorded
    ├── NotAKey            results: a file holds no key that can sign, or show that another has signed (exit 4)
    ├── NotDated           results, wire: no authority says when the manifest existed
    ├── NotComparable      comparison, runner: these runs cannot be compared, or merged (exit 4)
    ├── InUse              results: another run uses the folder (exit 4)
    └── SuiteBroke         embed: a run in its own process broke, or some of its files could not be written (exit 3)

Any other exception in a check is a bug of the suite: outcome `error`, exit 3.
"""

from __future__ import annotations

from typing import Literal

_LONGEST_MESSAGE = 400  # characters


class PetcheckError(Exception):
    """The root of the tree."""


class Inconclusive(PetcheckError):
    """Nothing could be judged. The message says why and what to do; `settled_by` is the option that helps.

    `outcome` is that of a requirement of which nothing else is known.
    """

    outcome: Literal["inconclusive", "not-run", "error"] = "inconclusive"

    def __init__(self, reason: str, settled_by: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.settled_by = settled_by


class NotRun(Inconclusive):
    """Not tried: a permission is missing, or it is not in force."""

    outcome = "not-run"


class NotSent(Inconclusive):
    """A request could not be sent, or got no answer that counts."""


class NotPermitted(NotSent):
    """The request needs a permission that was not given."""

    outcome = "not-run"


class BudgetSpent(NotSent):
    """The run has sent all requests that it may."""

    outcome = "not-run"


class OperationSilent(NotSent):
    """The operation has left several requests unanswered, while the target still answers others."""


class TargetDown(NotSent):
    """The target has stopped answering anything."""

    outcome = "error"


class ConnectionLost(PetcheckError):
    """A kept connection was closed before the response began, so the request is sent again."""


class Untestable(PetcheckError):
    """The target as a whole cannot be tested; the message says why and what to do, in one line."""


class AppFailed(Untestable):
    """The application of `--app` does not start; `log` are its own last lines."""

    def __init__(self, message: str, log: str) -> None:
        super().__init__(message)
        self.log = log


class ConfigError(PetcheckError):
    """The run cannot start as requested; the message is one line that says what to do."""

    def __init__(self, message: str) -> None:
        words = " ".join(message.split())
        if len(words) > _LONGEST_MESSAGE:  # a long value in the middle; the end says what to do
            words = f"{words[: _LONGEST_MESSAGE // 2]} … {words[-_LONGEST_MESSAGE // 2 :]}"
        super().__init__("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in words))


class NothingToRun(ConfigError):
    """Nothing is left of what was chosen; the message is one line that says what to do."""


class BadUrl(ConfigError):
    """A base URL is not one, or would send the key unencrypted."""


class BadKey(ConfigError):
    """There is no API key, or one that cannot be masked in reports."""


class BadApp(ConfigError):
    """An application cannot be loaded, is not one, or does not start."""


class BadValue(ConfigError):
    """An option or a setting has a value that it cannot have."""


class BadFile(ConfigError):
    """A petcheck.toml cannot be read, or holds what it cannot hold."""


class NotARun(PetcheckError):
    """Not the complete output of a run. The message is one line that says which file, why, and what to do."""


class NotAResult(NotARun):
    """A file or value that is not a result of this format. The message is one line for the user."""


class NotEvidence(NotARun):
    """Evidence that this suite has not recorded. The message is one line for the user."""


class NotAKey(PetcheckError):
    """A file that holds no key of the kind that is wanted. The message reads on after the file's name."""


class NotDated(PetcheckError):
    """No authority says that the manifest existed at a time. The message is one line."""


class NotComparable(PetcheckError):
    """These runs cannot be compared, or merged. The message is one line that says which, why, and what to do."""


class InUse(PetcheckError):
    """Another run uses the folder; the message says which folder."""


class SuiteBroke(PetcheckError):
    """A run in its own process broke, or could not write a file, which says nothing about the server.

    The message is its last line.
    """
