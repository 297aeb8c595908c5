"""The configuration of a run: options, keys, targets and waivers, checked and frozen before anything is sent."""
