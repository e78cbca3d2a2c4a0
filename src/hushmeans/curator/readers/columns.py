"""Which columns of a table are features, and whether they can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from hushmeans.curator.readers.types import check_holds, check_identifies
from hushmeans.errors import InputError
from hushmeans.schema import Box, Schema


def needed_columns(
    table: pa.Schema,
    schema: Schema,
    columns: Sequence[str] | None = None,
    label: str | None = None,
) -> tuple[Box, tuple[str, ...]]:
    """The features of a table, and the columns to read: theirs and, last, the person's.

    They must be there, once, and of fitting types.

    Parameters
    ----------
    columns
        The names of the features, in this order; None for the columns that the schema names or,
        if it names none, for all.
    label
        The file's name for messages; None if there is no file.
    """
    where = "" if label is None else f"{label}: "
    check_distinct(table.names, where)
    names = tuple(table.names if columns is None else columns)
    if not names:
        raise InputError(f"{where}the data has 0 feature(s), while a minimum of 1 is required")
    for name in names:
        if name not in table.names:
            raise InputError(
                f"{where}there is no column {name!r}; rename or add it, or correct its name"
            )
    box = schema.box(n_features=len(names), names=names)
    names = box.names or ()
    for name, kind in zip(names, box.features, strict=True):
        check_holds(name, table.field(name).type, kind, where)
    person = schema.person
    if person is None:
        return box, names
    if person not in table.names:
        raise InputError(f"{where}there is no column {person!r}; correct person in the schema")
    check_identifies(person, table.field(person).type, where)
    return box, (*names, person)


def chosen_columns(
    available: Sequence[str], schema: Schema, columns: Sequence[str] | None
) -> list[str]:
    """The columns of a table that `needed_columns` looks at, in the table's order."""
    if columns is None:
        if schema.names is None or not available:
            return list(available)
        columns = schema.box(names=available).names or ()
    return [name for name in available if name in columns or name == schema.person]


def check_distinct(names: Sequence[str], where: str = "") -> None:
    """Raise an error if two columns of a table have one name."""
    if (twice := named_twice(names)) is not None:
        raise InputError(f"{where}the data has two columns named {twice!r}; rename one of them")


def named_twice(names: Sequence[str]) -> str | None:
    """The first name that occurs twice."""
    return next((name for name, times in Counter(names).items() if times > 1), None)
