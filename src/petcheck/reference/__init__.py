"""A pet store that obeys the whole document, and that can be told to break one rule or to use one freedom.

`server` builds the application, `serve` puts it on a real socket. `faults` and `variations` name what it can be told.
"""
