"""Records of the unit box as a table that people read: numbers, levels, truth values, dates."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from hushmeans.schema import Box
from hushmeans.schema.feature_kind import FeatureKind
from hushmeans.schema.kinds import EPOCH, Category, Cycle, Date, Flag, Ordinal
from hushmeans.types import FloatArray

if TYPE_CHECKING:
    import pyarrow as pa


def as_records(records: FloatArray, box: Box) -> pa.Table:
    """A column per feature, with the values that a table of records would have."""
    import pyarrow as pa

    original = box.from_unit_box(records)
    columns, names = [], []
    for index, (block, kind) in enumerate(zip(box.layout.blocks, box.features, strict=True)):
        columns.append(_column(original[:, block.columns], kind))
        names.append(box.names[index] if box.names else f"feature {index}")
    return pa.table(columns, names=names)


def _column(values: FloatArray, kind: FeatureKind) -> pa.Array:
    """The values of one feature, from those of its columns."""
    import pyarrow as pa

    if isinstance(kind, Category):
        levels = np.array(kind.column_labels, dtype=object)
        return pa.array(levels[values.argmax(axis=1)])
    if isinstance(kind, Cycle):
        turns = np.arctan2(values[:, 1], values[:, 0]) / (2 * np.pi) % 1
        return pa.array(turns * kind.period)
    (column,) = values.T
    if isinstance(kind, Flag):
        return pa.array(column > sum(kind.ends) / 2)
    if isinstance(kind, Ordinal):
        return pa.array([str(kind.order[place]) for place in np.rint(column).astype(int)])
    if isinstance(kind, Date):
        return pa.array([EPOCH + timedelta(days=int(day)) for day in np.rint(column)])
    return pa.array(column)
