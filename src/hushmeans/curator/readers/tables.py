"""Tables of any library that exports Arrow streams: only the features are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from weakref import WeakSet

import pyarrow as pa

from hushmeans.curator.readers.columns import check_distinct, chosen_columns, needed_columns
from hushmeans.curator.readers.faults import iterate_or_explain
from hushmeans.curator.readers.objects import ids_of_objects, texts_of_objects
from hushmeans.curator.readers.reading import Reading
from hushmeans.errors import HushmeansError, InputError, InputTypeError
from hushmeans.schema import Schema

Choose = Callable[[Sequence[str]], list[str]]
"""Which of a table's columns to read."""

Selection = Callable[[Any, Choose], Any]
"""From a table to a stream, or to what exports one, of the chosen columns."""

BEGUN: WeakSet[pa.RecordBatchReader] = WeakSet()
"""Streams that were read: the second time, they would seem to be tables without records."""

STREAM_ROWS = 65_536
"""Records that a query engine is asked for at a time."""


def is_table(data: Any) -> bool:
    """Whether the data is a table with column names that can be read as Arrow columns."""
    if hasattr(data, "iloc") or hasattr(data, "scanner") or _library(data) in SELECTIONS:
        return True
    return hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__array_interface__")


def open_table(data: Any, schema: Schema, columns: Sequence[str] | None = None) -> Reading:
    """The records of a table; of a query, it runs when they are read."""
    choose = partial(chosen_columns, schema=schema, columns=columns)
    select = partial(_pandas, schema=schema) if hasattr(data, "iloc") else _selected
    stream = _stream(data, select, choose)
    box, names = needed_columns(stream.schema, schema, columns)
    batches = _batches(stream, names, type(data).__name__)
    return Reading(box, batches, schema.person is not None)


def known_columns(data: Any, names: Sequence[str]) -> Any:
    """The named columns of a table, in the table's order."""
    if hasattr(data, "iloc"):
        return data.loc[:, [str(name) in names for name in data.columns]]

    def choose(available: Sequence[str]) -> list[str]:
        return [name for name in available if name in names]

    table = _stream(data, _selected, choose).read_all()
    return table.select(choose(table.column_names))


def _batches(
    stream: pa.RecordBatchReader, names: Sequence[str], kind: str
) -> Iterator[pa.RecordBatch]:
    fault = (
        "it cannot be read to its end; run its query alone to see why, where values may be shown"
    )
    for batch in iterate_or_explain(f"the {kind}", iter(stream), fault):
        yield batch.select(list(names))


def _stream(data: Any, select: Selection, choose: Choose) -> pa.RecordBatchReader:
    """A stream of at least the chosen columns."""
    try:
        found = select(data, choose)
        if not isinstance(found, pa.RecordBatchReader):
            return pa.RecordBatchReader.from_stream(found)
        if found in BEGUN:
            raise InputError("this stream was read before and has no records left; make a new one")
        BEGUN.add(found)
        return found
    except HushmeansError:
        raise
    except Exception:  # the messages of Arrow and of query engines quote values
        fault = f"a {type(data).__name__} with these columns cannot be read as a table"
    raise InputTypeError(
        f"{fault}; convert its columns to plain numbers, dates or text or, if it is a query, run "
        "it alone to see why, where values may be shown"
    )


def _selected(data: Any, choose: Choose) -> Any:
    """The chosen columns; the whole table where there is no way to select columns."""
    if hasattr(data, "scanner"):
        return _dataset(data, choose)
    select = SELECTIONS.get(_library(data))
    return data if select is None else select(data, choose)


