"""A pet store that obeys the whole document, unless told to break one rule or to use one freedom.

`server` builds the application, `serve` puts it on a real socket. `faults` and `variations` name what it can be told.
It reads the document on its own and shares no facts with the rest of petcheck, so that each checks the other.
"""
