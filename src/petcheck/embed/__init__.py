"""petcheck inside other programs: a call that returns a result, and tests for the user's own pytest suite."""
