"""The release: what a fit publishes, its JSON document, privacy statement and noise verdict."""

from hushmeans.release.release import Release

__all__ = ["Release"]
