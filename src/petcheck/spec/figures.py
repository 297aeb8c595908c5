"""The figures, words and header names of the document, each once, with its section."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

# section 2
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
NEW_PET_FIELDS = ("name", "categoryId", "status")
PET_FIELDS = ("id", *NEW_PET_FIELDS)
PET_REQUIRED = tuple(name for name in PET_FIELDS if name != "status")
STATUSES = AVAILABLE, PENDING, SOLD = ("available", "pending", "sold")

# section 4
MEDIA_TYPE = "application/json"
CONTENT_TYPE = "Content-Type"

# sections 4.1 and 8
LIMIT_MIN, LIMIT_MAX, LIMIT_DEFAULT = 1, 100, 20
LIMITS_NAMED = (LIMIT_MIN, LIMIT_DEFAULT, LIMIT_MAX)

# sections 4.3 and 9
REMOVAL_DAY = date(2030, 12, 5)

# section 7
ERROR_FIELDS = ("code", "message", "status")
# errors of a gateway between client and service: the request is sent once more before they count
GATEWAY_TROUBLE = (502, 503, 504)

# section 8
RATE_LIMIT = "X-RateLimit-Limit"
RATE_REMAINING = "X-RateLimit-Remaining"
RATE_RESET = "X-RateLimit-Reset"
RATE_HEADERS = (RATE_LIMIT, RATE_REMAINING, RATE_RESET)
RETRY_AFTER = "Retry-After"
AGE = "Age"
FRESH = "0"
"""The Age of an answer that no cache has stored (RFC 9111, section 5.1)."""

# section 9
BASE_SEGMENT = "v1"
INTERFACE_VERSION = "1.0.0"


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan of section 8: requests per minute and per day; None if they are agreed individually."""

    name: str
    per_minute: int | None
    per_day: int | None


PLANS = {
    plan.name: plan
    for plan in (
        Plan("free", 60, 1_000),
        Plan("pro", 300, 10_000),
        Plan("business", 1_000, 100_000),
        Plan("enterprise", None, None),
    )
}

OPEN_LISTS = {
    "limit-over-100": {"limit": "101"},
    "limit-not-a-number": {"limit": "abc"},
    "limit-negative": {"limit": "-1"},
    "status-unknown": {"status": "adopted"},
    "limit-zero": {"limit": "0"},
}
"""The catalogue's open points about parameters that the document does not allow (section 4.1), and their queries."""
OPEN_IDS = {"text": "abc", "beyond-int64": str(INT64_MAX + 1)}
"""What is observed of an id that is not an int64 (section 4.3): these segments."""
