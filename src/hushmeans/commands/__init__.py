"""The command line: one module a command, over the library."""
