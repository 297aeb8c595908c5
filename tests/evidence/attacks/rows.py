"""A row of a table of attacks, and what `petcheck verify` says of many."""

from __future__ import annotations

from tests.evidence.forging import Edit

Row = tuple[str, str, Edit, str]
"""What it is, in honest reports of which kind, the edit, and what `petcheck verify` has to say of it."""
ANOTHER = "result.json is not what the recording comes to"
CONTRADICTS = "exchanges.jsonl contradicts itself in line "
