"""What the records do to their bounds, counted exactly. NOT PRIVATE: for their owner's eyes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np
import pyarrow as pa

from hushmeans.curator.readers import open_reading
from hushmeans.curator.readers.columns import as_floats
from hushmeans.curator.readers.numbers import present_texts
from hushmeans.schema import CSV, Schema


@dataclass(frozen=True)
class ColumnTally:
    """How many values of a feature a fit would not take as they are.

    Attributes
    ----------
    values
        All values, the others included.
    missing
        Empty values, or NaN.
    unreadable
        Text that is not a number.
    below, above
        Numbers outside the bounds.
    """

    name: str
    values: int = 0
    missing: int = 0
    unreadable: int = 0
    below: int = 0
    above: int = 0

    def with_values(self, column: pa.Array, low: float, high: float) -> ColumnTally:
        """The tally after some more values."""
        floats = as_floats(column)
        numbers = floats.to_numpy(zero_copy_only=False)
        texts = present_texts(column) if pa.types.is_binary(column.type) else column
        unreadable = floats.null_count - texts.null_count
        return replace(
            self,
            values=self.values + len(column),
            missing=self.missing + int(np.isnan(numbers).sum()) - unreadable,
            unreadable=self.unreadable + unreadable,
            below=self.below + int((numbers < low).sum()),
            above=self.above + int((numbers > high).sum()),
        )


def tally_columns(
    place: str | PathLike[str] | CSV, schema: Schema, columns: Sequence[str] | None = None
) -> tuple[ColumnTally, ...]:
    """A tally of each feature of a file or a folder of files, read once."""
    reading = open_reading(place, schema, columns)
    box = reading.box
    tallies = [ColumnTally(name) for name in box.names or ()]
    for batch in reading.batches:
        for index, column in enumerate(batch.columns):
            tallies[index] = tallies[index].with_values(column, box.low[index], box.high[index])
    return tuple(tallies)
