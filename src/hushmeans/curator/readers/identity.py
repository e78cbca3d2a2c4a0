"""Whose row it is: ids of any type in one exact form, the same in every source."""

from __future__ import annotations

import uuid

import pyarrow as pa
import pyarrow.compute as pc

from hushmeans.curator.readers.numbers import decoded
from hushmeans.curator.readers.texts import as_texts

WHOLE_NUMBER = r"^([+-]?[0-9]+)\.0+$"
"""A whole number that a table of floats or decimals writes with a decimal point."""


def person_ids(column: pa.Array) -> pa.Array:
    """The ids as bytes: of the text that is written for them in a CSV file; null where missing.

    Two ids are equal if they are written alike. Spaces around a text do not count, and a whole
    number is the same with and without a fraction of zeros (12 and 12.0), so that one person has
    one id in a table of integers, one of decimals and a file. A missing id is null, NaN, or one of
    the texts that stand for a missing value in a CSV file.
    """
    if isinstance(column.type, pa.UuidType):
        return _uuids(column)
    column = decoded(column)
    if pa.types.is_fixed_size_binary(column.type):
        return column.cast(pa.large_binary())
    return _whole_numbers(as_texts(column).cast(pa.large_binary()))


def _uuids(column: pa.Array) -> pa.Array:
    texts = [
        None if value is None else str(uuid.UUID(bytes=value)).encode()
        for value in column.storage.to_pylist()
    ]
    return pa.array(texts, pa.large_binary())


def _whole_numbers(texts: pa.Array) -> pa.Array:
    """The texts, whole numbers among them without the zeros after a decimal point."""
    if not pc.any(pc.match_substring(texts, ".0")).as_py():
        return texts
    return pc.replace_substring_regex(texts, WHOLE_NUMBER, r"\1")
