"""The one door to the network: permission, pacing, sending, redaction, recording."""
