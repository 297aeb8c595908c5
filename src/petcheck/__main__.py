"""`python -m petcheck` is `petcheck`."""

import sys

from petcheck.cli import main

sys.exit(main())