def _library(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


def _pandas(frame: Any, choose: Choose, schema: Schema) -> pa.Table:
    """The chosen columns, after checking that pandas considers those of numbers numeric."""
    if frame.ndim != 2:
        raise InputError(
            "expected a table, got a single column; use frame[[name]] to keep it a table"
        )
    names = [str(name) for name in frame.columns]
    check_distinct(names)
    if len({isinstance(name, str) for name in frame.columns}) > 1:
        raise InputTypeError(
            "some column names are text and some are not; convert all of them with "
            "frame.columns = frame.columns.astype(str)"
        )
    frame = known_columns(frame, choose(names))
    for name, dtype in zip(map(str, frame.columns), frame.dtypes, strict=True):
        if str(dtype) == "object" and name not in {*schema.texts, schema.person}:
            raise InputTypeError(
                f"column {name!r} has dtype object, which is not numeric; "
                "drop it or convert it with astype"
            )
    if not any(map(_holds_objects, frame.dtypes)):
        return pa.Table.from_pandas(frame, preserve_index=False)
    columns = [_pandas_column(frame, index, schema.person) for index in range(frame.shape[1])]
    return pa.table(columns, names=[str(name) for name in frame.columns])


def _pandas_column(frame: Any, index: int, person: str | None) -> pa.ChunkedArray:
    if _holds_objects(frame.dtypes.iloc[index]):
        converted = ids_of_objects if str(frame.columns[index]) == person else texts_of_objects
        return pa.chunked_array([converted(frame.iloc[:, index])])
    return pa.Table.from_pandas(frame.iloc[:, [index]], preserve_index=False).column(0)


def _holds_objects(dtype: Any) -> bool:
    """Whether a column holds Python objects, or categories that are.

    Periods would be read as numbers, and as objects beside a text.
    """
    categories = getattr(dtype, "categories", None)
    plain = str(dtype if categories is None else categories.dtype)
    return plain == "object" or plain.startswith("period")


def _dataset(dataset: Any, choose: Choose) -> pa.RecordBatchReader:
    check_distinct(dataset.schema.names)
    return dataset.scanner(columns=choose(dataset.schema.names)).to_reader()


def _polars(frame: Any, choose: Choose) -> Any:
    chosen = frame.select(choose(frame.collect_schema().names()))
    for name, kind in chosen.collect_schema().items():
        if str(kind) == "Object":  # its Arrow column holds addresses in memory
            raise InputTypeError(f"column {name!r} has dtype Object; convert it to text or numbers")
    if not hasattr(chosen, "collect_batches"):
        return chosen
    schema = chosen.collect_schema().to_frame(eager=True).to_arrow().schema
    frames = chosen.collect_batches(chunk_size=STREAM_ROWS)
    batches = (batch for some in frames for batch in some.to_arrow().cast(schema).to_batches())
    return pa.RecordBatchReader.from_batches(schema, batches)


def _duckdb(relation: Any, choose: Choose) -> pa.RecordBatchReader:
    from duckdb import ColumnExpression

    chosen = relation.select(*map(ColumnExpression, choose(relation.columns)))
    stream = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_record_batch  # the old name
    return stream(STREAM_ROWS)


def _ibis(table: Any, choose: Choose) -> Any:
    chosen = table.select(choose(table.columns))
    engine = chosen.get_backend()
    if engine.name != "duckdb" or hasattr(engine.con, "fetch_record_batch"):
        return chosen.to_pyarrow_batches(chunk_size=STREAM_ROWS)
    # Ibis 12 asks DuckDB for batches by the name that DuckDB 2 no longer has.
    with suppress(Exception):  # the connection does not know a table in Python's memory
        return _duckdb(engine.con.sql(engine.compile(chosen)), choose)
    return chosen.to_pyarrow()


def _datafusion(frame: Any, choose: Choose) -> Any:
    from datafusion import col

    quoted = ('"' + name.replace('"', '""') + '"' for name in choose(frame.schema().names))
    return frame.select(*map(col, quoted))


def _daft(frame: Any, choose: Choose) -> pa.RecordBatchReader:
    chosen = frame.select(*choose(frame.column_names))
    return pa.RecordBatchReader.from_batches(
        chosen.schema().to_pyarrow_schema(), chosen.to_arrow_iter()
    )


SELECTIONS: dict[str, Selection] = {
    "polars": _polars,
    "duckdb": _duckdb,
    "ibis": _ibis,
    "datafusion": _datafusion,
    "daft": _daft,
}
"""How the tables of each library select columns, so that no other is computed or read."""
