"""The document as data: operations, figures, sections, the catalogue of requirements, outcomes. Nothing else."""
