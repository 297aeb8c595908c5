"""Programs for developers: kill matrix, power, soundness, benchmark, soak, screenshots, licences, peers table."""
