"""Judging: exchanges in, judgements out. Pure, so it works on recordings too."""
