"""The files at a path, and the values that the names of their folders give."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from hushmeans.curator.sources.faults import explained_as, read_or_explain
from hushmeans.errors import DataError

FORMAT_BY_SUFFIX = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
"""The supported formats, by file extension."""

HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
"""Hive's name for a folder of records whose value is missing."""


@dataclass(frozen=True)
class DataFile:
    """One file of records.

    Attributes
    ----------
    label
        Its name in messages: the path, without the values in the names of folders.
    partition
        The columns given by the names of its folders (``year=2024``), with their values as text.
    stamp
        Its identity, size and modification time, which reveal a changed file.
    """

    path: Path = field(repr=False)
    label: str
    partition: Mapping[str, str] = field(default_factory=dict, repr=False)
    stamp: tuple[int, ...] = ()

    @property
    def format(self) -> str:
        """The format by file extension; an unknown one is refused."""
        name = self.path.name.lower()
        for suffix, kind in FORMAT_BY_SUFFIX.items():
            if name.endswith(suffix):
                return kind
        raise DataError(
            f"{self.label}: unsupported file type; the name must end in one of "
            f"{', '.join(FORMAT_BY_SUFFIX)}"
        )

    def check_unchanged(self) -> None:
        """Raise an error if the file has changed since it was found."""
        if (
            read_or_explain(
                self.label, lambda: _stamp(self.path), explained_as("the file no longer exists")
            )
            != self.stamp
        ):
            raise DataError(f"{self.label}: the file changed while it was read; run the fit again")


def find_files(path: Path) -> tuple[DataFile, ...]:
    """The file at the path, or all files below the folder, ordered by name.

    Below a folder, names that start with a dot or an underscore are skipped, as in Spark and
    Hive.
    """
    if not read_or_explain(str(path), path.is_dir, _missing):
        return (lone_file(path),)
    paths = read_or_explain(
        str(path), lambda: _below(path), explained_as("the folder cannot be read")
    )
    if not paths:
        raise DataError(f"{path}: the folder contains no files")
    files = tuple(_file_below(path, each) for each in paths)
    first_of: dict[tuple[int, ...], DataFile] = {}
    for file in files:
        if (other := first_of.setdefault(file.stamp, file)) is not file:
            raise DataError(
                f"{file.label}: this is a link to {other.label}, so its records would count twice; "
                "remove one of them"
            )
        if file.format != files[0].format:
            raise DataError(
                f"{file.label}: the format differs from that of {files[0].label}; "
                "use a separate folder for each format"
            )
    return files


def lone_file(path: Path) -> DataFile:
    """A file that is not part of a folder."""
    _check_name(path, str(path))
    stamp = read_or_explain(str(path), lambda: _stamp(path), _missing)
    return DataFile(path, str(path), stamp=stamp)


def partition_number(text: str) -> float | None:
    """The value in a folder's name, missing as NaN; None if it is not a number."""
    if text == HIVE_NULL:
        return math.nan
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _below(folder: Path) -> list[Path]:
    """All files that are not hidden; a folder that cannot be read is an error."""

    def fail(error: OSError) -> None:
        raise error

    found, visited = [], set()
    for above, _, names in os.walk(folder, onerror=fail, followlinks=True):
        real = os.path.realpath(above)
        if real in visited:
            raise DataError(
                f"{folder}: a link in it leads to a folder that it already contains; remove it"
            )
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
    """Arrow requires file names in UTF-8."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise DataError(f"{label!a}: the file name is not valid UTF-8; rename the file") from None


def _stamp(path: Path) -> tuple[int, ...]:
    found = os.stat(path)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _missing(error: Exception) -> str:
    gone = isinstance(error, FileNotFoundError | NotADirectoryError)
    return "no such file or folder" if gone else "the file cannot be read"
