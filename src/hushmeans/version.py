"""The version, and the versions of what privacy rests on."""

import platform
from importlib import metadata

__version__ = "0.1.0"


def versions() -> dict[str, str]:
    """The versions to name beside a result."""
    return {
        "hushmeans": __version__,
        "opendp": metadata.version("opendp"),
        "numpy": metadata.version("numpy"),
        "python": platform.python_version(),
    }
