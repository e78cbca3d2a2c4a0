"""CSV files, plain or compressed: every record is parsed on its own, its features as text."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from csv import reader
from pathlib import PurePosixPath

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from hushmeans.curator.readers.faults import TRUNCATED, iterate_or_explain, read_or_explain
from hushmeans.curator.readers.folders import DataFile
from hushmeans.curator.readers.types import UNDECLARED
from hushmeans.errors import DataError
from hushmeans.schema.texts import MISSING_TEXTS

HEADER_BYTES = 2**20
"""Bytes that Arrow reads at a time; the header row must end within them."""

CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
"""How a file is compressed, by its last extension."""

SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}
"""What may separate the fields of a file whose header seems to be a single name."""

NOT_CSV = "this is not a valid CSV file with a header row"
OTHER_ENCODING = (
    "the first row is not text in the encoding of the file; set the encoding, such as latin-1 "
    "(--encoding), or check that this is a CSV file"
)


def csv_schema(file: DataFile) -> pa.Schema:
    """The columns named in the header row, which declares no types."""
    header = _header(file)
    with _opened(file, header):
        return pa.schema([(name, UNDECLARED) for name in header])


def csv_batches(file: DataFile, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
    """The named columns as bytes, to be parsed; batches are as large as Arrow's blocks.

    A field may contain any text except line breaks: a stray quote must not make one record
    swallow the following ones.
    """
    header = _header(file)
    with _opened(file, header) as (stream, passing):
        for batch in iterate_or_explain(file.label, iter(stream), _fault):
            if passing.quoted:
                _check_line_ends(batch, file.label)
            part = min(passing.count / file.size, 1.0) if file.size else 0.0
            yield batch.select(list(names)), part


class _Passing:
    """The bytes of a file as they are read: how many, and whether a quote may be among them."""

    def __init__(self, *, quoted: bool) -> None:
        self.count, self.quoted = 0, quoted

    def __call__(self, data: pa.Buffer) -> bytes:
        found: bytes = data.to_pybytes()
        self.count += len(found)
        self.quoted = self.quoted or b'"' in found
        return found


def _header(file: DataFile) -> list[str]:
    """The names of the columns."""
    names = read_or_explain(file.label, lambda: _first_row(file), _header_fault)
    fault = None
    if not names:
        fault = "the file is empty; a CSV file needs a header row"
    elif len(names) == 1 and (found := next(filter(names[0].count, SEPARATORS), None)):
        fault = (
            f"the fields are separated by {SEPARATORS[found]}; set the delimiter to {found!r} "
            "(--delimiter)"
        )
    elif "" in names:
        fault = "a column has no name; if it is a pandas index, use to_csv(..., index=False)"
    elif any(is_number(name) or not name.isprintable() for name in names):
        fault = "the first row looks like a record; add a header row with the column names"
    if fault is not None:
        raise DataError(f"{file.label}: {fault}")
    return names


@contextmanager
def _opened(
    file: DataFile, header: list[str]
) -> Iterator[tuple[Iterable[pa.RecordBatch], _Passing]]:
    """A stream of the table, all columns read as bytes, and what is known of the file's bytes."""
    passing = _Passing(quoted=_codec(file) is not None or not _is_utf8(file))
    stream = read_or_explain(file.label, lambda: _stream(file, header, passing), _fault)
    if stream is None:
        yield (), passing
        return
    with stream:
        if read_or_explain(file.label, lambda: stream.schema.names, NOT_CSV) != header:
            raise DataError(
                f"{file.label}: the first row is not a header; "
                "add a header row with the column names"
            )
        yield stream, passing


def _stream(file: DataFile, header: list[str], passing: _Passing) -> csv.CSVStreamingReader | None:
    """Arrow's reader; None for a header without a line end, in which Arrow finds no table."""
    text = _beginning(file)
    if len(text) < HEADER_BYTES // 4 and "\n" not in text.lstrip():
        return None
    # With newlines allowed inside quotes, the text after a stray quote becomes one field, which
    # contains a line break, and the file is refused.
    # In a table with one column an empty line is a record with a missing value.
    parsing = csv.ParseOptions(
        delimiter=file.delimiter, newlines_in_values=True, ignore_empty_lines=len(header) > 1
    )
    types = dict.fromkeys(header, pa.binary())
    raw = pa.TransformInputStream(file.opened(), passing)
    return csv.open_csv(
        _as_utf8(file, _decompressed(file, raw)),
        parse_options=parsing,
        convert_options=csv.ConvertOptions(
            column_types=types, strings_can_be_null=True, null_values=list(MISSING_TEXTS)
        ),
    )


def _codec(file: DataFile) -> str | None:
    return CODECS.get(PurePosixPath(file.name).suffix.lower())


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


def _first_row(file: DataFile) -> list[str]:
    lines = io.StringIO(_beginning(file).removeprefix("\ufeff"), newline="\n")
    line = next(filter(str.strip, lines), "")
    if "\ufffd" in line:
        raise UnicodeError
    return next(reader([line.rstrip("\r\n")], delimiter=file.delimiter), [])


def _check_line_ends(batch: pa.RecordBatch, label: str) -> None:
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if pc.any(pc.match_substring_regex(column, r"[\r\n]")).as_py():
            raise DataError(
                f"{label}: column {name!r} has a line break or a stray quote in a field, so the "
                "end of a record is ambiguous; remove the column from the file"
            )


def _header_fault(error: Exception) -> str:
    return OTHER_ENCODING if isinstance(error, UnicodeError) else NOT_CSV


def _fault(error: Exception) -> str:
    """Explains an exception without the value it quotes."""
    if isinstance(error, pa.ArrowInvalid):
        return "some rows do not have as many fields as the header"
    return TRUNCATED


def is_number(text: str) -> bool:
    """Whether a text is a number, and so not a column name."""
    try:
        float(text)
    except ValueError:
        return False
    return True
