"""Whatever a user has, as a stream of batches with the features only, to be read once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from hushmeans.curator.readers.arrays import open_array
from hushmeans.curator.readers.columns import named_twice
from hushmeans.curator.readers.databases import open_query
from hushmeans.curator.readers.files import open_files
from hushmeans.curator.readers.reading import Reading
from hushmeans.curator.readers.tables import is_table, open_table
from hushmeans.curator.watching import Watch
from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema import CSV, SQL, Box, Schema, schema_of


def open_reading(
    data: Any,
    schema: Schema,
    columns: Sequence[str] | None = None,
    watch: Watch | None = None,
) -> Reading:
    """The records of an array, a table, files or a query, after checking their columns.

    Parameters
    ----------
    columns
        The columns of a table or a file to use as features, in this order; None for those that
        the schema names or, if it names none, for all.
    watch
        Receives how many bytes of files are read.

    Raises
    ------
    InputError, InputTypeError
        If the shape, the column names or the column types do not fit; never because of the
        size of a value.
    """
    schema, columns = narrowed(schema, columns)
    if isinstance(data, SQL):
        return open_query(data, schema, columns)
    if is_place(data):
        return open_files(data, schema, columns, watch or Watch())
    return (open_table if is_table(data) else open_array)(data, schema, columns)


def open_reading_for_box(data: Any, box: Box) -> Reading:
    """The records with the features of a box; other columns are ignored."""
    named = is_place(data) or is_table(data)
    return open_reading(data, schema_of(box), box.names if named else None)


def is_place(data: Any) -> bool:
    """Whether the data says where records are: a path, a URL or a query."""
    return isinstance(data, str | os.PathLike | CSV | SQL)


def narrowed(
    schema: Schema, columns: Sequence[str] | None
) -> tuple[Schema, tuple[str, ...] | None]:
    """The schema of the selected features, and their names, which must be distinct."""
    if columns is None:
        return schema, None
    if isinstance(columns, str) or not all(isinstance(name, str) for name in columns):
        raise InputTypeError("columns must be a list of column names, as text")
    names = tuple(columns)
    if not names:
        raise InputError("columns is empty; name at least one column")
    if (twice := named_twice(names)) is not None:
        raise InputError(f"columns names {twice!r} twice; name each column once")
    return schema.only(names), names
