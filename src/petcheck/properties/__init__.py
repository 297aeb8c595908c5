"""Property examples: generated offline from openapi.yaml, few of them sent, judged by the rules for all exchanges."""
