"""From a stream to its result: verdicts, causes, totals; and `result.json` with its manifest and attestation."""
