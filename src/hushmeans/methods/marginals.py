"""The marginals of a mixed table: the mean of every column, and the spread of its numbers.

A level's share is the mean of its column, so one question gives all marginals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Norm, Shifts, Spread
from hushmeans.methods.blocks import within_blocks
from hushmeans.methods.moments import (
    MOST_BEFORE_NARROWING,
    NARROW,
    NARROWEST,
    SPREAD_ERROR,
    WORTH_NARROWING,
    Moments,
)
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import BOX_VARIANCE, LITTLE, MEAN_ERROR, Place, share_for_moment
from hushmeans.schema import Layout
from hushmeans.schema.layout import Block
from hushmeans.types import FloatArray, IntArray

LEVEL_ERROR = 0.05
"""The noise of a level's share that is good enough."""
MOST_NARROWINGS = 2
HELD_BACK_PART, LEAST_LEFT = 0.95, 0.2
"""A mean is held back if clips leave less than this of the records; less than that is noise."""
HEADROOM = 1.25
"""How much of the expected squares of categories a clip leaves room for."""


@dataclass(frozen=True)
class MixedColumns:
    """The columns of a layout, by what they hold.

    Attributes
    ----------
    numbers
        Columns of numbers, dates and ordinals.
    middle, reach
        The middle of each of those, and half of its range.
    rates
        The part of all records that have a value, for each column of a record.
    """

    layout: Layout
    numbers: IntArray
    middle: FloatArray
    reach: FloatArray
    rates: FloatArray

    @classmethod
    def of(cls, layout: Layout, rates: FloatArray | None = None) -> MixedColumns:
        blocks = layout.of_kind("number")
        low, high = (np.array([getattr(b, end) for b in blocks]) for end in ("low", "high"))
        present = np.ones(layout.n_columns) if rates is None else rates
        first = np.array([block.first for block in blocks], dtype=np.int64)
        return cls(layout, first, (high + low) / 2, (high - low) / 2, present)

    @property
    def others(self) -> tuple[Block, ...]:
        return tuple(block for block in self.layout.blocks if block.kind != "number")

    def part_left(self, mean: FloatArray) -> float:
        """What clipping leaves of the levels, whose sum is known; 1 where there are none."""
        categories = self.layout.of_kind("category")
        if not categories:
            return 1.0
        found = sum(float(mean[block.columns].sum()) for block in categories)
        return min(max(found / sum(block.high for block in categories), LEAST_LEFT), 1.0)


def other_norms(columns: MixedColumns, norm: Norm) -> float:
    """The norm of what a record holds in all columns that are no numbers, at most."""
    several = math.sqrt(2) if norm == "l1" else 1.0
    lengths = [block.high * (several if block.kind == "cycle" else 1.0) for block in columns.others]
    return added(lengths, norm)


def added(lengths: list[float] | FloatArray, norm: Norm) -> float:
    """The norm of a vector whose parts have these norms."""
    return float(sum(lengths)) if norm == "l1" else math.sqrt(sum(each**2 for each in lengths))


def clip_of_marginals(columns: MixedColumns, norm: Norm, narrow: float = 1.0) -> float:
    """Numbers are clipped at half of their corner; nothing else is clipped."""
    numbers = narrow * added(columns.reach, norm) / 2
    return added([numbers, other_norms(columns, norm)], norm)


def share_for_marginals(noise: Noise, columns: MixedColumns, size: float) -> float:
    """The share that the marginals of so many records get."""
    levels = [block.high for block in columns.layout.of_kind("category")]
    flags = [2 * block.high for block in columns.layout.of_kind("flag")]
    if levels or flags:
        wanted = LEVEL_ERROR * max(levels or flags)
    else:
        wanted = MEAN_ERROR * max(block.high for block in columns.layout.blocks)
    return share_for_moment(noise, clip_of_marginals(columns, noise.norm), wanted * size)


def ask_mixed_moments(purse: Purse, columns: MixedColumns, size: float) -> Moments:
    """The means of all columns, and their variances.

    Where numbers turn out to lie close together, mean and spread are asked again with a clip
    that follows them.
    """
    middle = np.zeros(purse.door.n_columns)
    middle[columns.numbers] = columns.middle
    mean = _ask_marginals(purse, columns, size, middle, 1.0)
    narrow = 1.0
    variance, most = _ask_number_variance(purse, columns, mean, size, narrow)
    for _ in range(MOST_NARROWINGS):
        closer = max(NARROW * math.sqrt(most), NARROWEST)
        if closer > WORTH_NARROWING * narrow or purse.spent > MOST_BEFORE_NARROWING:
            break
        narrow = closer
        mean = _ask_marginals(purse, columns, size, mean, narrow)
        variance, most = _ask_number_variance(purse, columns, mean, size, narrow)
    whole = _variances(columns, mean)
    whole[columns.numbers] = variance * columns.reach**2
    return Moments(size, Place.whole(len(mean)), mean, whole)


