"""A record becomes a point of the grid: a pure function of its own values and public bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from hushmeans.curator.holes import mark_missing
from hushmeans.curator.kernel import chosen_kernel
from hushmeans.schema import Block, Box, Category, Cycle
from hushmeans.schema.texts import MISSING
from hushmeans.types import FloatArray, GridArray

DIRECTIONS = 2**16
"""Points of a circle that a cycle's values are rounded to."""

Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]


def encode(values: np.ndarray[Any, Any], box: Box) -> GridArray:
    """Records of plain numbers as points of the grid; no value makes it fail or warn.

    Values outside the bounds, infinite ones too, go to the border; missing values (NaN)
    go to the middle of the range.

    Parameters
    ----------
    values
        One row per record, one column per feature of the box, of any real numeric type.
    """
    with np.errstate(all="ignore"):
        points = values.astype(np.float64, copy=False)
    return chosen_kernel().snap(points, box)


def encode_features(values: Sequence[FloatArray], box: Box) -> GridArray:
    """Records with features of any kind as points of the grid; no value makes it fail or warn.

    Parameters
    ----------
    values
        Per feature of the box, as `hushmeans.curator.readers.values.values_of` gives them.
    """
    records = np.zeros((len(values[0]), box.n_columns), dtype=np.int32)
    features = list(zip(values, box.features, box.layout.blocks, box.reaches, strict=True))
    singles = [(each, block) for each, _, block, _ in features if block.kind in ("number", "flag")]
    if singles:
        _place_singles(singles, box, records)
    for each, kind, block, reach in features:
        columns, missing = records[:, block.columns], np.isnan(each)
        if isinstance(kind, Category):
            _place_levels(each, kind, reach, columns)
        elif isinstance(kind, Cycle):
            missing = _place_directions(each, kind, reach, columns)
        mark_missing(columns, missing, block)
    return records


def is_left_out(values: Sequence[FloatArray], box: Box) -> Flags:
    """Which records a fit leaves out, since they miss a feature without which they do not count."""
    out = np.zeros(len(values[0]), dtype=np.bool_)
    for each, kind in zip(values, box.features, strict=True):
        if kind.missing == "drop":
            out |= np.isnan(each)
    return out


def _place_singles(
    singles: Sequence[tuple[FloatArray, Block]], box: Box, records: GridArray
) -> None:
    """Features of one column: along a line, clipped to their reach."""
    points = np.column_stack([each for each, _ in singles])
    steps = chosen_kernel().snap(points, box.axes)
    for index, (_, block) in enumerate(singles):
        reach = round(block.high * box.grid.unit)
        np.clip(steps[:, index], -reach, reach, out=records[:, block.first])


def _place_levels(numbers: FloatArray, kind: Category, reach: int, columns: GridArray) -> None:
    """A category: the column of its level."""
    levels = kind.all_levels
    missing = levels.index(MISSING) if kind.missing is True else len(levels) - 1
    places = np.where(np.isnan(numbers), missing, numbers).astype(np.int64)
    columns[np.arange(len(numbers)), places] = reach


def _place_directions(values: FloatArray, kind: Cycle, reach: int, columns: GridArray) -> Flags:
    """A cycle: a point of a circle, or its centre where the value has none; tells where."""
    with np.errstate(all="ignore"):
        turns = values / kind.period
        parts = (turns - np.floor(turns)) * DIRECTIONS
    there = np.isfinite(parts)
    columns[there] = _directions(reach)[np.rint(parts[there]).astype(np.int64) % DIRECTIONS]
    return ~there


@lru_cache(maxsize=16)
def _directions(radius: int) -> GridArray:
    """Points of the grid on a circle, cut towards its centre so that none is beyond it.

    A table, since a vector unit's cosine could depend on a record's neighbours.
    """
    angles = [2 * math.pi * step / DIRECTIONS for step in range(DIRECTIONS)]
    points = [(int(radius * math.cos(a)), int(radius * math.sin(a))) for a in angles]
    return np.array(points, dtype=np.int32)
