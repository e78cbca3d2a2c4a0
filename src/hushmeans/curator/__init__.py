"""The trust boundary: the only code that sees records."""
