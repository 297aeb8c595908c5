"""petcheck tells whether a server obeys the pet store service interface, and proves it with what it saw."""

__version__ = "0.1.0"
