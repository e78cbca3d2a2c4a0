"""How much memory the encoded records of a fit may take."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from hushmeans.errors import InputError

MEMORY_VARIABLE = "HUSHMEANS_MEMORY"
"""The environment variable that sets the limit, such as 500MB or 8GB."""

CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
"""Where Linux tells a process in a container how much memory it may use."""

BYTES_IN = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def memory_limit() -> int:
    """The limit in bytes: what the user sets, or a quarter of what the machine has."""
    text = os.environ.get(MEMORY_VARIABLE)
    if not text:
        return _machine_memory() // 4
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)I?B?", text.strip().upper())
    if found is None:
        raise InputError(
            f"{MEMORY_VARIABLE} is {text!r}; set it to a number of bytes such as 500MB or 8GB"
        )
    return int(float(found[1]) * BYTES_IN[found[2]])


def _machine_memory() -> int:
    """The bytes of memory of this machine, or of the container that this process runs in."""
    machine = 8 * 2**30  # on systems that do not tell
    with suppress(AttributeError, OSError, ValueError):
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):
        machine = min(machine, int(CONTAINER_LIMIT.read_text(encoding="ascii")))
    return machine
