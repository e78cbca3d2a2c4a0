"""Synthetic data from noisy answers: the size, mean, spread and cell counts of the records.

Everything after the answers is post-processing: the synthetic records, called the picture, can be
clustered and measured freely without further privacy loss.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.random import Generator

from hushmeans.curator.questions import Cells, Door, Noise, Shifts, Size, Spread
from hushmeans.types import FloatArray, IntArray

PICTURE_QUESTIONS = 4
"""The size, the mean, the spread and, if the noise allows it, the cells."""
SIZE_SHARE = Fraction(4, 100)
LEAST_SHARE, LARGEST_SHARE = 0.02, 0.2
"""The limits between which the shares of the mean and of the spread lie."""
MEAN_ERROR, SPREAD_ERROR = 0.1, 0.05
"""The noise to aim for, relative to the number of records."""
MOST_HALVINGS = 11
"""At most 2048 cells."""
WHOLE_RANGE = 3
"""A feature halved this often is divided over its whole range; others around the mean."""
DIVIDED_WIDTH = 2.0
"""The number of standard deviations around the mean that are divided."""
THRESHOLD = 2.0
"""Cells with fewer records than this many standard deviations of noise count as empty."""


@dataclass(frozen=True)
class Moments:
    """Noisy moments of all records, in the unit box."""

    size: float
    mean: FloatArray
    variance: FloatArray


@dataclass(frozen=True)
class Moment:
    """How to ask for a moment: the norm to clip contributions to, and the share of the budget."""

    clip: float
    share: Fraction


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
        The share of the budget that was spent on them.
    """

    records: FloatArray
    moments: Moments
    spent: Fraction


def draw_picture(
    door: Door, n_records: int, generator: Generator, cells_share: float = 0.0
) -> Picture:
    """Ask for the size, the mean, the spread and the cells, and generate synthetic records.

    Parameters
    ----------
    cells_share
        The share of the budget for the cells; 0 to choose it by the number of features.
    """
    size = _ask_size(door)
    mean, mean_share = _ask_mean(door, size)
    variance, spread_share = _ask_variance(door, mean, size)
    moments = Moments(size, mean, variance)
    spent = SIZE_SHARE + mean_share + spread_share
    share = share_of_cells(door.n_features, cells_share)
    borders = cell_borders(moments, size / door.noise.deviation(1, float(share)))
    weights = None
    if any(each.size for each in borders):
        weights = _ask_cells(door, borders, share)
        spent += share
    return Picture(_synthesize(moments, borders, weights, n_records, generator), moments, spent)


def share_of_cells(n_features: int, chosen: float = 0.0) -> Fraction:
    """The share of the budget for the cells: as given, or by the number of features."""
    return exact_share(chosen or 0.1 + 0.4 / n_features)


def exact_share(share: float) -> Fraction:
    """A share of the budget, rounded to millionths."""
    return Fraction(max(round(share * 1e6), 1), 10**6)


def _ask_size(door: Door) -> float:
    answer = door.ask(Size(), SIZE_SHARE)
    return max(float(answer.values[0]), math.sqrt(answer.variance), 10.0)


def _ask_mean(door: Door, size: float) -> tuple[FloatArray, Fraction]:
    """The mean of the records, shrunk towards the middle in proportion to its noise."""
    moment = mean_moment(door.noise, door.n_features, size)
    middle = np.zeros((1, door.n_features), dtype=np.int64)
    steps = round(moment.clip * door.grid.unit)
    question = Shifts(door.grid, middle, steps, door.noise.norm, size_unit=0)
    answer = door.ask(question, moment.share)
    mean = door.grid.to_unit_box(answer.values[0, :-1]) / size
    by_noise = door.n_features * answer.variance / (door.grid.unit * size) ** 2
    square = float((mean**2).sum())
    kept = max(0.0, 1 - by_noise / square) if square > 0 else 0.0
    return np.clip(kept * mean, -0.98, 0.98), moment.share


def _ask_variance(door: Door, mean: FloatArray, size: float) -> tuple[FloatArray, Fraction]:
    """Each feature's variance, shrunk towards their mean in proportion to the noise."""
    moment = spread_moment(door.noise, door.n_features, size)
    centre = door.grid.snap(mean[None])
    question = Spread(door.grid, centre, round(moment.clip * door.grid.unit), door.noise.norm)
    answer = door.ask(question, moment.share)
    variance = door.grid.to_unit_box(answer.values) / size
    by_noise = answer.variance / (door.grid.unit * size) ** 2
    common = max(float(variance.mean()), 2e-3)
    spread = float(variance.var())
    if spread > 0:
        variance = common + max(0.0, spread - by_noise) / spread * (variance - common)
    least = max(1e-4, 0.05 * common)
    return np.clip(variance, least, np.maximum(0.95 * (1 - mean**2), least)), moment.share


