"""Where compiled files are kept between runs of these tests: outside of the source folders."""

from __future__ import annotations

from pathlib import Path

BYTECODE = Path(__file__).resolve().parents[2] / ".pytest_cache" / "bytecode"
