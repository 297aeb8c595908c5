"""Imports and reads what every run needs: the process that imports this is ready to be forked.

All but `petcheck.runner.plugin`, which pytest must import itself.
"""

from __future__ import annotations

import gc
from importlib import import_module

from petcheck.reports import templating
from petcheck.spec.catalogue import catalogue
from petcheck.stream.environment import environment

for name in (
    *(
        "tests.support.forked",
        "petcheck.cli.main",
        "petcheck.cli.run",
        "petcheck.properties.examples",
        "petcheck.runner.console",
        "petcheck.runner.finish",
        "petcheck.runner.signals",
        "petcheck.runner.start",
    ),
    *("petcheck.reports.terminal", "pytest", "pytest_html.plugin", "pytest_metadata.plugin"),
    # pytest imports these as it starts
    *("_pytest._argcomplete", "_pytest.helpconfig", "_pytest.skipping", "pdb"),
    *("anyio._backends._asyncio", "httpcore", "sniffio", "h11", "gzip"),
):
    import_module(name)
catalogue()
environment()
for name in ("report.html.jinja", "exchange.html.jinja", "pair.html.jinja", "verdict.html.jinja"):
    templating.environment().get_template(name)
gc.collect()
gc.freeze()  # a fork then shares it, and never looks for garbage in it
