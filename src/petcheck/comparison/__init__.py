"""Compares two or more runs. Pure: results and evidence in, differences out."""
