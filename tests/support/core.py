"""Which cases of a parametrized test `make test` runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import pytest


def slow_outside(core: Collection[str], names: Iterable[str]) -> list[object]:
    """Each name as a parameter; those outside `core` are slow."""
    return [pytest.param(name, marks=() if name in core else pytest.mark.slow) for name in names]
