"""The only way to the network: permission, pacing, sending, redaction, recording."""
