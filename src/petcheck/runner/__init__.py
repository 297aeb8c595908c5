"""One run: its targets, its checks, its end."""
