"""The picture of a mixed table; `picture` has that of a table of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from hushmeans.methods.cells import part_edges
from hushmeans.methods.columns import MixedColumns
from hushmeans.methods.cutting import Cutting, ask_mixed_cells
from hushmeans.methods.marginals import ask_mixed_moments
from hushmeans.methods.moments import Moments
from hushmeans.methods.opening import Purse
from hushmeans.methods.picture import Picture, PictureTask, beta_columns, draw_in_parts
from hushmeans.schema.layout import Block
from hushmeans.types import FloatArray, IntArray


def draw_mixed_picture(
    purse: Purse, task: PictureTask, rates: FloatArray, generator: Generator
) -> Picture:
    """As `draw_picture`, for tables with other features than numbers, or with missing values.

    Parameters
    ----------
    rates
        For each column, the fraction of the records that have a value.
    """
    columns = MixedColumns.of(purse.door.layout, rates)
    columns, moments = ask_mixed_moments(purse, columns, task.size)
    door = purse.door
    share = task.share_of_cells(door.noise, len(columns.layout.blocks), purse.spent)
    signal = task.size / door.noise.deviation(1, share)
    cutting = Cutting.of(columns, moments, signal, door.grid, task.n_clusters)
    weights = ask_mixed_cells(purse, columns, cutting, share) if cutting.n_borders else None
    parts = None
    if weights is not None:
        cells = generator.choice(len(weights), size=task.n_records, p=weights / weights.sum())
        parts = cutting.parts_of(cells)
    records = _Synthesis(columns, moments, cutting, parts, task.n_records, generator).records()
    return Picture(records, moments, purse.spent)


@dataclass(frozen=True)
class _Synthesis:
    """Draws each feature by its marginals, within the parts of the records' cells.

    Attributes
    ----------
    parts
        For each column, a row with the part that each record lies in; None if there are no cells.
    """

    columns: MixedColumns
    moments: Moments
    cutting: Cutting
    parts: IntArray | None
    n_records: int
    generator: Generator

    def records(self) -> FloatArray:
        """Draw the records."""
        records = np.empty((self.n_records, len(self.moments.mean)))
        drawn = beta_columns(self.cutting.numbers, self.n_records, self.generator)
        for index, column in enumerate(self.columns.numbers.tolist()):
            records[:, column] = self._numbers(index, drawn[index])
        draws = {"category": self._levels, "flag": self._flags, "cycle": self._points}
        for block in self.columns.others:
            own = None if self.parts is None else self.parts[block.columns].T
            records[:, block.columns] = draws[block.kind](block, own)
        return records

    def _numbers(self, index: int, drawn: FloatArray) -> FloatArray:
        """Numbers, from draws whose place is the unit box."""
        column = int(self.columns.numbers[index])
        middle, reach = self.columns.middle[index], self.columns.reach[index]
        if self.parts is not None:
            borders = (self.cutting.borders[column] - middle) / reach
            borders = np.clip(borders, -1.0, 1.0)  # the grid may be coarse beside the place
            edges = part_edges(self.cutting.numbers.place, index, borders)
            drawn = draw_in_parts(np.sort(drawn), edges, self.parts[column], self.generator)
        numbers: FloatArray = middle + reach * drawn
        return numbers

    def _levels(self, block: Block, parts: IntArray | None) -> FloatArray:
        """One level each: that of the record's cell, or one of those that have no cell."""
        shares = np.maximum(self.moments.mean[block.columns], 0.0) / block.high
        if parts is not None:
            shares[self.cutting.splits[block.first]] = 0.0
        if shares.sum() <= 0:
            shares[:] = 1.0
        levels = self.generator.choice(block.width, self.n_records, p=shares / shares.sum())
        if parts is not None:
            levels = np.where(parts.any(axis=1), parts.argmax(axis=1), levels)
        drawn = np.zeros((self.n_records, block.width))
        drawn[np.arange(self.n_records), levels] = block.high
        return drawn

    def _flags(self, block: Block, parts: IntArray | None) -> FloatArray:
        """Flags: that of the record's cell, or drawn by the share of flags that are set."""
        share = (self.moments.mean[block.first] - block.low) / (block.high - block.low)
        raised = self.generator.random(self.n_records) < share
        if parts is not None and len(self.cutting.borders[block.first]):
            raised = parts[:, 0] == 1
        return np.where(raised, block.high, block.low)[:, None]

    def _points(self, block: Block, parts: IntArray | None) -> FloatArray:
        """Points on a circle, denser towards the mean, in the half or quarter of their cell."""
        mean, deviations = (
            each[block.columns] for each in (self.moments.mean, np.sqrt(self.moments.variance))
        )
        drawn = mean + deviations * self.generator.standard_normal((self.n_records, 2))
        if parts is not None:
            for column in range(2):
                if len(self.cutting.borders[block.first + column]):
                    drawn[:, column] = np.abs(drawn[:, column]) * (2 * parts[:, column] - 1)
        lengths = np.maximum(np.linalg.norm(drawn, axis=1, keepdims=True), 1e-12)
        points: FloatArray = block.high * drawn / lengths
        return points
