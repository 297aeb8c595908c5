"""Settings for all tests."""

from __future__ import annotations

from hypothesis import settings

# the machine's speed is not tested, and the database would make a run depend on earlier ones
settings.register_profile("petcheck", deadline=None, database=None, print_blob=True)
settings.load_profile("petcheck")
