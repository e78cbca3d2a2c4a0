"""Values whose range has yet to be found, kept beside the encoded columns of their records.

A value is a float64, kept bit for bit in two columns of whole numbers. So wherever records are
kept, in memory, in files or on a cluster, their values are kept with them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hushmeans.curator.holes import mark_missing
from hushmeans.curator.kernel import chosen_kernel
from hushmeans.schema import Axes, Box
from hushmeans.types import FloatArray, GridArray


def with_values(records: GridArray, values: Sequence[FloatArray]) -> GridArray:
    """Encoded records, followed by the values of each unknown feature."""
    table = np.column_stack(values) + 0.0  # a zero of either sign has the same bits
    table[np.isnan(table)] = np.nan
    return np.concatenate([records, table.view(np.int32)], axis=1)


def values_in(kept: GridArray, n_unknown: int) -> FloatArray:
    """The values of the unknown features of records."""
    return np.ascontiguousarray(kept[:, kept.shape[1] - 2 * n_unknown :]).view(np.float64)


def encoded_as_found(kept: GridArray, before: Box, box: Box) -> GridArray:
    """Records with the values of unknown features encoded, each on its own, and no longer kept.

    Parameters
    ----------
    before, box
        The box with unknown features, and the same with their ranges.
    """
    records = kept[:, : before.n_columns].copy()
    values = values_in(kept, len(before.unknown))
    blocks = [box.layout.blocks[feature] for feature in before.unknown]
    for index, feature in enumerate(before.unknown):
        values[:, index] = box.features[feature].scaled(values[:, index])
    columns = [block.first for block in blocks]
    axes = Axes(box.middle[columns], box.half_width[columns], box.grid)
    steps = chosen_kernel().snap(values, axes)
    for index, block in enumerate(blocks):
        reach = round(block.high * box.grid.unit)
        records[:, block.first] = np.clip(steps[:, index], -reach, reach)
        mark_missing(records[:, block.columns], np.isnan(values[:, index]), block)
    return records
