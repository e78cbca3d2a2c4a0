"""Text files: read or refused with a reason, canonical JSON, written completely or not at all."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from hushmeans.errors import InputError


def read_text_file(path: Path, what: str) -> str:
    """The text of a UTF-8 file.

    Parameters
    ----------
    what
        What to call the file in an error message.

    Raises
    ------
    InputError
        If the file cannot be read, with the reason.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        reason = "it is not UTF-8 text"
    except OSError as error:
        reason = error.strerror or "it cannot be read"
    except ValueError:  # a null character in the name
        reason = "the file name contains a null character"
    raise InputError(f"cannot read {what} {path}: {reason}")


def parse_json(text: str) -> Any:
    """The content of JSON text; a repeated key is refused, since parsers disagree about it.

    Raises
    ------
    ValueError, RecursionError
        If the text is not JSON, repeats a key or is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=_without_repeated_keys)


def canonical_json(content: Mapping[str, Any]) -> str:
    """JSON that is the same text for the same content."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)


def checksum(content: Mapping[str, Any]) -> str:
    """The SHA-256 of the content, whatever its layout."""
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()


def write_text_file(path: Path, text: str, *, replace: bool = True) -> None:
    """Write a UTF-8 file as a whole, with the errors of `written_whole`."""
    with written_whole(path, replace=replace) as beside:
        beside.write_text(text, encoding="utf-8")


@contextmanager
def written_whole(path: Path, *, replace: bool = True) -> Iterator[Path]:
    """A temporary file next to `path` to write into; it replaces `path` if the block succeeds.

    It is created on entry, so that a folder without write permission is noticed before the
    work starts, and removed again: a process that is killed before it writes leaves nothing.

    Raises
    ------
    InputError
        If the folder cannot be written to or, without `replace`, the file exists.
    """
    beside = path.parent / f".{path.stem}.{uuid4().hex[:8]}{path.suffix}"
    try:
        if path.is_dir():
            raise InputError(f"cannot write {path}: it is a folder")
        if not replace and os.path.lexists(path):  # a dangling link counts as well
            raise _taken(path)
        beside.touch(exist_ok=False)
        beside.unlink()
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


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("it contains a key twice")
    return content


def _move_to_free(beside: Path, path: Path) -> None:
    """Rename, unless another process has written the target in the meantime."""
    try:
        os.link(beside, path)
    except FileExistsError:
        raise _taken(path) from None
    except OSError:  # a file system without links
        os.replace(beside, path)


def _taken(path: Path) -> InputError:
    return InputError(f"{path} already exists; choose another name or delete it")
