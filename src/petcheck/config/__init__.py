"""What a run is told: options, keys, targets and waivers, checked and frozen before anything is sent."""
