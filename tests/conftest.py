"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# how long a machine takes says nothing of what is tested; the database would make a run depend on earlier ones
settings.register_profile("petcheck", deadline=None, database=None, print_blob=True)
settings.load_profile("petcheck")
