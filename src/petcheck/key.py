"""The API key of a target: held so that no repr, message or traceback can show it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A bearer token (section 5). `secret` is for the Authorization header and for redaction, nothing else."""

    secret: str = field(repr=False)

    @property
    def fingerprint(self) -> str:
        """`sha256:` and the first eight hex digits: enough to tell keys apart, not enough to guess one."""
        return "sha256:" + hashlib.sha256(self.secret.encode()).hexdigest()[:8]

    def __repr__(self) -> str:
        return f"ApiKey({self.fingerprint})"
