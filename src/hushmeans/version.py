"""The version, and the versions of what privacy rests on."""

import platform
from functools import cache
from importlib import metadata

__version__ = "0.1.0"


def versions() -> dict[str, str]:
    """The versions to name beside a result."""
    return {
        "hushmeans": __version__,
        "opendp": _installed("opendp"),
        "numpy": _installed("numpy"),
        "python": platform.python_version(),
    }


@cache
def _installed(package: str) -> str:
    """Read once from the package's files, which costs more than a round of a small fit."""
    return metadata.version(package)
