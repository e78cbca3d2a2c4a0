"""Synthetic data from noisy answers: the size, place, mean, spread and cell counts of the records.

Everything after the answers is post-processing: the synthetic records, called the picture, can be
clustered and measured freely without further privacy loss.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.random import Generator

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Cells
from hushmeans.methods.far import put_far_records, surely
from hushmeans.methods.moments import Moments, ask_moments
from hushmeans.methods.occupied import clear_groups, occupied, thin_counts
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import Place
from hushmeans.methods.zooming import MOST_ZOOMS
from hushmeans.schema import Grid
from hushmeans.types import BoolArray, FloatArray, IntArray

PICTURE_QUESTIONS = 9 + 4 * MOST_ZOOMS
"""Two of cells, three spreads and two pairs of means; and for each zoom two pairs more."""
ENOUGH_HALVINGS = 5
"""Halvings that tell clusters apart well, beyond those that make as many cells as clusters; one
less is still worth paying for,"""
MORE_FOR_CELLS, LARGEST_CELLS_SHARE = 2.0, 0.4
"""with so many times the usual share at the most,"""
FEATURES_PER_HALVING = 4
"""and with no more features than that: halvings show little of many features."""
MOST_HALVINGS = 11
"""At most 2048 cells, and a few more outside of the place."""
WHOLE_RANGE = 3
"""A feature halved this often is divided over its whole range, others around the mean."""
DIVIDED_WIDTH = 2.0
"""The number of standard deviations around the mean that are divided."""
FINE_WIDTH = 1.9
"""The same where a feature of a place smaller than the box is halved often: evenly spread records
reach as far as 1.7, and the borders of a place lie further out than its records."""
FAR_PARTS, MOST_FAR_PARTS = 2.0, 6
"""How many times as far out the parts outside of a place end, one after the other."""
FALSE_CELL = 0.1
"""The chance that any empty cells outside of the place count as occupied, about."""
FALSE_CELLS = 0.06
"""Empty cells of the place that may count as occupied by themselves, for each cluster looked for:
each may take a centre, and with few clusters there is none to spare."""
FAR_FROM = 8.0
"""Outside of a place smaller than the box by this factor, false alarms have to be rarer."""
MANY_FEATURES = 4
"""With fewer, cells tell apart what is far from the place; with these, its sides are asked for."""


@dataclass(frozen=True)
class Picture:
    """Synthetic records that resemble the real ones.

    Attributes
    ----------
    records
        The synthetic records, in the unit box.
    moments
        The noisy moments that they follow.
    spent
        The share of the budget that was spent on them, the size included.
    far
        Which group far from the place a record belongs to, from 1 on; 0 if to none. None where
        no such groups were looked for.
    thin
        Which records lie where only many cells together show any: they tell how far clusters
        reach, and not where one is. None where there are no cells.
    """

    records: FloatArray
    moments: Moments
    spent: Fraction
    far: IntArray | None = None
    thin: BoolArray | None = None


@dataclass(frozen=True)
class CellWeights:
    """What the noisy counts say of each cell.

    Attributes
    ----------
    clear
        How much it weighs, if it stands out of the noise.
    thin
        How much it weighs, if only a block of such cells does.
    far
        Its group outside of the place; 0 if it has none.
    """

    clear: FloatArray
    thin: FloatArray
    far: IntArray

    def draw(self, number: int, generator: Generator) -> tuple[IntArray, BoolArray]:
        """So many clear cells, by their weight, and thin ones in proportion; which are thin."""
        weight = self.clear.sum()
        drawn = generator.choice(len(self.clear), number, p=self.clear / weight)
        n_thin = round(number * min(self.thin.sum() / weight, 1.0))
        if n_thin:
            thin = generator.choice(len(self.thin), n_thin, p=self.thin / self.thin.sum())
            drawn = np.concatenate([drawn, thin])
        return drawn, np.arange(len(drawn)) >= number


def draw_picture(
    purse: Purse,
    size: float,
    n_records: int,
    generator: Generator,
    cells_share: float = 0.0,
    n_clusters: int = 5,
) -> Picture:
    """Ask for the moments and the cells of so many records, and generate synthetic ones.

    Parameters
    ----------
    n_clusters
        How many clusters will be looked for.
    cells_share
        The share of the budget for the cells; 0 to choose it by `share_of_cells`.
    """
    moments = ask_moments(purse, size)
    door = purse.door
    share = cells_share or share_of_cells(door.noise, door.n_columns, size, n_clusters)
    share *= min(1.0, 2 * (1 - float(purse.spent)))
    borders = cell_borders(moments, size / door.noise.deviation(1, share), door.grid)
    cells = None
    if any(each.size for each in borders):
        cells = _ask_cells(purse, moments.place, borders, share, FALSE_CELLS * n_clusters)
    records, far, thin = _synthesize(moments, borders, cells, n_records, generator)
    if door.n_columns >= MANY_FEATURES:
        records, far = put_far_records(purse, moments.place, size, records, generator)
    return Picture(records, moments, purse.spent, far, thin)


def share_of_cells(noise: Noise, n_features: int, size: float, n_clusters: int) -> float:
    """The share of the budget for the cells of so many records.

    It follows from the number of features, and is larger where that brings enough cells for each
    cluster above the noise: clusters that the picture runs together are rarely parted later.
    """
    usual = min(0.1 + 0.4 / n_features, LARGEST_CELLS_SHARE)
    most = min(MORE_FOR_CELLS * usual, LARGEST_CELLS_SHARE)
    halvings = min(math.floor(math.log2(n_clusters)) + ENOUGH_HALVINGS, MOST_HALVINGS)
    wanted, least = (share_for_halvings(noise, size, each) for each in (halvings, halvings - 1))
    if least > most or n_features > FEATURES_PER_HALVING * halvings:
        return usual
    return max(usual, min(wanted, most))


def share_for_halvings(noise: Noise, size: float, halvings: int) -> float:
    """The share at which noise allows so many halvings; a little more, as the number is cut off."""
    return (1 + 1e-9) * noise.share_for(1, size / 2**halvings)


def cell_borders(moments: Moments, signal: float, grid: Grid) -> list[FloatArray]:
    """Where to divide each feature: the widest is halved first, while noise allows.

    Parameters
    ----------
    signal
        The number of records over the noise of a cell's count.
    """
    times = np.zeros(len(moments.mean), dtype=np.int64)
    rest = moments.variance.copy()
    for _ in range(min(MOST_HALVINGS, math.floor(math.log2(max(signal, 1))))):
        widest = int(np.argmax(rest))
        times[widest] += 1
        rest[widest] /= 4
    borders = (
        borders_of(moments, feature, int(halvings)) for feature, halvings in enumerate(times)
    )
    return [grid.to_unit_box(np.unique(grid.snap(each))) for each in borders]


def borders_of(moments: Moments, feature: int, halvings: int) -> FloatArray:
    """The inner borders of 2**halvings parts of equal width; far out, of a few wide ones more."""
    place, mean = moments.place, moments.mean[feature]
    low, high = place.low[feature], place.high[feature]
    if halvings < WHOLE_RANGE:
        reach = DIVIDED_WIDTH * math.sqrt(moments.variance[feature])
        return np.linspace(max(mean - reach, low), min(mean + reach, high), 2**halvings + 1)[1:-1]
    if place.half < 1:
        reach = FINE_WIDTH * math.sqrt(moments.variance[feature])
        low, high = max(low, mean - reach), min(high, mean + reach)
    parts = np.linspace(low, high, 2**halvings + 1)
    further = place.half * FAR_PARTS ** np.arange(MOST_FAR_PARTS)
    centre = place.centre[feature]
    borders = np.concatenate([parts, centre - further, centre + further])
    return borders[(borders > -1) & (borders < 1)]


def _ask_cells(
    purse: Purse, place: Place, borders: list[FloatArray], share: float, false_cells: float
) -> CellWeights | None:
    """What the cells hold; None where no cell stands out of the noise."""
    steps = tuple(tuple(purse.door.grid.snap(each).tolist()) for each in borders)
    answer = purse.ask(Cells(purse.door.grid, steps), share)
    outside = _outside(place, borders)
    # The smaller the place, the further out a false alarm would be, and the rarer it has to be.
    alarm = FALSE_CELL * min(1.0, FAR_FROM * place.half) ** 2
    deviation = max(math.sqrt(answer.variance), 1e-6)  # at an enormous epsilon there is no noise
    noise, counts = purse.door.noise, answer.values / deviation
    parts = [len(each) + 1 for each in borders]
    ways = max(sum(each > 1 for each in parts) - 1, 1)  # groups of noise grow with the directions
    alone = surely(noise, ways * int(outside.sum()), alarm)
    far = clear_groups(np.where(outside, counts, 0.0), parts, alone)
    within = occupied(counts, parts, surely(noise, len(counts), false_cells))
    kept = np.where(outside, far > 0, within)
    if not kept.any():
        return None
    thin = thin_counts(counts, parts, kept | outside)
    return CellWeights(np.where(kept, counts, 0.0), thin, far)


def _outside(place: Place, borders: list[FloatArray]) -> BoolArray:
    """Which cells lie outside of the place; the last feature's parts vary fastest."""
    outside = np.zeros(1, dtype=np.bool_)
    for feature, each in enumerate(borders):
        first, last = _parts_inside(place, feature, each)
        parts = np.arange(len(each) + 1)
        outside = (outside[:, None] | (parts < first) | (parts > last)).ravel()
    return outside


