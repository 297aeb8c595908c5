"""The command line: one module for each command, and the parser that they share."""
