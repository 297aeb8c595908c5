"""The markers of a check: the requirements it judges, the open points it observes, what it sends, when it runs."""

from __future__ import annotations

import pytest

requirement = pytest.mark.requirement
observes = pytest.mark.observes
sends = pytest.mark.sends
stage = pytest.mark.stage
