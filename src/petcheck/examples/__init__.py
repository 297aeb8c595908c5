"""Property examples: drawn offline from openapi.yaml, sent sparingly through the wire, judged by the rules."""