def mean_moment(noise: Noise, n_features: int, size: float) -> Moment:
    """How to ask for the mean of this many records."""
    return _moment(noise, _corner(noise, n_features) / 2, MEAN_ERROR * size)


def spread_moment(noise: Noise, n_features: int, size: float) -> Moment:
    """How to ask for the spread of this many records."""
    return _moment(noise, _corner(noise, n_features) / 3, SPREAD_ERROR * size)


def _corner(noise: Noise, n_features: int) -> float:
    """The norm of a corner of the unit box."""
    return n_features if noise.norm == "l1" else math.sqrt(n_features)


def _moment(noise: Noise, clip: float, deviation: float) -> Moment:
    share = noise.share_for(clip, deviation)
    return Moment(clip, exact_share(min(max(share, LEAST_SHARE), LARGEST_SHARE)))


def cell_borders(moments: Moments, signal: float) -> list[FloatArray]:
    """Where to divide each feature: the widest is halved first, as long as the noise allows.

    Parameters
    ----------
    signal
        The number of records divided by the noise of a cell's count.
    """
    times = np.zeros(len(moments.mean), dtype=np.int64)
    rest = moments.variance.copy()
    for _ in range(min(MOST_HALVINGS, math.floor(math.log2(max(signal, 1))))):
        widest = int(np.argmax(rest))
        times[widest] += 1
        rest[widest] /= 4
    return [
        _borders(mean, math.sqrt(variance), int(halvings))
        for mean, variance, halvings in zip(moments.mean, moments.variance, times, strict=True)
    ]


def _borders(mean: float, deviation: float, halvings: int) -> FloatArray:
    """The inner borders of 2**halvings parts of equal width."""
    reach = 2.0 if halvings >= WHOLE_RANGE else DIVIDED_WIDTH * deviation
    low, high = max(mean - reach, -1.0), min(mean + reach, 1.0)
    return np.linspace(low, high, 2**halvings + 1)[1:-1]


def _ask_cells(door: Door, borders: list[FloatArray], share: Fraction) -> FloatArray | None:
    """The weight of each cell; None if no cell stands out from the noise."""
    steps = tuple(tuple(door.grid.snap(each).tolist()) for each in borders)
    answer = door.ask(Cells(door.grid, steps), share)
    counts = answer.values.astype(np.float64)
    kept = np.where(counts > THRESHOLD * math.sqrt(answer.variance), counts, 0.0)
    return kept if kept.any() else None


def _synthesize(
    moments: Moments,
    borders: list[FloatArray],
    weights: FloatArray | None,
    n_records: int,
    generator: Generator,
) -> FloatArray:
    """Synthetic records: a cell by weight, each feature from a Beta distribution within it."""
    columns = _beta_columns(moments, n_records, generator)
    if weights is None:
        return np.column_stack([generator.permutation(column) for column in columns])
    cells = generator.choice(len(weights), size=n_records, p=weights / weights.sum())
    drawn = []
    for column, each in zip(reversed(columns), reversed(borders), strict=True):
        cells, parts = np.divmod(cells, len(each) + 1)  # the last feature's parts vary fastest
        drawn.append(_draw_in_parts(np.sort(column), each, parts, generator))
    return np.column_stack(drawn[::-1])


def _beta_columns(moments: Moments, n_records: int, generator: Generator) -> list[FloatArray]:
    """Draws of each feature on [-1, 1] with its mean and variance."""
    centre = (1 + moments.mean) / 2
    strength = np.maximum(centre * (1 - centre) / (moments.variance / 4) - 1, 0.05)
    return [
        2 * generator.beta(c * s, (1 - c) * s, n_records) - 1
        for c, s in zip(centre, strength, strict=True)
    ]


def _draw_in_parts(
    ordered: FloatArray, borders: FloatArray, part: IntArray, generator: Generator
) -> FloatArray:
    """For each record, a draw from the feature's distribution within the record's part.

    A part with fewer than ten of the draws is filled evenly instead; the outer parts only up to the
    width of the others.
    """
    edges = np.concatenate([[-1.0], borders, [1.0]])
    places = np.searchsorted(ordered, edges)
    places[0], places[-1] = 0, len(ordered)
    first, held = places[part], np.diff(places)[part]
    chosen = first + (generator.random(len(part)) * held).astype(np.int64)
    drawn = ordered[np.minimum(chosen, len(ordered) - 1)]
    if len(borders) > 1:
        width = borders[1] - borders[0]
        edges[0], edges[-1] = max(borders[0] - width, -1.0), min(borders[-1] + width, 1.0)
    evenly = generator.uniform(edges[part], edges[part + 1])
    return np.where(held >= 10, drawn, evenly)
