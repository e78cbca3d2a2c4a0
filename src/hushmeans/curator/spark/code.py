"""Executors run the driver's code, or nothing."""

from __future__ import annotations

from hushmeans.curator.compiled.caching import sources_digest

OTHER_VERSION = "an executor has another version of hushmeans, or of what its kernel is made with"
"""What an executor answers whose code is not the driver's."""


def check_code(code: str) -> None:
    """Raise on an executor whose kernel is not made from the same sources as the driver's."""
    if sources_digest() != code:
        raise RuntimeError(OTHER_VERSION)
