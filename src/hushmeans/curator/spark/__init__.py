"""The same questions on a Spark cluster."""
