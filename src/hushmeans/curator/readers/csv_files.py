"""CSV files, plain or compressed: every record is parsed on its own, its features as text."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator, Sequence
from csv import reader
from pathlib import PurePosixPath

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from hushmeans.curator.readers.faults import TRUNCATED
from hushmeans.curator.readers.folders import DataFile, named
from hushmeans.curator.readers.types import UNDECLARED
from hushmeans.errors import DataError
from hushmeans.schema.texts import MISSING_TEXTS

HEADER_BYTES = 2**20
"""Bytes that Arrow reads at a time; the header row must end within them."""

CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
"""How a file is compressed, by its last extension."""

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
"""What may separate the fields of a file whose header seems to be a single name."""

NOT_CSV = "this is not a valid CSV file with a header row"
HEADLESS = "the first row looks like a record; add a header row with the column names"
UNEVEN = (
    "some rows do not have as many fields as the header; check the delimiter, and put a field that "
    "contains the delimiter in double quotes"
)
OTHER_ENCODING = (
    "the first row is not text in the encoding of the file; set the encoding, such as latin-1 "
    "(--encoding), or check that this is a CSV file"
)


def csv_schema(file: DataFile) -> pa.Schema:
    """The columns named in the header row, which declares no types."""
    with _opened(file, _Passing(file)) as table:
        return pa.schema([(name, UNDECLARED) for name in table.schema.names])


def csv_batches(file: DataFile, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
    """The named columns as bytes, to be parsed; batches are as large as Arrow's blocks.

    A field may contain any text except line breaks: a stray quote must not make one record
    swallow the following ones.
    """
    passing = _Passing(file)
    with _opened(file, passing) as table:
        for batch in table:
            if passing.quoted:
                _check_line_ends(batch, file.label)
            yield batch.select(list(names)), passing.count / max(file.size, 1)


def not_csv(error: Exception) -> str:
    """Why a file is none, without the value that an exception quotes."""
    if isinstance(error, UnicodeError):
        return OTHER_ENCODING
    return UNEVEN if isinstance(error, pa.ArrowInvalid) else NOT_CSV


def ended_early(error: Exception) -> str:
    """Why a file cannot be read to its end, without the value that an exception quotes."""
    return UNEVEN if isinstance(error, pa.ArrowInvalid) else TRUNCATED


class _Passing:
    """The bytes of a file as they are read: how many, and whether a quote may be among them."""

    def __init__(self, file: DataFile) -> None:
        self.count = 0
        self.quoted = _codec(file) is not None or not _is_utf8(file)

    def __call__(self, data: pa.Buffer) -> bytes:
        found: bytes = data.to_pybytes()
        self.count += len(found)
        self.quoted = self.quoted or b'"' in found
        return found


def _header(file: DataFile, text: str) -> list[str]:
    """The names of the columns, in the text that a file begins with."""
    names = _first_row(text, file.delimiter)
    fault = None
    if not names:
        fault = "the file is empty; a CSV file needs a header row"
    elif len(names) == 1 and (found := _separator(names[0], file.delimiter)) is not None:
        fault = (
            f"the fields are separated by {SEPARATORS[found]}; set the delimiter to {found!r} "
            "(--delimiter)"
        )
    elif "" in names:
        fault = "a column has no name; if it is a pandas index, use to_csv(..., index=False)"
    elif is_record(names):
        fault = HEADLESS
    if fault is not None:
        raise DataError(f"{file.label}: {fault}")
    return names


def _separator(name: str, delimiter: str) -> str | None:
    """What separates the fields of a header that is not separated by its delimiter.

    A comma before a space may belong to a name.
    """
    name = name.replace(", ", "")
    return next((sign for sign in SEPARATORS if sign in name and sign != delimiter), None)


def _opened(file: DataFile, passing: _Passing) -> pa.RecordBatchReader:
    """The table, with all columns read as bytes."""
    text = _beginning(file)
    header = _header(file, text)
    types = [(name, pa.binary()) for name in header]
    if len(text) < HEADER_BYTES // 4 and "\n" not in text.lstrip():
        # Arrow finds no table in a header without a line end.
        return pa.RecordBatchReader.from_batches(pa.schema(types), [])
    # With newlines allowed inside quotes, the text after a stray quote becomes one field, which
    # contains a line break, and the file is refused.
    # In a table with one column an empty line is a record with a missing value.
    parsing = csv.ParseOptions(
        delimiter=file.delimiter, newlines_in_values=True, ignore_empty_lines=len(header) > 1
    )
    raw = pa.TransformInputStream(file.opened(), passing)
    table = csv.open_csv(
        _as_utf8(file, _decompressed(file, raw)),
        parse_options=parsing,
        convert_options=csv.ConvertOptions(
            column_types=dict(types), strings_can_be_null=True, null_values=list(MISSING_TEXTS)
        ),
    )
    if table.schema.names != header:
        raise DataError(
            f"{file.label}: the first row is not a header; add a header row with the column names"
        )
    return table


def _codec(file: DataFile) -> str | None:
    return CODECS.get(PurePosixPath(named(file.path)).suffix.lower())


def _decompressed(file: DataFile, raw: pa.NativeFile) -> pa.NativeFile:
    codec = _codec(file)
    return raw if codec is None else pa.CompressedInputStream(raw, codec)


def _is_utf8(file: DataFile) -> bool:
    return codecs.lookup(file.encoding).name == "utf-8"


def _as_utf8(file: DataFile, stream: pa.NativeFile) -> pa.NativeFile:
    """The text in UTF-8; bytes of it are taken as they are, also those that are no text.

    What cannot be decoded is replaced: to refuse it would tell of the one record that has it.
    """
    if _is_utf8(file):
        return stream
    decoder = codecs.getincrementaldecoder(file.encoding)("replace")

    def transcode(data: pa.Buffer) -> bytes:
        return decoder.decode(data, final=not len(data)).encode("utf-8", "replace")

    return pa.TransformInputStream(stream, transcode)


def _beginning(file: DataFile) -> str:
    """The text that the file begins with; what cannot be decoded is replaced."""
    with _decompressed(file, file.opened()) as stream:
        return io.BufferedReader(stream).read(HEADER_BYTES).decode(file.encoding, "replace")


def _first_row(text: str, delimiter: str) -> list[str]:
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="\n")
    line = next(filter(str.strip, lines), "")
    if "\ufffd" in line:
        raise UnicodeError
    return next(reader([line.rstrip("\r\n")], delimiter=delimiter), [])


def _check_line_ends(batch: pa.RecordBatch, label: str) -> None:
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if pc.any(pc.match_substring_regex(column, r"[\r\n]")).as_py():
            raise DataError(
                f"{label}: column {name!r} has a line break or a stray quote in a field, so the "
                "end of a record is ambiguous; remove the column from the file"
            )


def is_record(names: Sequence[str]) -> bool:
    """Whether the first row of a file cannot be the names of its columns."""
    return any(_is_number(name) or not name.isprintable() for name in names)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
