"""The files at a path or a URL, and the values that the names of their folders give."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import pyarrow as pa
from pyarrow import fs

from hushmeans.curator.readers.faults import read_or_explain
from hushmeans.errors import DataError
from hushmeans.schema import CSV

FORMAT_BY_SUFFIX = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".csv.bz2": "csv",
    ".csv.zst": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
"""The supported formats, by file extension."""

AS_CSV = "to read it as CSV all the same, give its delimiter (--delimiter)"
QUERIED = "a database is read with a query instead of a file (--sql and --database; SQL in Python)"
EXPORTED = "export it as CSV or Parquet"
HINT_BY_SUFFIX = {
    ".db": QUERIED,
    ".sqlite": QUERIED,
    ".sqlite3": QUERIED,
    ".duckdb": QUERIED,
    ".xls": EXPORTED,
    ".xlsx": EXPORTED,
    ".ods": EXPORTED,
    ".json": EXPORTED,
    ".dta": EXPORTED,
    ".sav": EXPORTED,
    ".rds": EXPORTED,
}
"""What to do with a file of another format, by its extension."""

OUT_OF_REACH = (
    "no such file or folder, or no access to it; check the address, the connection and the "
    "credentials"
)


@dataclass(frozen=True)
class DataFile:
    """One file of records.

    Attributes
    ----------
    label
        Its name in messages: the path, without the values in the names of folders.
    filesystem
        Where it is; None for this machine's own.
    partition
        The columns given by the names of its folders (``year=2024``), with their values as text.
    size
        In bytes; 0 if the file system does not tell.
    stamp
        Its identity, size and modification time, which reveal a changed file.
    delimiter, encoding
        How the text of a CSV file is written.
    """

    path: str = field(repr=False)
    label: str
    format: str = "csv"
    filesystem: fs.FileSystem | None = None
    partition: Mapping[str, str] = field(default_factory=dict, repr=False)
    size: int = 0
    stamp: tuple[int, ...] = ()
    delimiter: str = ","
    encoding: str = "utf-8"

    def opened(self) -> pa.NativeFile:
        """The file, for reading at any place."""
        return (self.filesystem or fs.LocalFileSystem()).open_input_file(self.path)

    def check_unchanged(self) -> None:
        """Raise an error if the file has changed since it was found."""
        gone = "the file no longer exists"
        if read_or_explain(self.label, lambda: _stamped(self), gone).stamp != self.stamp:
            raise DataError(f"{self.label}: the file changed while it was read; run the fit again")


def find_files(place: str | os.PathLike[str] | CSV) -> tuple[DataFile, ...]:
    """The file at a path or a URL, or all files below the folder, ordered by name.

    Below a folder, names that start with a dot or an underscore are skipped, as in Spark and
    Hive.
    """
    files = _found(place.path if isinstance(place, CSV) else place)
    if isinstance(place, CSV):
        return tuple(
            replace(file, delimiter=place.delimiter, encoding=place.encoding) for file in files
        )
    files = tuple(replace(file, format=format_of(named(file.path), file.label)) for file in files)
    for file in files:
        if file.format != files[0].format:
            raise DataError(
                f"{file.label}: the format differs from that of {files[0].label}; "
                "use a separate folder for each format"
            )
    return files


def format_of(path: str, label: str) -> str:
    """The format by file extension; an unknown one is refused."""
    for suffix, kind in FORMAT_BY_SUFFIX.items():
        if path.lower().endswith(suffix):
            return kind
    hint = HINT_BY_SUFFIX.get(PurePosixPath(path.lower()).suffix, AS_CSV)
    raise DataError(
        f"{label}: unsupported file type; the name must end in one of "
        f"{', '.join(FORMAT_BY_SUFFIX)}; {hint}"
    )


def shown(url: str) -> str:
    """A URL without the passwords and keys that may be in it.

    Examples
    --------
    >>> shown("postgresql://me:secret@host/clinic?sslpassword=secret")
    'postgresql://host/clinic'
    >>> shown("postgresql://me:sec/ret@host/clinic")  # the slash may belong to a password
    'postgresql://...'
    """
    scheme, separator, rest = url.partition("://")
    before = rest.rpartition("@")[0]
    if not separator or (":" in before and re.search("[/?#]", before)):
        return f"{scheme}://..." if separator else "..."
    host, slash, path = without_query(rest).partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def named(place: str) -> str:
    """A path as it is; a URL without its query string, which may hold a signature."""
    return without_query(place) if "://" in place else place


def without_query(url: str) -> str:
    """A URL, or the end of one, up to its query string."""
    return re.split("[?#]", url, maxsplit=1)[0]


def _found(path: str | os.PathLike[str]) -> tuple[DataFile, ...]:
    """The files at a path, all of them there."""
    text = os.fspath(path)
    remote = "://" in text
    label = shown(text) if remote else text
    filesystem, start = _filesystem(text, label) if remote else (None, text)
    names = _names_below(start, label, filesystem)
    if names is None:
        return (_checked(DataFile(start, label, filesystem=filesystem)),)
    visible = [name for name in sorted(names) if _is_visible(name)]
    if not visible:
        raise DataError(f"{label}: the folder contains no files")
    files = tuple(_below_folder(start, label, name, filesystem) for name in visible)
    if not remote:
        _check_links(files)
    return files


def _check_links(files: Sequence[DataFile]) -> None:
    """Raise an error if two names lead to the same file of this machine."""
    first_of: dict[tuple[int, ...], DataFile] = {}
    for file in files:
        if (other := first_of.setdefault(file.stamp, file)) is not file:
            raise DataError(
                f"{file.label}: this is a link to {other.label}, so its records would count twice; "
                "remove one of them"
            )


def _filesystem(url: str, label: str) -> tuple[fs.FileSystem, str]:
    """Arrow's file system for a URL or, where it has none, that of fsspec; and the path in it."""

    def find() -> tuple[fs.FileSystem, str]:
        try:
            found: tuple[fs.FileSystem, str] = fs.FileSystem.from_uri(url)
            return found
        except pa.ArrowInvalid:
            import fsspec

            filesystem, path = fsspec.core.url_to_fs(url)
            return fs.PyFileSystem(fs.FSSpecHandler(filesystem)), path

    return read_or_explain(label, find, _unopened)