def _ask_marginals(
    purse: Purse, columns: MixedColumns, size: float, known: FloatArray, narrow: float
) -> FloatArray:
    """The mean of each column, asked again from where it came to if clips held it back.

    Numbers are looked for around a known point, other columns around 0. A record's levels have
    known lengths, so that their sum tells how much of a record the clip leaves on average.
    """
    noise = purse.door.noise
    share = share_for_marginals(noise, columns, size)
    mean, left = _marginals_near(purse, columns, size, known, narrow, share)
    if left < HELD_BACK_PART and share <= LITTLE and purse.spent < MOST_BEFORE_NARROWING:
        again, _ = _marginals_near(purse, columns, size, mean, narrow, share)
        numbers = again[columns.numbers]
        mean = (mean + again) / 2
        mean[columns.numbers] = numbers
    return mean


def _marginals_near(
    purse: Purse,
    columns: MixedColumns,
    size: float,
    known: FloatArray,
    narrow: float,
    share: float,
) -> tuple[FloatArray, float]:
    """The mean of each column, and how much of a record's length the clip leaves."""
    grid, noise = purse.door.grid, purse.door.noise
    start = np.zeros(len(known))
    start[columns.numbers] = known[columns.numbers]
    clip = clip_of_marginals(columns, noise.norm, narrow)
    question = Shifts(
        grid, grid.snap(start[None]), (max(round(clip * grid.unit), 1),), noise.norm, size_unit=0
    )
    answer = purse.ask(question, share)
    way = clip * answer.values[0, :-1] / (grid.unit * size * columns.rates)
    by_noise = clip**2 * answer.variance / (grid.unit * size) ** 2
    left = columns.part_left(way)
    prior = BOX_VARIANCE * (narrow * columns.reach) ** 2
    way[columns.numbers] *= prior / (prior + by_noise)
    mean: FloatArray = within_blocks(columns.layout, (start + way / left)[None])[0]
    return mean, left


def _variances(columns: MixedColumns, mean: FloatArray) -> FloatArray:
    """The variance of each column that follows from its mean; for numbers, none."""
    variance = np.zeros(len(mean))
    for block in columns.others:
        part = mean[block.columns]
        if block.kind == "category":
            variance[block.columns] = part * (block.high - part)
        elif block.kind == "flag":
            variance[block.columns] = (part - block.low) * (block.high - part)
        else:
            variance[block.columns] = max(block.high**2 - float((part**2).sum()), 0.0) / 2
    return variance


def clip_of_spread(
    columns: MixedColumns, mean: FloatArray, norm: Norm, narrow: float = 1.0
) -> float:
    """A third of the corner of squared numbers, and room for the squares of other columns."""
    numbers = added((narrow * columns.reach) ** 2, norm) / 3
    variances = _variances(columns, mean)
    others = [HEADROOM * float(variances[block.columns].sum()) for block in columns.others]
    return added([numbers, added(others, norm)], norm)


def share_for_number_spread(
    noise: Noise, columns: MixedColumns, mean: FloatArray, size: float, narrow: float = 1.0
) -> float:
    """The share that the spread of the numbers of so many records gets."""
    wanted = SPREAD_ERROR * float((columns.reach**2).mean()) * narrow**2
    return share_for_moment(noise, clip_of_spread(columns, mean, noise.norm, narrow), wanted * size)


def _ask_number_variance(
    purse: Purse, columns: MixedColumns, mean: FloatArray, size: float, narrow: float
) -> tuple[FloatArray, float]:
    """The variance of each number, its reach being 1, and how much their mean may be at most."""
    if not columns.numbers.size:
        return np.empty(0), 1.0
    grid, noise = purse.door.grid, purse.door.noise
    clip = clip_of_spread(columns, mean, noise.norm, narrow)
    question = Spread(grid, grid.snap(mean[None]), max(round(clip * grid.unit), 1), noise.norm)
    answer = purse.ask(question, share_for_number_spread(noise, columns, mean, size, narrow))
    squares = columns.reach**2
    present = size * columns.rates[columns.numbers]
    variance = grid.to_unit_box(answer.values)[columns.numbers] / present / squares
    by_noise = answer.variance / (grid.unit * present * squares) ** 2
    average, doubt = float(variance.mean()), math.sqrt(by_noise.sum()) / len(variance)
    common = max(average, 2e-3 * narrow**2)
    spread = float(variance.var())
    if spread > 0:
        believed = np.maximum(0.0, spread - by_noise) / spread
        variance = common + believed * (variance - common)
    least = max(1e-4 * narrow**2, 0.05 * common)
    middle = (mean[columns.numbers] - columns.middle) / columns.reach
    largest = 0.95 * (1 - middle**2)
    shrunk = np.clip(variance, least, np.maximum(largest, least))
    return shrunk, max(average, 0.0) + 1.5 * doubt
