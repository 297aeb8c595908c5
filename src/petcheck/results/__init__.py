"""The product of a run, result.json, and its evidence, exchanges.har: written and read."""
