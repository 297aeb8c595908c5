"""Programs for developers: kill matrix, soundness, benchmark, soak, screenshots, licences, peers table."""
