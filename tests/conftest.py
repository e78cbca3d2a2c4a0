"""Settings for every test."""

from hypothesis import settings

# The first call of a compiled function takes long, and these machines are noisy.
settings.register_profile("hushmeans", deadline=None)
settings.load_profile("hushmeans")
