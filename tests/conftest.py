"""Settings for all tests."""

from __future__ import annotations

import pytest
from hypothesis import settings

# before any test imports them: their assertions explain themselves
pytest.register_assert_rewrite("tests.support.chromium", "tests.support.elements")

# the machine's speed is not tested, and the database would make a run depend on earlier ones
settings.register_profile("petcheck", deadline=None, database=None, print_blob=True)
settings.load_profile("petcheck")
