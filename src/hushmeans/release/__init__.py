"""What leaves the curator: the release, its document, statement and noise verdict."""

from hushmeans.release.release import Release

__all__ = ["Release"]
