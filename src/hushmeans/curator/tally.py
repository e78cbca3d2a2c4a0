"""What the records do to their schema, counted exactly. NOT PRIVATE: for their owner's eyes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np
import pyarrow as pa

from hushmeans.curator.readers import open_reading
from hushmeans.curator.readers.values import are_missing, values_of
from hushmeans.schema import CSV, SQL, Category, Date, FeatureKind, Number, Schema


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
        Text that is not a number or, of another kind, values that fit it in no way.
    below, above
        Numbers and dates outside the bounds; none where a range has yet to be found.
    other
        Values of a category that are none of its levels; None for other kinds.
    """

    name: str
    values: int = 0
    missing: int = 0
    unreadable: int = 0
    below: int = 0
    above: int = 0
    other: int | None = None

    def with_values(self, column: pa.Array, kind: FeatureKind) -> ColumnTally:
        """The tally after some more values."""
        plain = replace(kind, scale="linear") if isinstance(kind, Number) else kind
        values = values_of(column, plain)
        nowhere = int(np.isnan(values).sum())
        missing = min(are_missing(column).true_count, nowhere)
        tally = replace(
            self,
            values=self.values + len(column),
            missing=self.missing + missing,
            unreadable=self.unreadable + nowhere - missing,
        )
        if isinstance(kind, Category):
            last = len(kind.all_levels) - 1
            return replace(tally, other=(self.other or 0) + int((values == last).sum()))
        if kind.is_found or not isinstance(kind, Number | Date):
            return tally
        low, high = kind.ends
        return replace(
            tally,
            below=self.below + int((values < low).sum()),
            above=self.above + int((values > high).sum()),
        )


def tally_columns(
    place: str | PathLike[str] | CSV | SQL, schema: Schema, columns: Sequence[str] | None = None
) -> tuple[ColumnTally, ...]:
    """A tally of each feature of files or a query, read once."""
    reading = open_reading(place, schema, columns)
    box = reading.box
    tallies = [ColumnTally(name) for name in box.names or ()]
    for batch in reading.features():
        for index, column in enumerate(batch.columns):
            tallies[index] = tallies[index].with_values(column, box.features[index])
    return tuple(tallies)
