"""Runs the checks: opens the targets, schedules the checks, and ends the run."""
