"""Imports and reads what judging a target needs: the process that imports this can be forked for each of them.

All but `petcheck.runner.plugin`, which pytest must import itself.
"""

from __future__ import annotations

import gc
from importlib import import_module

from petcheck.reports import templating
from petcheck.spec.catalogue import catalogue
from petcheck.stream.environment import environment

for _name in (
    *("petcheck.cli.run", "petcheck.runner.console", "petcheck.runner.finish", "petcheck.runner.start"),
    *("petcheck.properties.examples", "petcheck.reports.terminal"),
    *("pytest", "anyio._backends._asyncio", "httpcore", "sniffio", "h11"),
):
    import_module(_name)
catalogue()
environment()
for _name in ("report.html.jinja", "exchange.html.jinja", "verdict.html.jinja"):
    templating.environment().get_template(_name)
# what is here now is not looked at again, so that forked processes share it
gc.collect()
gc.freeze()