def _parts_inside(place: Place, feature: int, borders: FloatArray) -> tuple[int, int]:
    """The first and the last of a feature's parts that belong to the place.

    Borders end within the place, or go on outside of it.
    """
    step = 2e-6  # a border of the place is put on the grid, up or down
    first = int((borders <= place.low[feature] + step).sum())
    last = len(borders) - int((borders >= place.high[feature] - step).sum())
    return first, last


def _synthesize(
    moments: Moments,
    borders: list[FloatArray],
    cells: CellWeights | None,
    n_records: int,
    generator: Generator,
) -> tuple[FloatArray, IntArray | None, BoolArray | None]:
    """Records: a cell by its weight, each feature from a Beta distribution cut to that cell.

    The other arrays are those of `Picture`. Records in thin cells come on top of the number.
    """
    columns = beta_columns(moments, n_records, generator)
    if cells is None:
        mixed = [generator.permutation(column) for column in columns]
        return np.column_stack(mixed), None, None
    rest, thin = cells.draw(n_records, generator)
    drawn, far = [], cells.far[rest]
    for feature in reversed(range(len(columns))):  # the last feature's parts vary fastest
        rest, parts = np.divmod(rest, len(borders[feature]) + 1)
        edges = part_edges(moments.place, feature, borders[feature])
        drawn.append(draw_in_parts(np.sort(columns[feature]), edges, parts, generator))
    return np.column_stack(drawn[::-1]), far, thin


