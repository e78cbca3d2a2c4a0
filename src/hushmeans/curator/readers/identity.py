"""Whose row it is: ids of any type in one exact form, the same in every source."""

from __future__ import annotations

import uuid
from contextlib import suppress
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hushmeans.curator.readers.numbers import present_texts
from hushmeans.errors import InputTypeError

WHOLE_NUMBER = r"^([+-]?[0-9]+)\.0+$"
"""A whole number that a table of floats or decimals writes with a decimal point."""

LARGEST_WHOLE = float(2**63)
"""Floats below this that have no fraction are written as whole numbers."""


def check_identifies(name: str, kind: pa.DataType, where: str = "") -> None:
    """Raise an error unless values of this type can tell people apart."""
    if not _identifies(kind):
        raise InputTypeError(
            f"{where}the person column {name!r} must hold text, bytes or numbers, and its type is "
            "another; convert it to text"
        )


def person_ids(column: pa.Array) -> pa.Array:
    """The ids as bytes: of the text that is written for them in a CSV file; null where missing.

    Two ids are equal if they are written alike. Spaces around a text do not count, and a whole
    number is the same with and without a fraction of zeros (12 and 12.0), so that one person has
    one id in a table of integers, one of floats and a file. A missing id is null, NaN, or one of
    the texts that stand for a missing value in a CSV file.
    """
    kind = column.type
    if isinstance(kind, pa.UuidType):
        return _uuids(column)
    if isinstance(kind, pa.BaseExtensionType):
        return person_ids(column.storage)
    if pa.types.is_dictionary(kind):
        return person_ids(column.dictionary_decode())
    if pa.types.is_run_end_encoded(kind):
        return person_ids(pc.run_end_decode(column))
    if pa.types.is_null(kind):
        return pa.nulls(len(column), pa.binary())
    if pa.types.is_floating(kind):
        return _floats(column.cast(pa.float64()))
    if pa.types.is_integer(kind):
        return column.cast(pa.string()).cast(pa.binary())
    if pa.types.is_decimal(kind):
        return _without_zeros(column.cast(pa.string()).cast(pa.binary()))
    if pa.types.is_fixed_size_binary(kind):
        return column.cast(pa.binary())
    return _without_zeros(present_texts(column).view(pa.binary()))


def ids_of_objects(column: Any) -> pa.Array:
    """A column of Python objects of pandas, whatever they are, as text or bytes."""
    values = column.to_numpy(dtype=object)
    with suppress(Exception):  # most columns hold text alone
        return pa.array(values, pa.string(), from_pandas=True)
    return pa.array([_id_of_object(value) for value in values], pa.binary())


def _id_of_object(value: Any) -> bytes | None:
    """What is written for a value; None where it is missing."""
    try:
        if value is None or value != value:  # NaN and the like
            return None
        if isinstance(value, bytes):
            return value
        whole = isinstance(value, float) and value.is_integer()
        return str(int(value) if whole else value).encode("utf-8", "surrogatepass")
    except Exception:  # an object may raise anything
        return None


def _identifies(kind: pa.DataType) -> bool:
    if isinstance(kind, pa.BaseExtensionType):
        return _identifies(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _identifies(kind.value_type)
    tests = (
        pa.types.is_null,
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_decimal,
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_string_view,
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_binary_view,
        pa.types.is_fixed_size_binary,
    )
    return any(test(kind) for test in tests)


def _uuids(column: pa.Array) -> pa.Array:
    texts = [
        None if value is None else str(uuid.UUID(bytes=value)).encode()
        for value in column.storage.to_pylist()
    ]
    return pa.array(texts, pa.binary())


def _floats(numbers: pa.Array) -> pa.Array:
    """Whole numbers without a fraction, others as Arrow writes them; NaN is missing."""
    known = pc.if_else(pc.is_nan(numbers), None, numbers)
    small = pc.less(pc.abs(known), LARGEST_WHOLE)
    whole = pc.and_(small, pc.equal(pc.trunc(known), known))
    digits = pc.if_else(whole, known, None).cast(pa.int64()).cast(pa.string())
    return pc.coalesce(digits, known.cast(pa.string())).cast(pa.binary())


def _without_zeros(texts: pa.Array) -> pa.Array:
    """Whole numbers without the zeros after a decimal point."""
    if not pc.any(pc.match_substring(texts, ".0")).as_py():
        return texts
    return pc.replace_substring_regex(texts, WHOLE_NUMBER, r"\1")
