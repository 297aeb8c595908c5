"""Judging: pure. It takes exchanges, and could run on recorded ones."""