def beta_columns(moments: Moments, n_records: int, generator: Generator) -> list[FloatArray]:
    """Draws of each feature with its mean and variance, within the place."""
    low, width = moments.place.low, moments.place.high - moments.place.low
    centre = np.clip((moments.mean - low) / width, 0.01, 0.99)
    strength = np.maximum(centre * (1 - centre) / (moments.variance / width**2) - 1, 0.05)
    return [
        first + across * generator.beta(c * s, (1 - c) * s, n_records)
        for first, across, c, s in zip(low, width, centre, strength, strict=True)
    ]


def part_edges(place: Place, feature: int, borders: FloatArray) -> FloatArray:
    """The borders of a feature's parts, and where the outer parts end.

    Without parts outside of the place they are at most as wide as their neighbours.
    """
    low, high = place.low[feature], place.high[feature]
    if len(borders) > 1:
        low = max(2 * borders[0] - borders[1], low)
        high = min(2 * borders[-1] - borders[-2], high)
    first, last = _parts_inside(place, feature, borders)
    ends = [-1.0 if first else low], [1.0 if last < len(borders) else high]
    return np.concatenate([ends[0], borders, ends[1]])


def draw_in_parts(
    ordered: FloatArray, edges: FloatArray, part: IntArray, generator: Generator
) -> FloatArray:
    """For each record, a draw from the feature's distribution within the record's part.

    A part that holds fewer than ten of the draws is filled evenly instead.
    """
    places = np.searchsorted(ordered, edges)
    places[0], places[-1] = 0, len(ordered)
    first, held = places[part], np.diff(places)[part]
    chosen = first + (generator.random(len(part)) * held).astype(np.int64)
    drawn = ordered[np.minimum(chosen, len(ordered) - 1)]
    evenly = generator.uniform(edges[part], edges[part + 1])
    return np.where(held >= 10, drawn, evenly)
