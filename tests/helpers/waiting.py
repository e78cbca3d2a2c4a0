"""Waiting for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable

GIVE_UP = 180
"""Seconds after which something is taken for broken; far more than a busy machine needs."""


def wait_until(is_so: Callable[[], bool], otherwise: str = "it never came true") -> None:
    """Look again and again, and fail if it does not come true."""
    end = time.monotonic() + GIVE_UP
    while not is_so():
        assert time.monotonic() < end, otherwise
        time.sleep(0.01)
