"""`python -m petcheck` is `petcheck`."""

import sys

from petcheck.cli.main import main

sys.exit(main())
