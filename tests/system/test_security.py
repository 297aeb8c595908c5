"""A test verifies every promise in SECURITY.md."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_promise_names_an_existing_test() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "SECURITY.md").read_text("utf-8"))
    assert len(named) > 20
    missing = []
    for file, name in named:
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        if name not in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}:
            missing.append(f"{file}::{name}")
    assert missing == []