def _names_below(start: str, label: str, filesystem: fs.FileSystem | None) -> Sequence[Path] | None:
    """The names of all files below a folder; None if there is no folder, but perhaps a file."""
    if filesystem is not None:
        return read_or_explain(label, lambda: _below_remote(start, filesystem), OUT_OF_REACH)
    if not os.path.isdir(start):
        return None
    return read_or_explain(label, lambda: list(_below(start)), "the folder cannot be read")


def _below_remote(start: str, filesystem: fs.FileSystem) -> Sequence[Path] | None:
    if filesystem.get_file_info(start).type != fs.FileType.Directory:
        return None
    found = filesystem.get_file_info(fs.FileSelector(start, recursive=True))
    return [Path(os.path.relpath(each.path, start)) for each in found if each.is_file]


def _below(folder: str) -> Iterator[Path]:
    """All files below a folder of this machine; one that cannot be read is an error."""

    def fail(error: OSError) -> None:
        raise error

    visited = set()
    for above, _, names in os.walk(folder, onerror=fail, followlinks=True):
        real = os.path.realpath(above)
        if real in visited:
            raise DataError(
                f"{folder}: a link in it leads to a folder that it already contains; remove it"
            )
        visited.add(real)
        yield from (Path(above, name).relative_to(folder) for name in names)


def _is_visible(name: Path) -> bool:
    return not any(
        part.startswith(".") or (part.startswith("_") and "=" not in part) for part in name.parts
    )


def _below_folder(
    folder: str, label: str, name: Path, filesystem: fs.FileSystem | None
) -> DataFile:
    """A file below a folder, with the values that the folders between them give."""
    pairs = [each.partition("=") for each in name.parts[:-1]]
    hidden: Sequence[str] = [f"{key}=*" if equals else key for key, equals, _ in pairs]
    partition = {unquote(key): unquote(value) for key, equals, value in pairs if equals}
    return _checked(
        DataFile(
            f"{folder.rstrip('/')}/{name.as_posix()}",
            "/".join([label.rstrip("/"), *hidden, name.name]),
            filesystem=filesystem,
            partition=partition,
        )
    )


def _checked(file: DataFile) -> DataFile:
    """The file with its size and its stamp, if it is there and has a name that Arrow can read."""
    try:
        file.path.encode()
    except UnicodeEncodeError:
        raise DataError(
            f"{file.label!a}: the file name is not valid UTF-8; rename the file"
        ) from None
    fault = _missing if file.filesystem is None else OUT_OF_REACH
    return read_or_explain(file.label, lambda: _stamped(file), fault)


def _stamped(file: DataFile) -> DataFile:
    if file.filesystem is None:
        found = os.stat(file.path)
        stamp = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
        return replace(file, size=found.st_size, stamp=stamp)
    info = file.filesystem.get_file_info(file.path)
    if info.type == fs.FileType.NotFound:
        raise FileNotFoundError
    size = info.size or 0
    return replace(file, size=size, stamp=(size, info.mtime_ns or 0))


def _unopened(error: Exception) -> str:
    if isinstance(error, OSError):  # nobody answers
        return OUT_OF_REACH
    return "cannot read files at such a URL; install fsspec with the driver for it"


def _missing(error: Exception) -> str:
    gone = isinstance(error, FileNotFoundError | NotADirectoryError)
    return "no such file or folder" if gone else "the file cannot be read"
