"""Declared types of columns: which of them can hold a kind of feature."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from hushmeans.errors import InputTypeError
from hushmeans.schema import Category, Cycle, Date, FeatureKind, Flag, Number, Ordinal
from hushmeans.schema.draft import DeclaredType

Tests = tuple[Callable[[pa.DataType], bool], ...]
"""Arrow's tests of types, of which a type must pass one."""

UNDECLARED = pa.null()
"""The type of a column that declares none, as in CSV files: each value is parsed on its own."""

NUMBERS = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_boolean,
    pa.types.is_decimal,
    pa.types.is_null,
)
DATES = (pa.types.is_null, pa.types.is_date, pa.types.is_timestamp)
TIMES = (*DATES, pa.types.is_time, pa.types.is_duration)
TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
IDS = (
    *TEXTS,
    pa.types.is_null,
    pa.types.is_integer,
    pa.types.is_decimal,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
)
"""The types that can tell people apart."""

HELD_BY = {
    Number: (*NUMBERS, *TIMES),
    Cycle: (*NUMBERS, *TIMES),
    Category: (*NUMBERS, *DATES, *TEXTS),
    Ordinal: (*NUMBERS, *DATES, *TEXTS),
    Flag: (*NUMBERS, *TEXTS),
    Date: (*DATES, *TEXTS),
}
"""Which types can hold which kind, by tests of Arrow's."""

WORDS: dict[DeclaredType, Tests] = {
    "number": (*NUMBERS, pa.types.is_time, pa.types.is_duration),
    "date": DATES,
    "text": TEXTS,
}
"""The types that a word stands for."""

IN_WORDS: dict[type[FeatureKind], str] = {
    Category: "levels (text, numbers or dates)",
    Ordinal: "levels (text, numbers or dates)",
    Flag: "true and false",
    Date: "dates",
}
"""What a column must hold, in a message; numbers for all others."""


def is_any(kind: pa.DataType, tests: Tests) -> bool:
    """Whether a type passes one of Arrow's tests."""
    return any(test(kind) for test in tests)


def check_holds(name: str, column: pa.DataType, kind: FeatureKind, where: str = "") -> None:
    """Raise an error unless a column of this type can hold such a feature."""
    if not is_any(plain_type(column), HELD_BY[type(kind)]):
        wanted = IN_WORDS.get(type(kind), "numbers")
        raise InputTypeError(
            f"{where}column {name!r} holds {_described(column)}, not {wanted}; "
            "convert it, declare its kind in a schema, or remove it from the features"
        )


def check_identifies(name: str, column: pa.DataType, where: str = "") -> None:
    """Raise an error unless values of this type can tell people apart."""
    plain = plain_type(column)
    if pa.types.is_floating(plain):
        raise InputTypeError(
            f"{where}the person column {name!r} has floats, which merge large ids (pandas turns "
            'whole numbers into floats where one is missing); use "Int64" or text where the table '
            "is made"
        )
    if not is_any(plain, IDS):
        raise InputTypeError(
            f"{where}the person column {name!r} must hold text, bytes or whole numbers; "
            "convert it to text"
        )


def type_in_a_word(column: pa.DataType) -> DeclaredType:
    """What the type of a column tells of the feature in it."""
    plain = plain_type(column)
    if pa.types.is_null(plain):
        return "unknown"
    if pa.types.is_boolean(plain):
        return "truth"
    return next((word for word, tests in WORDS.items() if is_any(plain, tests)), "unusable")


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The type of the values that a type stands for."""
    if isinstance(kind, pa.BaseExtensionType):
        return plain_type(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return plain_type(kind.value_type)
    return kind


def _described(kind: pa.DataType) -> str:
    """A type in a word; its details, such as the width of an index, may tell of the records."""
    if pa.types.is_dictionary(kind):
        return "categories"
    plain = plain_type(kind)
    if is_any(plain, TEXTS):
        return "text"
    return "numbers" if is_any(plain, NUMBERS) else "values of another type"
