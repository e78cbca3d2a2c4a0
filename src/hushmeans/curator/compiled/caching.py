"""Compiled code on disk, which never outlives the sources it was compiled from.

Numba judges whether kept code is still good by the one file that a function is written in. Our
functions are made of parts in other files, and a change there would go unnoticed. So the files
that keep compiled code carry a digest of every source in this folder in their names: code
compiled from other sources is never looked at, and is deleted when new code is kept.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache

from hushmeans.version import __version__

PYTHON = f"py{sys.version_info.major}{sys.version_info.minor}{getattr(sys, 'abiflags', '')}"
"""Code compiled under another Python is not ours to load or to delete."""


@cache
def sources_digest() -> str:
    """A digest of all that compiled code comes from, except the processor, which Numba minds.

    That is every module of this folder, the version of hushmeans, and the versions of the
    libraries that compile.
    """
    versions = (__version__, numba.__version__, llvmlite.__version__, np.__version__)
    digest = sha256(repr(versions).encode())
    sources = [each for each in files(__package__).iterdir() if each.name.endswith(".py")]
    if not sources:
        raise RuntimeError("without its sources, nobody can tell what compiled code comes from")
    for source in sorted(sources, key=lambda each: each.name):
        content = source.read_bytes()
        digest.update(f"{source.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:24]


class _NamedAfterSources(CompileResultCacheImpl):
    """Where the compiled code of one function is kept."""

    def get_filename_base(self, fullname, abiflags):
        return f"{fullname}-{sources_digest()}.{PYTHON}"


class SourcesCache(FunctionCache):
    """Numba's cache of one function, with files named after the sources."""

    _impl_class = _NamedAfterSources

    def __init__(self, function):
        super().__init__(function)
        if sources_digest() not in str(getattr(self._cache_file, "_index_path", "")):
            raise RuntimeError("this version of Numba names its files in another way")

    def save_overload(self, signature, data):
        """Keep compiled code, and delete what was compiled from other sources."""
        super().save_overload(signature, data)
        name = self._impl.filename_base.partition("-")[0]
        for path in Path(self.cache_path).glob(f"{name}-*.{PYTHON}.*"):
            if sources_digest() not in path.name:
                with suppress(OSError):  # deleted by another process, or not ours to delete
                    path.unlink()


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator: compile on first use, and keep the result on disk where that is possible."""

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = inlined(**options)(function)
        try:
            dispatcher._cache = SourcesCache(function)
        except RuntimeError:  # Numba finds no folder that it may write to
            _warn_of_no_cache()
        return dispatcher

    return decorate


def inlined(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator: compile as a part of the functions that call it.

    What is kept on disk names the types of arguments. Parts are not kept, so that no type of ours
    is named there: a later version could not read it if the type is gone.
    """
    decorate: Callable[[Callable[..., Any]], Any]
    decorate = njit(nogil=True, error_model="numpy", **options)
    return decorate


def _warn_of_no_cache() -> None:
    """Say once (Python shows a warning once per place) why every start will take longer."""
    warnings.warn(
        "compiled code cannot be kept on this machine, so each process compiles it anew, which "
        "takes seconds; set NUMBA_CACHE_DIR to a folder that can be written to",
        RuntimeWarning,
        stacklevel=2,
    )
