"""Finds the exchange of one run that corresponds to one of another: the same check sent the same request."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from petcheck.call import Credential
from petcheck.comparison.normalize import request_body, request_path
from petcheck.exchange import Exchange
from petcheck.results.findings import CheckRow
from petcheck.spec.operations import Operation

MAX_COUNTERPARTS = 3
"""The most rows of exchanges that a report shows side by side below one difference."""

Counterparts: TypeAlias = tuple[int | None, ...]
"""Corresponding exchanges: an index for each side, None if that side has none."""

_NARROW = 6  # most exchanges of a check that sends its own requests


@dataclass(frozen=True, slots=True)
class NormalizedRequest:
    """A request as every run sends it: ids, names and random numbers are replaced."""

    operation: Operation
    credential: Credential
    path: str
    body: str | None

    def is_like(self, other: NormalizedRequest) -> bool:
        """Whether it is of the same operation, with the same credential."""
        return (self.operation, self.credential) == (other.operation, other.credential)

    def __str__(self) -> str:
        """In one line: method and path, the credential unless it is the valid key, and the body if there is one."""
        with_key = "" if self.credential is Credential.VALID else f" with {self.credential.value}"
        body = f" {self.body}" if self.body is not None else ""
        return f"{self.operation.method} {self.path}{with_key}{body}"


class SideRecord:
    """The exchanges of one target of a run by index, with the request of each and the checks that examined it.

    `run` is the id of its run.
    """

    def __init__(
        self, entries: Iterable[Exchange], checks: Iterable[CheckRow], *, target: str, base_url: str, run: str
    ) -> None:
        self.run = run
        self.entries = {entry.index: entry for entry in entries if entry.target == target}
        self.requests = {
            index: NormalizedRequest(
                entry.request.operation,
                entry.request.credential,
                request_path(entry, base_url),
                request_body(entry.request.body, run),
            )
            for index, entry in self.entries.items()
        }
        self._by_request = defaultdict[NormalizedRequest, list[int]](list)
        for index in sorted(self.entries):
            self._by_request[self.requests[index]].append(index)
        self._by_check, self._checks = defaultdict[str, list[int]](list), defaultdict[int, set[str]](set)
        for row in checks:
            for index in row.exchanges if row.target == target else ():
                if index in self.entries:
                    self._by_check[check_name(row)].append(index)
                    self._checks[index].add(check_name(row))

    def counterpart(self, index: int, other: SideRecord, status: int | None = None) -> int | None:
        """The exchange of this side that corresponds to exchange `index` of the `other`; None if there is none.

        Of several with that request, prefers one with `status`, if given, then one that the same checks examined. If
        this side never sent it, what the same check sent instead.
        """
        request, checks = other.requests[index], other._checks[index]
        if candidates := self._by_request[request]:
            return min(
                candidates,
                key=lambda mine: (
                    status is not None and self.entries[mine].status != status,
                    -len(self._checks[mine] & checks),
                    mine,
                ),
            )
        # a check that examines the whole record does not show which request replaces which
        narrow = (self._by_check[check] for check in sorted(checks) if len(self._by_check[check]) <= _NARROW)
        alike = (mine for near in narrow for mine in near if self.requests[mine].is_like(request))
        return next(alike, None)


def check_name(row: CheckRow) -> str:
    """The id of a check without the name of the target, which is its first parameter."""
    return re.sub(rf"\[{re.escape(row.target)}(?:-|(?=\]$))", "[", row.id, count=1)
