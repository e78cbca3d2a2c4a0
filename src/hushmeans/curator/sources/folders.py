"""Which files a path means, and what the names of folders say about the records in them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from hushmeans.curator.sources.faults import explained_as, read_or_explain
from hushmeans.errors import InputError

FORMAT_BY_SUFFIX = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
"""The formats that are read, by how the name of a file ends."""

HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
"""What Hive calls a folder for records whose value is missing."""


@dataclass(frozen=True)
class DataFile:
    """One file of records.

    Attributes
    ----------
    label
        What to call it in a message: its path, without the values that folders are named after.
    partition
        The columns that its folders stand for (``year=2024``), and the text of their values.
    stamp
        What tells it from any other file, and its size and time of change, by which another
        content is noticed.
    """

    path: Path = field(repr=False)
    label: str
    partition: Mapping[str, str] = field(default_factory=dict, repr=False)
    stamp: tuple[int, ...] = ()

    @property
    def format(self) -> str:
        """What it is by its name; an unknown kind is refused."""
        name = self.path.name.lower()
        for suffix, kind in FORMAT_BY_SUFFIX.items():
            if name.endswith(suffix):
                return kind
        raise InputError(
            f"{self.label}: it is not a table by its name, which must end in one of "
            f"{', '.join(FORMAT_BY_SUFFIX)}"
        )

    def check_unchanged(self) -> None:
        """Raise if the file is another one than when it was found."""
        if (
            read_or_explain(self.label, lambda: _stamp(self.path), explained_as("it is gone"))
            != self.stamp
        ):
            raise InputError(f"{self.label}: it has changed while it was read; start again")


def find_files(path: Path) -> tuple[DataFile, ...]:
    """The file at the path, or all files below the folder, in the order of their names.

    Below a folder, names that begin with a dot or an underscore are passed over, as Spark and
    Hive do: they mark what is no data.
    """
    if not read_or_explain(str(path), path.is_dir, _missing):
        return (lone_file(path),)
    paths = read_or_explain(
        str(path), lambda: _below(path), explained_as("the folder cannot be read")
    )
    if not paths:
        raise InputError(f"{path}: there are no files in this folder")
    files = tuple(_file_below(path, each) for each in paths)
    first_of: dict[tuple[int, ...], DataFile] = {}
    for file in files:
        if (other := first_of.setdefault(file.stamp, file)) is not file:
            raise InputError(
                f"{file.label}: it is the same file as {other.label}, by a link; its records would "
                "count twice"
            )
        if file.format != files[0].format:
            raise InputError(
                f"{file.label}: it is not of the same format as {files[0].label}; "
                "keep them in folders of their own"
            )
    return files


def lone_file(path: Path) -> DataFile:
    """A file that is named by itself."""
    _check_name(path, str(path))
    stamp = read_or_explain(str(path), lambda: _stamp(path), _missing)
    return DataFile(path, str(path), stamp=stamp)


def partition_number(text: str) -> float | None:
    """The value that a folder stands for, missing as NaN; None where it is no number."""
    if text == HIVE_NULL:
        return math.nan
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _below(folder: Path) -> list[Path]:
    """All files that are not hidden; a folder that cannot be looked into is no empty one."""

    def fail(error: OSError) -> None:
        raise error

    found, visited = [], set()
    for above, _, names in os.walk(folder, onerror=fail, followlinks=True):
        real = os.path.realpath(above)
        if real in visited:
            raise InputError(f"{folder}: a link in it leads to a folder that is in it already")
        visited.add(real)
        found += [Path(above, name) for name in names]
    found.sort()
    return [path for path in found if not any(map(_hidden, path.relative_to(folder).parts))]


def _hidden(name: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _file_below(folder: Path, path: Path) -> DataFile:
    *folders, name = path.relative_to(folder).parts
    pairs = [each.partition("=") for each in folders]
    label = folder.joinpath(*(f"{key}=*" if equals else key for key, equals, _ in pairs), name)
    _check_name(path, str(label))
    partition = {unquote(key): unquote(value) for key, equals, value in pairs if equals}
    stamp = read_or_explain(str(label), lambda: _stamp(path), _missing)
    return DataFile(path, str(label), partition, stamp)


def _check_name(path: Path, label: str) -> None:
    """Arrow opens files by names in UTF-8."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise InputError(f"{label!a}: its name is not UTF-8; rename it") from None


def _stamp(path: Path) -> tuple[int, ...]:
    found = os.stat(path)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _missing(error: Exception) -> str:
    gone = isinstance(error, FileNotFoundError | NotADirectoryError)
    return "there is no such file" if gone else "it cannot be read"
