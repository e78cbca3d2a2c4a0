"""Files without a name, for records that do not fit into memory."""

from __future__ import annotations

from os import PathLike
from tempfile import TemporaryFile
from typing import IO

from hushmeans.curator.readers.faults import read_or_explain


def nameless_file(folder: str | PathLike[str]) -> IO[bytes]:
    """A file that no other process can open, and that is gone when this one ends."""
    return read_or_explain(
        not_kept(folder), lambda: TemporaryFile(dir=folder, buffering=0), why_not_kept
    )


def not_kept(folder: str | PathLike[str]) -> str:
    """What to call a failure to write or read a nameless file."""
    return f"cannot keep the encoded records in {folder}"


def why_not_kept(error: Exception) -> str:
    """Why that failed, and what to do."""
    return (
        f"{getattr(error, 'strerror', None) or 'write error'}; name another folder with cache "
        "(--cache), or keep more in memory with HUSHMEANS_MEMORY"
    )
