"""Asking for the marginals of a mixed table: the mean and the variance of every column.

Levels, flags, ordinals and cycles fill the range of their codes. One question gives all their
means; a level's share follows from the mean of its column. The declared ranges of numbers and dates
may be much wider than the records, so these columns are asked about separately, in the same way as
a table of numbers.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Door, Noise, NoisyTotals
from hushmeans.curator.questions import Among, Lengths, Norm, Question, Shifts, Spread
from hushmeans.methods.blocks import within_blocks
from hushmeans.methods.columns import MixedColumns, columns_of, joint_norm, norm_of_codes
from hushmeans.methods.mean import BOX_VARIANCE, MEAN_ERROR, share_for_moment
from hushmeans.methods.moments import (
    FINE_SQUARE,
    LOOKS_LOOSE,
    SPREAD_ERROR,
    TYPICAL_SQUARE,
    Moments,
    NoisySpread,
    first_mean,
    largest_variance,
    moments_with_spread,
    shrunk,
)
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import Place
from hushmeans.methods.zooming import Located
from hushmeans.schema import Layout
from hushmeans.types import FloatArray, IntArray

LEVEL_ERROR = 0.05
"""The target for the noise of a level's share. A lower target spends more of the budget on it."""
NOISY = 0.25
"""The noise of the numbers' variances, relative to their mean, above which clips may be narrowed. A
lower value narrows more often, and narrow clips cut the variances of skewed numbers."""


def share_for_codes(noise: Noise, columns: MixedColumns, size: float) -> float:
    """The share of the budget for the means of all columns but numbers and dates."""
    coded = columns.coded
    levels = [block.high for block in coded if block.kind == "category"]
    flags = [2 * block.high for block in coded if block.kind == "flag"]
    if levels or flags:
        wanted = LEVEL_ERROR * max(levels or flags)
    else:
        wanted = MEAN_ERROR * max(block.high for block in coded)
    return share_for_moment(noise, norm_of_codes(coded, noise.norm), wanted * size)


def ask_mixed_moments(
    purse: Purse, columns: MixedColumns, size: float
) -> tuple[MixedColumns, Moments]:
    """The columns, cut to where the records lie, and the moments of all of them."""
    mean = np.zeros(columns.layout.n_columns)
    if columns.coded:
        mean = _ask_codes(purse, columns, size)
    variance = _variances_of_codes(columns, mean)
    if columns.ordinals:
        own, reach = columns_of(columns.ordinals), np.array([b.high for b in columns.ordinals])
        among = _purse_among(purse, own, columns.rates)
        found, _ = _ask_variance(among, mean[own], reach, size)
        variance[own] = np.minimum(found, np.maximum(0.95 * (reach**2 - mean[own] ** 2), 1e-4))
        purse.spent = among.spent
    if columns.ranged.size:
        among = _purse_among(purse, columns.ranged, columns.rates)
        located = _ask_numbers(among, columns, size)
        purse.spent = among.spent
        columns = columns.within(located.place)
        low, high = (each[columns.is_ranged] for each in columns.ends)
        mean[columns.ranged] = np.clip(located.mean, low, high)
        variance[columns.ranged] = located.variance
    return columns, Moments(size, Place.whole(len(mean)), mean, variance)


def _ask_codes(purse: Purse, columns: MixedColumns, size: float) -> FloatArray:
    """The means of all columns but numbers and dates; the clip is so large that it cuts nothing."""
    grid, noise, own = purse.door.grid, purse.door.noise, columns_of(columns.coded)
    clip = math.ceil(norm_of_codes(columns.coded, noise.norm) * grid.unit) + len(own)
    middle = np.zeros((1, len(own)), dtype=np.int64)
    question = Shifts(grid, middle, (min(clip, len(own) * grid.unit),), noise.norm, size_unit=0)
    answer = purse.ask(Among(tuple(own.tolist()), question), share_for_codes(noise, columns, size))
    to_unit_box = question.clips[0] / grid.unit**2
    mean = np.zeros(columns.layout.n_columns)
    mean[own] = to_unit_box * answer.values[0, :-1] / (size * columns.rates[own])
    by_noise = to_unit_box**2 * answer.variance / size**2
    for block in columns.ordinals:
        prior = BOX_VARIANCE * block.high**2
        mean[block.first] *= prior / (prior + by_noise)
    nearest: FloatArray = within_blocks(columns.layout, mean[None])[0]
    return nearest


