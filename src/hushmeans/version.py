"""The version of hushmeans, and of the packages that the privacy guarantee depends on."""

import platform
from functools import cache
from importlib import metadata

__version__ = "0.1.0"


def versions() -> dict[str, str]:
    """The versions to record with a result."""
    return {
        "hushmeans": __version__,
        "opendp": _installed("opendp"),
        "numpy": _installed("numpy"),
        "python": platform.python_version(),
    }


@cache
def _installed(package: str) -> str:
    """Cached: reading the package's metadata takes longer than a round of a small fit."""
    return metadata.version(package)
