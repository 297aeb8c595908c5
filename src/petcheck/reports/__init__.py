"""Views of a result for people and for CI, nothing else."""
