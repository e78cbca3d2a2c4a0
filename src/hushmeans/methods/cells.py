"""The cells of a table of numbers: where they divide the box, and what their noisy counts tell."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Cells
from hushmeans.methods.moments import Moments
from hushmeans.methods.occupied import alarm_threshold, clear_groups, occupied, thin_counts
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import Place
from hushmeans.schema import Grid
from hushmeans.types import BoolArray, FloatArray, IntArray

MOST_HALVINGS = 11
"""The largest number of halvings: at most 2048 cells, and a few more outside of the place."""
ENOUGH_HALVINGS = 5
"""The share aims at this many halvings beyond those that make as many cells as clusters. It exceeds
the usual one only if it pays for all of them but one. Higher values separate clusters better."""
MORE_FOR_CELLS, LARGEST_CELLS_SHARE = 2.0, 0.4
"""Limits on the share: a multiple of the usual one, and an absolute limit."""
FEATURES_PER_HALVING = 4
"""With more features than this per halving, the usual share is not exceeded: halving some of many
features tells little."""
WHOLE_RANGE = 3
"""A feature halved this often is divided over its whole range; others, around their mean only."""
DIVIDED_WIDTH = 2.0
"""How far from the mean, in standard deviations, a feature halved less often is divided."""
FINE_WIDTH = 1.9
"""The same for a feature halved often in a place smaller than the box, whose borders lie further
out than its records. It must exceed 1.7, the reach of evenly distributed records."""
FAR_PARTS, MOST_FAR_PARTS = 2.0, 6
"""Outside of the place, a feature halved often is divided at this factor's powers of the place's
half width, this many times."""
FALSE_CELL = 0.1
"""The probability that any empty cell outside of the place counts as occupied."""
FAR_FROM = 8.0
"""In a place smaller than the box by more than this factor, that probability decreases with the
square of the half width: a false alarm far out costs a centre and puts it far from all records."""
FALSE_CELLS = 0.06
"""The expected number of isolated empty cells of the place that count as occupied, per cluster.
Each may attract a centre; with few clusters there is none to spare."""
ON_THE_BORDER = 2e-6
"""Borders this close to that of the place coincide with it; they differ by rounding to the grid."""


@dataclass(frozen=True)
class CellWeights:
    """What the noisy counts tell about each cell.

    Attributes
    ----------
    clear
        The weight of a cell that stands out of the noise; 0 for others.
    thin
        The weight of a cell that stands out only together with the block of cells around it.
    far
        The group of a cell outside of the place, from 1; 0 for cells within and for empty ones.
    """

    clear: FloatArray
    thin: FloatArray
    far: IntArray


def share_of_cells(noise: Noise, n_features: int, size: float, n_clusters: int) -> float:
    """The share of the budget for the cells of this many records.

    It depends on the number of features, and is larger if that makes enough cells per cluster stand
    out of the noise: clusters that the picture does not separate are rarely separated later.
    """
    usual = min(0.1 + 0.4 / n_features, LARGEST_CELLS_SHARE)
    most = min(MORE_FOR_CELLS * usual, LARGEST_CELLS_SHARE)
    halvings = min(math.floor(math.log2(n_clusters)) + ENOUGH_HALVINGS, MOST_HALVINGS)
    wanted, least = (share_for_halvings(noise, size, each) for each in (halvings, halvings - 1))
    if least > most or n_features > FEATURES_PER_HALVING * halvings:
        return usual
    return max(usual, min(wanted, most))


def share_for_halvings(noise: Noise, size: float, halvings: int) -> float:
    """The share at which noise allows this many halvings, and a little more against rounding."""
    return (1 + 1e-9) * noise.share_for(1, size / 2**halvings)


def cell_borders(moments: Moments, signal: float, grid: Grid) -> list[FloatArray]:
    """The borders of each feature: the widest feature is halved first, while noise allows.

    Parameters
    ----------
    signal
        The number of records over the standard deviation of a cell's count.
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
    """The borders between 2**halvings parts of equal width, and some outside of the place."""
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


def ask_cells(
    purse: Purse, place: Place, borders: list[FloatArray], share: float, n_clusters: int
) -> CellWeights | None:
    """Ask for the counts of the cells; None if no cell stands out of the noise."""
    steps = tuple(tuple(purse.door.grid.snap(each).tolist()) for each in borders)
    answer = purse.ask(Cells(purse.door.grid, steps), share)
    deviation = max(math.sqrt(answer.variance), 1e-6)  # at an enormous epsilon there is no noise
    noise, counts = purse.door.noise, answer.values / deviation
    parts = [len(each) + 1 for each in borders]
    outside = _outside(place, borders)
    ways = max(sum(each > 1 for each in parts) - 1, 1)  # groups of noise grow with the directions
    false_cell = FALSE_CELL * min(1.0, FAR_FROM * place.half) ** 2
    far_out = alarm_threshold(noise, ways * int(outside.sum()), false_cell)
    far = clear_groups(np.where(outside, counts, 0.0), parts, far_out)
    inside = alarm_threshold(noise, len(counts), FALSE_CELLS * n_clusters)
    kept = np.where(outside, far > 0, occupied(counts, parts, inside))
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

    The borders may all lie within the place, or continue outside of it.
    """
    first = int((borders <= place.low[feature] + ON_THE_BORDER).sum())
    last = len(borders) - int((borders >= place.high[feature] - ON_THE_BORDER).sum())
    return first, last


def part_edges(place: Place, feature: int, borders: FloatArray) -> FloatArray:
    """The borders of a feature's parts, and the ends of the outermost parts.

    If these belong to the place, they are at most as wide as their neighbours.
    """
    low, high = place.low[feature], place.high[feature]
    if len(borders) > 1:
        low = max(2 * borders[0] - borders[1], low)
        high = min(2 * borders[-1] - borders[-2], high)
    first, last = _parts_inside(place, feature, borders)
    ends = [-1.0 if first else low], [1.0 if last < len(borders) else high]
    return np.concatenate([ends[0], borders, ends[1]])
