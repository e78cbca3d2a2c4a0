"""Writing files whole: beside the target first, then renamed, so that none is half-written."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hushmeans.errors import InputError


@contextmanager
def written_whole(path: Path, *, replace: bool = True) -> Iterator[Path]:
    """A file beside `path` to write into; it takes the place of `path` if all goes well.

    The file is made on entry, so that a folder that cannot be written to is noticed before
    the work whose result it should hold.

    Raises
    ------
    InputError
        Where the folder cannot be written to or, without `replace`, the file exists.
    """
    beside = path.parent / f".{path.stem}.{secrets.token_hex(4)}{path.suffix}"
    try:
        if path.is_dir():
            raise InputError(f"cannot write {path}: it is a folder")
        if not replace and os.path.lexists(path):  # a link to nothing is in the way as well
            raise _taken(path)
        beside.touch(exist_ok=False)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    try:
        yield beside
        if replace:
            os.replace(beside, path)
        else:
            _move_to_free(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _move_to_free(beside: Path, path: Path) -> None:
    """Rename, unless somebody else has written the target in the meantime."""
    try:
        os.link(beside, path)
    except FileExistsError:
        raise _taken(path) from None
    except OSError:  # a file system without links
        os.replace(beside, path)


def _taken(path: Path) -> InputError:
    return InputError(f"{path} exists already; choose another name or remove it")
