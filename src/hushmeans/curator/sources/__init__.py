"""Where records come from. A source encodes them and answers questions about them exactly."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Protocol

from hushmeans.curator.questions import Question
from hushmeans.curator.sources.files import read_csv
from hushmeans.curator.sources.memory import MemorySource, from_memory, from_table
from hushmeans.domain import Bounds, Box
from hushmeans.types import IntArray


class Source(Protocol):
    """Encoded records that can be asked."""

    @property
    def box(self) -> Box:
        """The features, in the order of the table's columns, with their public ranges."""

    def answer(self, question: Question) -> IntArray:
        """The exact sum over all records: private, for the curator alone."""


def open_source(data: Any, bounds: Bounds) -> MemorySource:
    """The source for whatever a user may hand to `fit`: an array, a table or a path.

    Raises
    ------
    InputError, InputTypeError
        Where the schema (shape, column names, column types) does not fit; never because of
        how large or small a value is.
    """
    if isinstance(data, str | os.PathLike):
        return from_table(read_csv(Path(data)), bounds)
    return from_memory(data, bounds)
