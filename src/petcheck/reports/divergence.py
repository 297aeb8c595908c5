"""One thing that targets do not do alike, although the document may allow both."""

from __future__ import annotations

import json
from dataclasses import dataclass

from petcheck.exchange import GATEWAY_TROUBLE
from petcheck.reports.har import Evidence

KINDS = {
    "answer": "Answers to the same request",
    "code": "The code of Errors",
    "message": "The message of Errors",
    "page size": "Animals on a page",
    "fields": "Fields beyond the documented ones",
    "header": "Headers",
    "header value": "Values of headers",
    "content type": "Content-Type",
    "reason phrase": "Reason phrases",
    "http version": "HTTP version",
}
"""What is compared beside verdicts and open points, in the order in which it is told."""

EVERY_ANSWER = "every answer"


@dataclass(frozen=True, slots=True)
class Divergence:
    """A trait that is not the same on all sides.

    `kind` is one of KINDS, `subject` what it is about within that kind (a header's name). `values` has for each side
    what it does, None where it showed nothing to compare. `places` are the operations and statuses, or the requests,
    where that is so. `shown_by` has for each side an exchange of its own that shows it.
    """

    kind: str
    subject: str
    places: tuple[str, ...]
    values: tuple[str | None, ...]
    shown_by: tuple[int | None, ...]


def tells(entry: Evidence) -> bool:
    """Whether an answer tells what the target does: not silence, nor trouble on the way, nor a quota used up."""
    return entry.error is None and entry.status not in (429, *GATEWAY_TROUBLE)


def json_of(entry: Evidence) -> object:
    """The body of an answer as JSON; None where it is none."""
    try:
        return json.loads(entry.response_body) if entry.response_body else None
    except (ValueError, RecursionError):
        return None
