"""The markers of a check: which requirements it judges, which open points it observes, when it runs."""

from __future__ import annotations

import pytest

requirement = pytest.mark.requirement
observes = pytest.mark.observes
stage = pytest.mark.stage
