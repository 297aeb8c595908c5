"""Anybody's recorded traffic: read from a HAR, sorted out, and judged without a request."""
