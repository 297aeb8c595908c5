"""Which texts are base URLs."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_base(url: str) -> bool:
    """Whether a text is the URL of a service: printable, with a host, without user, query and fragment."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    plain = url.isprintable() and not set(url) & set(" ?#@\\")
    return plain and parts.scheme in ("http", "https") and bool(parts.hostname)
