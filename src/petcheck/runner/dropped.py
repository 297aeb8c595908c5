"""What a check could not ask: what the stream says of the exception that ended it."""

from __future__ import annotations

from pathlib import Path

from petcheck.errors import Inconclusive, Untestable
from petcheck.judging.verdicts import Dropped
from petcheck.spec.files import suite_file


def dropped_by(error: BaseException | None) -> Dropped | None:
    """What an exception that ended a check left unasked; None if there was none."""
    match error:
        case None:
            return None
        case Inconclusive():
            return Dropped(error.outcome, _sentence(error.reason), error.settled_by)
        case Untestable():
            return Dropped("error", _sentence(str(error)))
    return Dropped(
        "error",
        "The check itself broke, which says nothing about the server. Report this as a bug of petcheck: "
        f"{type(error).__name__}: {error}{_last_own_line(error)}",
    )


def _sentence(text: str) -> str:
    begins = text if "://" in text.partition(" ")[0] else text[:1].upper() + text[1:]
    return begins + ("" if text.endswith(".") else ".")


def _last_own_line(error: BaseException) -> str:
    """The last line of petcheck's own code in the traceback."""
    trace = error.__traceback__
    checks = suite_file("checks")
    last = ""
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if checks in path.parents or "petcheck" in path.parts:
            last = f" ({path.name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return last
