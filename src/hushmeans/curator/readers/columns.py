"""Arrow columns as features: which of a table are, and their values as floats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hushmeans.curator.readers.numbers import parse_numbers
from hushmeans.curator.readers.types import can_hold, check_identifies, described, wanted
from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema import Box, Schema
from hushmeans.types import IntArray

PER_DAY = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
"""How many of Arrow's units of time a day has."""


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
        found = table.field(name).type
        if not can_hold(found, kind):
            raise InputTypeError(
                f"{where}column {name!r} holds {described(found)}, not {wanted(kind)}; "
                "convert it, declare it as what it is in a schema, or remove it from the features"
            )
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


def as_floats(column: pa.Array) -> pa.Array:
    """A column as float64, each entry on its own: the text of a CSV file is parsed.

    Dates and times are counted in days; dates from 1970-01-01.
    """
    kind = column.type
    if kind == pa.float64():  # most columns; a cast that changes nothing takes as long as encoding
        return column
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return parse_numbers(column)
    if (plain := decoded(column)) is not column:
        return as_floats(plain)
    if pa.types.is_temporal(kind):
        return _days(column)
    return column.cast(pa.float64(), safe=False)


def decoded(column: pa.Array) -> pa.Array:
    """The values of a column that is stored in another form.

    Texts that are repeated get 64-bit offsets: together they may exceed 2 GiB.
    """
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return decoded(column.storage)
    if pa.types.is_dictionary(kind):
        return decoded(_with_room(column.dictionary).take(column.indices))
    if pa.types.is_run_end_encoded(kind):
        roomy = pa.RunEndEncodedArray.from_arrays(column.run_ends, _with_room(column.values))
        return decoded(pc.run_end_decode(roomy[column.offset : column.offset + len(column)]))
    return column


def check_distinct(names: Sequence[str], where: str = "") -> None:
    """Raise an error if two columns of a table have one name."""
    if (twice := named_twice(names)) is not None:
        raise InputError(f"{where}the data has two columns named {twice!r}; rename one of them")


def named_twice(names: Sequence[str]) -> str | None:
    """The first name that occurs twice."""
    if len(set(names)) == len(names):
        return None
    return next(name for name in names if names.count(name) > 1)


def _with_room(values: pa.Array) -> pa.Array:
    """Values of which copies can be taken in any number: Arrow cannot take from a view."""
    if pa.types.is_string(values.type) or pa.types.is_string_view(values.type):
        return values.cast(pa.large_string())
    if pa.types.is_binary(values.type) or pa.types.is_binary_view(values.type):
        return values.cast(pa.large_binary())
    return values


def day_counts(column: pa.Array) -> tuple[int, IntArray]:
    """How many units of a column of times make a day, and its values in them; 0 where missing."""
    kind = column.type
    counts = column.view(pa.int32() if kind.bit_width == 32 else pa.int64()).cast(pa.int64())
    return _per_day(kind), counts.fill_null(0).to_numpy(zero_copy_only=False)


def _days(column: pa.Array) -> pa.Array:
    """Times in days. Whole days and parts of a day are exact, so the unit makes no difference."""
    per_day, counts = day_counts(column)
    whole, rest = np.divmod(counts, per_day)
    return pa.array(whole + rest / per_day, mask=column.is_null().to_numpy(zero_copy_only=False))


def _per_day(kind: pa.DataType) -> int:
    if pa.types.is_date(kind):
        return 1 if pa.types.is_date32(kind) else PER_DAY["ms"]
    return PER_DAY[kind.unit]
