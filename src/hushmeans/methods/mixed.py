"""Synthetic data for mixed tables, as `picture` has it for numbers alone."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from hushmeans.methods.columns import MixedColumns
from hushmeans.methods.cutting import Cutting, ask_mixed_cells
from hushmeans.methods.marginals import ask_mixed_moments
from hushmeans.methods.moments import Moments
from hushmeans.methods.opening import Purse
from hushmeans.methods.picture import (
    Picture,
    beta_columns,
    draw_in_parts,
    part_edges,
    share_of_cells,
)
from hushmeans.methods.presence import Presence
from hushmeans.schema.layout import Block
from hushmeans.types import FloatArray, IntArray


def draw_mixed_picture(
    purse: Purse,
    presence: Presence,
    size: float,
    n_records: int,
    generator: Generator,
    cells_share: float = 0.0,
    n_clusters: int = 5,
) -> Picture:
    """As `draw_picture`, for tables with other features than numbers, or with missing values."""
    columns = MixedColumns.of(purse.door.layout, presence.of_columns)
    columns, moments = ask_mixed_moments(purse, columns, size)
    door, n_blocks = purse.door, len(columns.layout.blocks)
    share = cells_share or share_of_cells(door.noise, n_blocks, size, n_clusters)
    share *= min(1.0, 2 * (1 - float(purse.spent)))
    signal = size / door.noise.deviation(1, share)
    cutting = Cutting.of(columns, moments, signal, door.grid, n_clusters)
    weights = None
    if cutting.n_borders:
        weights = ask_mixed_cells(purse, columns, cutting, share)
    records = _synthesized(columns, moments, cutting, weights, n_records, generator)
    return Picture(records, moments, purse.spent)


def _synthesized(
    columns: MixedColumns,
    moments: Moments,
    cutting: Cutting,
    weights: FloatArray | None,
    n_records: int,
    generator: Generator,
) -> FloatArray:
    """Records: a cell by its weight, then each feature by its marginals within the cell."""
    parts = None
    if weights is not None:
        cells = generator.choice(len(weights), size=n_records, p=weights / weights.sum())
        parts = cutting.parts_of(cells)
    records = np.empty((n_records, len(moments.mean)))
    for index, drawn in enumerate(beta_columns(cutting.numbers, n_records, generator)):
        column = int(columns.numbers[index])
        middle, reach = columns.middle[index], columns.reach[index]
        if parts is not None:
            borders = (cutting.borders[column] - middle) / reach
            borders = np.clip(borders, -1.0, 1.0)  # the grid may be coarse beside the place
            edges = part_edges(cutting.numbers.place, index, borders)
            drawn = draw_in_parts(np.sort(drawn), edges, parts[column], generator)
        records[:, column] = middle + reach * drawn
    for block in columns.others:
        own = None if parts is None else parts[block.columns].T
        draw = {"category": _draw_levels, "flag": _draw_flags, "cycle": _draw_cycle}[block.kind]
        records[:, block.columns] = draw(block, moments, cutting, own, n_records, generator)
    return records


def _draw_levels(
    block: Block,
    moments: Moments,
    cutting: Cutting,
    parts: IntArray | None,
    n_records: int,
    generator: Generator,
) -> FloatArray:
    """One level each: the one whose cell it is, or one of those that are not split off."""
    shares = np.maximum(moments.mean[block.columns], 0.0) / block.high
    if parts is not None:
        shares[cutting.splits[block.first]] = 0.0
    if shares.sum() <= 0:
        shares[:] = 1.0
    levels = generator.choice(block.width, size=n_records, p=shares / shares.sum())
    if parts is not None:
        levels = np.where(parts.any(axis=1), parts.argmax(axis=1), levels)
    drawn = np.zeros((n_records, block.width))
    drawn[np.arange(n_records), levels] = block.high
    return drawn


def _draw_flags(
    block: Block,
    moments: Moments,
    cutting: Cutting,
    parts: IntArray | None,
    n_records: int,
    generator: Generator,
) -> FloatArray:
    """The flag whose cell it is, or one by its share."""
    share = (moments.mean[block.first] - block.low) / (block.high - block.low)
    raised = generator.random(n_records) < share
    if parts is not None and len(cutting.borders[block.first]):
        raised = parts[:, 0] == 1
    return np.where(raised, block.high, block.low)[:, None]


def _draw_cycle(
    block: Block,
    moments: Moments,
    cutting: Cutting,
    parts: IntArray | None,
    n_records: int,
    generator: Generator,
) -> FloatArray:
    """Points of the circle, denser towards the mean; in the half or quarter whose cell it is."""
    deviations = np.sqrt(moments.variance[block.columns])
    drawn = moments.mean[block.columns] + deviations * generator.standard_normal((n_records, 2))
    if parts is not None:
        for column in range(2):
            if len(cutting.borders[block.first + column]):
                drawn[:, column] = np.abs(drawn[:, column]) * (2 * parts[:, column] - 1)
    lengths = np.maximum(np.linalg.norm(drawn, axis=1, keepdims=True), 1e-12)
    points: FloatArray = block.high * drawn / lengths
    return points
