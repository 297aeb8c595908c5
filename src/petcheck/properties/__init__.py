"""Property examples: drawn offline from openapi.yaml, sent sparingly, judged by the same rules as every exchange."""
