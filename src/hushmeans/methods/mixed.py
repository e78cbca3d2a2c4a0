"""Synthetic data for mixed tables: marginals of all features, the spread of numbers, cell counts.

As `picture` does for numbers alone. A level's share is the mean of its column, so one question
gives all marginals. Cells divide the ranges of numbers, and split off the levels that explain most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Cells, Norm, Shifts, Spread
from hushmeans.methods.blocks import within_blocks
from hushmeans.methods.opening import Purse
from hushmeans.methods.picture import (
    MOST_BEFORE_NARROWING,
    MOST_HALVINGS,
    NARROW,
    NARROWEST,
    SPREAD_ERROR,
    THRESHOLD,
    WORTH_NARROWING,
    Moments,
    Picture,
    _beta_columns,
    _borders,
    _draw_in_parts,
    _edges,
    share_of_cells,
)
from hushmeans.methods.place import BOX_VARIANCE, LITTLE, MEAN_ERROR, Place, share_for_moment
from hushmeans.methods.presence import Presence, without_filled
from hushmeans.schema import Grid, Layout
from hushmeans.schema.layout import Block
from hushmeans.types import FloatArray, IntArray

LEVEL_ERROR = 0.05
"""The noise of a level's share that is good enough."""
MOST_NARROWINGS = 2
HELD_BACK_PART, LEAST_LEFT = 0.95, 0.2
"""A mean is held back if clips leave less than this of the records; less than that is noise."""
HEADROOM = 1.25
"""How much of the expected squares of categories a clip leaves room for."""
MOST_SPLITS = 14
"""At most so many cuts: levels of one category exclude each other, but all cells are counted."""


@dataclass(frozen=True)
class Columns:
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
    def of(cls, layout: Layout, rates: FloatArray) -> Columns:
        blocks = layout.of_kind("number")
        low, high = (np.array([getattr(b, end) for b in blocks]) for end in ("low", "high"))
        first = np.array([block.first for block in blocks], dtype=np.int64)
        return cls(layout, first, (high + low) / 2, (high - low) / 2, rates)

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


def other_norms(columns: Columns, norm: Norm) -> float:
    """The norm of what a record holds in all columns that are no numbers, at most."""
    several = math.sqrt(2) if norm == "l1" else 1.0
    lengths = [block.high * (several if block.kind == "cycle" else 1.0) for block in columns.others]
    return added(lengths, norm)


def added(lengths: list[float] | FloatArray, norm: Norm) -> float:
    """The norm of a vector whose parts have these norms."""
    return float(sum(lengths)) if norm == "l1" else math.sqrt(sum(each**2 for each in lengths))


def clip_of_marginals(columns: Columns, norm: Norm, narrow: float = 1.0) -> float:
    """Numbers are clipped at half of their corner; nothing else is clipped."""
    numbers = narrow * added(columns.reach, norm) / 2
    return added([numbers, other_norms(columns, norm)], norm)


def share_for_marginals(noise: Noise, columns: Columns, size: float) -> float:
    """The share that the marginals of so many records get."""
    levels = [block.high for block in columns.layout.of_kind("category")]
    flags = [2 * block.high for block in columns.layout.of_kind("flag")]
    if levels or flags:
        wanted = LEVEL_ERROR * max(levels or flags)
    else:
        wanted = MEAN_ERROR * max(block.high for block in columns.layout.blocks)
    return share_for_moment(noise, clip_of_marginals(columns, noise.norm), wanted * size)


def draw_mixed_picture(
    purse: Purse,
    presence: Presence,
    size: float,
    n_records: int,
    generator: Generator,
    cells_share: float = 0.0,
) -> Picture:
    """As `draw_picture`, for tables with other features than numbers, or with missing values."""
    columns = Columns.of(purse.door.layout, presence.of_columns)
    moments = _ask_mixed_moments(purse, columns, size)
    door, n_blocks = purse.door, len(columns.layout.blocks)
    share = share_of_cells(n_blocks, cells_share) * min(1.0, 2 * (1 - float(purse.spent)))
    cutting = Cutting.of(columns, moments, size / door.noise.deviation(1, share), door.grid)
    weights = None
    if cutting.n_borders:
        weights = _ask_mixed_cells(purse, columns, cutting, share)
    records = _synthesized(columns, moments, cutting, weights, n_records, generator)
    return Picture(records, moments, purse.spent)


