"""A pet store that obeys the whole document, unless configured to break one rule or to use one freedom.

`server` builds the application, `serve` puts it on a real socket. `faults` and `variations` are the available settings.
It implements the document independently and imports no part of petcheck, so that each checks the other.
"""
