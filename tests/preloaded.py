"""What every run imports and reads sooner or later: the process that imports this is ready to be copied.

`petcheck.plugin` is not among it, since pytest loads that in a way of its own.
"""

from __future__ import annotations

from importlib import import_module

from petcheck.judging.catalogue import catalogue
from petcheck.reports import templating

for name in (
    *("tests.forked", "petcheck.cli", "petcheck.config", "petcheck.ending", "petcheck.screen", "petcheck.interruption"),
    *("petcheck.reports.terminal", "pytest", "pytest_html.plugin", "pytest_metadata.plugin"),
    *("anyio._backends._asyncio", "httpcore", "sniffio", "jsonschema"),
):
    import_module(name)
catalogue()
for name in ("report.html.jinja", "exchange.html.jinja", "pair.html.jinja", "verdict.html.jinja"):
    templating.environment().get_template(name)
