"""petcheck judges whether a server obeys the pet store service interface, and proves it with recorded exchanges."""

__version__ = "0.1.0"
