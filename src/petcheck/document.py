"""The sections of the document, by number."""

from __future__ import annotations

TITLES = {
    "1": "What the service does",
    "2": "Resources and their fields",
    "3": "States and transitions",
    "4": "Endpoints",
    "4.1": "List all animals",
    "4.2": "Add an animal",
    "4.3": "Get an animal (deprecated)",
    "4.4": "Other operations",
    "5": "Authentication",
    "6": "Events",
    "7": "Errors",
    "8": "Limits",
    "9": "Versioning",
}
