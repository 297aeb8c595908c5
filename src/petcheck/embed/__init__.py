"""petcheck inside other programs: a call that returns a result, and tests for somebody's own pytest suite."""