def _ask_mixed_moments(purse: Purse, columns: Columns, size: float) -> Moments:
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
    purse: Purse, columns: Columns, size: float, known: FloatArray, narrow: float
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
    columns: Columns,
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


def _variances(columns: Columns, mean: FloatArray) -> FloatArray:
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


def clip_of_spread(columns: Columns, mean: FloatArray, norm: Norm, narrow: float = 1.0) -> float:
    """A third of the corner of squared numbers, and room for the squares of other columns."""
    numbers = added((narrow * columns.reach) ** 2, norm) / 3
    variances = _variances(columns, mean)
    others = [HEADROOM * float(variances[block.columns].sum()) for block in columns.others]
    return added([numbers, added(others, norm)], norm)


def share_for_number_spread(
    noise: Noise, columns: Columns, mean: FloatArray, size: float, narrow: float = 1.0
) -> float:
    """The share that the spread of the numbers of so many records gets."""
    wanted = SPREAD_ERROR * float((columns.reach**2).mean()) * narrow**2
    return share_for_moment(noise, clip_of_spread(columns, mean, noise.norm, narrow), wanted * size)


def _ask_number_variance(
    purse: Purse, columns: Columns, mean: FloatArray, size: float, narrow: float
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


@dataclass(frozen=True)
class Cutting:
    """How cells divide the box.

    Attributes
    ----------
    numbers
        Moments of the numbers, the reach of each being 1.
    borders
        For each column its borders, in the unit box.
    splits
        For each category, by the first of its columns, the levels that are split off.
    """

    numbers: Moments
    borders: tuple[FloatArray, ...]
    splits: dict[int, list[int]]

    @classmethod
    def of(cls, columns: Columns, moments: Moments, signal: float, grid: Grid) -> Cutting:
        """The cuts that remove most variance per doubling of the cells, while noise allows."""
        of_numbers = _of_numbers(columns, moments)
        halvings, splits = _chosen_cuts(columns, moments, signal)
        borders = [np.empty(0)] * len(moments.mean)
        for index, column in enumerate(columns.numbers.tolist()):
            own = _borders(of_numbers, index, halvings[column])
            borders[column] = columns.middle[index] + columns.reach[index] * own
        for block in columns.others:
            for column in range(block.first, block.first + block.width):
                if block.kind == "category":
                    cut = column - block.first in splits[block.first]
                    borders[column] = np.array([block.high / 2] if cut else [])
                elif halvings[column]:
                    borders[column] = np.array([0.0])
        fixed = tuple(grid.to_unit_box(np.unique(grid.snap(each))) for each in borders)
        return cls(of_numbers, fixed, splits)

    @property
    def n_borders(self) -> int:
        return sum(len(each) for each in self.borders)

    def parts_of(self, cells: IntArray) -> IntArray:
        """For each column, a row with the parts that the cells lie in; the last vary fastest."""
        parts = np.zeros((len(self.borders), len(cells)), dtype=np.int64)
        for column in reversed(range(len(self.borders))):
            if len(self.borders[column]):
                cells, parts[column] = np.divmod(cells, len(self.borders[column]) + 1)
        return parts


def _of_numbers(columns: Columns, moments: Moments) -> Moments:
    """The moments of the numbers alone, each with a reach of 1."""
    return Moments(
        moments.size,
        Place.whole(len(columns.numbers)),
        (moments.mean[columns.numbers] - columns.middle) / columns.reach,
        moments.variance[columns.numbers] / columns.reach**2,
    )


def _chosen_cuts(
    columns: Columns, moments: Moments, signal: float
) -> tuple[IntArray, dict[int, list[int]]]:
    """How often each column is halved, and which levels are split off.

    Cells are doubled at most as often as their records stand out of the noise.
    """
    left = float(min(MOST_HALVINGS, math.floor(math.log2(max(signal, 1)))))
    rest = moments.variance.copy()
    halvings = np.zeros(len(rest), dtype=np.int64)
    splits: dict[int, list[int]] = {b.first: [] for b in columns.layout.of_kind("category")}
    for _ in range(MOST_SPLITS):
        cuts = [
            *_halvings(columns, rest, halvings),
            *_splits(columns, moments.mean, splits),
        ]
        cuts = [cut for cut in cuts if cut[1] <= left]
        if not cuts:
            break
        gain, bits, first, level = max(cuts, key=lambda cut: cut[0] / cut[1])
        if gain <= 0:
            break
        left -= bits
        if first in splits:
            splits[first].append(level)
        else:
            halvings[first] += 1
            rest[first] -= gain
    return halvings, splits


Cut = tuple[float, float, int, int]
"""The variance that a cut removes, what it costs in doublings, its first column and its level."""


def _halvings(columns: Columns, rest: FloatArray, halvings: IntArray) -> Iterator[Cut]:
    """The next halving of each number, flag and cycle; only numbers more than once."""
    for block in columns.layout.blocks:
        if block.kind == "category":
            continue
        for column in range(block.first, block.first + block.width):
            if block.kind != "number" and halvings[column]:
                continue
            removed = 1.0 if block.kind == "flag" else 3 / 4
            yield removed * float(rest[column]), 1.0, column, 0


def _splits(columns: Columns, mean: FloatArray, splits: dict[int, list[int]]) -> Iterator[Cut]:
    """For each category, the most frequent level that is not split off yet."""
    for block in columns.layout.of_kind("category"):
        shares = np.maximum(mean[block.columns], 0.0) / block.high
        done = splits[block.first]
        shares[done] = 0.0
        level = int(shares.argmax())
        without = shares.copy()
        without[level] = 0.0
        gain = block.high**2 * (_impurity(shares) - _impurity(without))
        yield gain, math.log2((len(done) + 2) / (len(done) + 1)), block.first, level


def _impurity(shares: FloatArray) -> float:
    """The variance, among all records, of the levels that are left, with codes of length 1."""
    total = float(shares.sum())
    return total - float((shares**2).sum()) / total if total > 0 else 0.0


def _ask_mixed_cells(
    purse: Purse, columns: Columns, cutting: Cutting, share: float
) -> FloatArray | None:
    """How much each cell weighs; None where no cell stands out of the noise."""
    grid = purse.door.grid
    steps = tuple(tuple(grid.snap(each).tolist()) for each in cutting.borders)
    answer = purse.ask(Cells(grid, steps), share)
    counts = _as_if_present(columns, cutting, answer.values.astype(np.float64))
    possible = _possible(cutting, len(counts))
    kept = np.where(possible & (counts > THRESHOLD * math.sqrt(answer.variance)), counts, 0.0)
    return kept if kept.any() else None


def _as_if_present(columns: Columns, cutting: Cutting, counts: FloatArray) -> FloatArray:
    """Counts of cells in which missing values, filled with the middle border, do not show."""
    sizes = [len(each) + 1 for each in cutting.borders]
    for column, borders in enumerate(cutting.borders):
        if len(borders) and columns.rates[column] < 1:
            before, after = math.prod(sizes[:column]), math.prod(sizes[column + 1 :])
            table = np.moveaxis(counts.reshape(before, sizes[column], after), 1, 2)
            found = without_filled(table, len(borders) // 2, float(columns.rates[column]))
            counts = np.moveaxis(found, 2, 1).ravel()
    return counts


def _possible(cutting: Cutting, n_cells: int) -> FloatArray:
    """Which cells a record can be in: it has one level of a category."""
    parts = cutting.parts_of(np.arange(n_cells))
    possible = np.ones(n_cells, dtype=np.bool_)
    for first, levels in cutting.splits.items():
        if levels:
            possible &= sum(parts[first + level] for level in levels) <= 1
    return possible


def _synthesized(
    columns: Columns,
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
    for index, drawn in enumerate(_beta_columns(cutting.numbers, n_records, generator)):
        column = int(columns.numbers[index])
        middle, reach = columns.middle[index], columns.reach[index]
        if parts is not None:
            edges = _edges(cutting.numbers.place, index, (cutting.borders[column] - middle) / reach)
            drawn = _draw_in_parts(np.sort(drawn), edges, parts[column], generator)
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
    return block.high * drawn / lengths
