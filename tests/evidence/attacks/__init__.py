"""The tables of attacks, by the file that is edited."""

from __future__ import annotations

from tests.evidence.attacks import exchanges, files, heads, parts, signatures

TABLES = {
    "edited": files.EDITED,
    "head": heads.HEADS,
    "line": heads.LINES,
    "exchange": exchanges.EXCHANGES,
    "JSON": files.WRITTEN_OTHERWISE,
    "file": files.NOT_FILES,
    "parts": parts.PARTS,
    "signature": signatures.SIGNATURES,
}
ATTACKS = {f"{kind}: {row[0]}": row for kind, rows in TABLES.items() for row in rows}
"""Every attack by its class and name."""