def _variances_of_codes(columns: MixedColumns, mean: FloatArray) -> FloatArray:
    """The variances of categories, flags and cycles, which follow from the means; 0 elsewhere."""
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


def clip_of_spread(reach: FloatArray, norm: Norm) -> float:
    """The clip for the spread of columns with this reach: a third of the corner of squares."""
    return joint_norm((reach**2).tolist(), norm) / 3


def share_of_spread(noise: Noise, reach: FloatArray, size: float) -> float:
    """The share of the budget for the spread of such columns."""
    wanted = SPREAD_ERROR * float((reach**2).mean())
    return share_for_moment(noise, clip_of_spread(reach, noise.norm), wanted * size)


def _ask_variance(
    purse: Purse, mean: FloatArray, reach: FloatArray, size: float
) -> tuple[FloatArray, float]:
    """The variance of each column, and the noise relative to their mean.

    Parameters
    ----------
    reach
        How far from the mean the records of each column are taken to reach.
    """
    grid, noise, squares = purse.door.grid, purse.door.noise, reach**2
    if float(squares.max()) * grid.unit < FINE_SQUARE:
        return TYPICAL_SQUARE * squares, 0.0
    clip = max(round(clip_of_spread(reach, noise.norm) * grid.unit), 1)
    question = Spread(grid, grid.snap(mean[None]), clip, noise.norm)
    answer = purse.ask(question, share_of_spread(noise, reach, size))
    variance = grid.to_unit_box(answer.values) / size / squares
    by_noise = answer.variance / (grid.unit * size * squares) ** 2
    common = max(float(variance.mean()), 2e-3)
    variance = shrunk(variance, common, by_noise)
    found: FloatArray = squares * np.maximum(variance, max(1e-4, 0.05 * common))
    return found, math.sqrt(float(by_noise.mean())) / common


def _ask_numbers(purse: Purse, columns: MixedColumns, size: float) -> Moments:
    """The moments of numbers and dates, and the place where their records lie."""

    def ask(found: Located, narrow: float) -> NoisySpread:
        reach = columns.within(found.place).reach[columns.is_ranged]
        if narrow < 1:
            reach = np.minimum(reach, narrow * found.place.half)
        variance, noise = _ask_variance(purse, found.mean, reach, size)
        average = float(variance.mean())
        largest = np.maximum(largest_variance(found), 1e-4 * found.place.half**2)
        return NoisySpread(
            np.minimum(variance, largest),
            looks_loose=average < LOOKS_LOOSE,
            upper_bound=average * (1 + noise) if noise > NOISY else math.inf,
        )

    first, found = first_mean(purse, size)
    return moments_with_spread(purse, size, first, found, ask)


def _purse_among(purse: Purse, own: IntArray, rates: FloatArray) -> Purse:
    """A purse with as much left in it, for questions about some of the columns.

    Missing values add nothing to shifts and squares, so these answers are divided by the rates at
    which values are present.
    """
    door, columns, present = purse.door, tuple(own.tolist()), rates[own]

    def ask(question: Question, share: Fraction) -> NoisyTotals:
        if not isinstance(question, Shifts | Spread | Lengths):
            raise TypeError("moments are made of shifts, spreads and lengths")
        answer = door.ask(Among(columns, question), share)
        if isinstance(question, Lengths) or (present == 1).all():
            return answer
        divisors = np.append(present, 1.0) if isinstance(question, Shifts) else present
        values = np.rint(answer.values / divisors).astype(np.int64)
        return NoisyTotals(values, answer.variance / float(present.mean()) ** 2)

    layout = Layout.of_numbers(len(columns))
    found = Purse(Door(ask, door.noise, door.grid, len(columns), layout))
    found.spent = purse.spent
    return found
