"""The version of petcheck, in its only place: packages, reports, results and the user agent take it from here."""

VERSION = "0.1.0"
