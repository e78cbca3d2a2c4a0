"""Scripts that keep the documentation in step with the code."""
