"""The product of a run and its evidence: result.json and exchanges.har, written and read."""
