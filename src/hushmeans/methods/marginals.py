"""The marginals of a mixed table: the mean and the variance of every column.

Levels, flags, ordinals and cycles reach as far as their codes do. One question gives their means: a
level's share is the mean of its column. The ranges of numbers and dates may be far wider than the
records, so these are asked for apart, as in a table that has no other features.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Door, Noise, NoisyTotals
from hushmeans.curator.questions import Among, Lengths, Norm, Question, Shifts, Spread
from hushmeans.methods.blocks import within_blocks
from hushmeans.methods.moments import (
    FINE_SQUARE,
    LOOKS_LOOSE,
    MOST_BEFORE_NARROWING,
    NARROW,
    NARROWEST,
    SPREAD_ERROR,
    TYPICAL_SQUARE,
    WORTH_NARROWING,
    Moments,
    lengths_come_first,
)
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import (
    BOX_VARIANCE,
    MEAN_ERROR,
    Place,
    ask_mean,
    share_for_moment,
    zoom_in,
)
from hushmeans.schema import Layout
from hushmeans.schema.layout import Block
from hushmeans.types import FloatArray, IntArray

LEVEL_ERROR = 0.05
"""The noise of a level's share that is good enough."""
NOISY = 0.25
"""Noise of the numbers' variances, relative to their mean, from which on it is worth asking again
with clips that follow them. Narrow clips cut the variances of skewed numbers."""


@dataclass(frozen=True)
class MixedColumns:
    """The columns of a layout, by what they hold.

    Attributes
    ----------
    numbers
        Columns of numbers, dates and ordinals.
    middle, reach
        The middle of where the records lie in each of those, and half of the width: of the whole
        range, until a smaller place is found.
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
        """The features that are no numbers."""
        return tuple(block for block in self.layout.blocks if block.kind != "number")

    @property
    def ranged(self) -> IntArray:
        """The columns of numbers and dates, whose ranges may be wider than the records."""
        return _columns_of([b for b in self.layout.of_kind("number") if not b.has_levels])

    @property
    def coded(self) -> tuple[Block, ...]:
        """All other features: their codes reach no farther than their levels do."""
        return tuple(b for b in self.layout.blocks if b.kind != "number" or b.has_levels)

    @property
    def levelled(self) -> tuple[Block, ...]:
        """Those of them that are ordinals."""
        return tuple(block for block in self.coded if block.kind == "number")

    @property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """Where the records of each number begin and end."""
        return self.middle - self.reach, self.middle + self.reach

    def within(self, place: Place) -> MixedColumns:
        """The same columns, numbers and dates within a place.

        A column of which noise put the place outside keeps its range.
        """
        own = np.isin(self.numbers, self.ranged)
        low, high = self.ends
        meets = (place.low < high[own]) & (place.high > low[own])
        low[own] = np.where(meets, np.maximum(place.low, low[own]), low[own])
        high[own] = np.where(meets, np.minimum(place.high, high[own]), high[own])
        return replace(self, middle=(high + low) / 2, reach=(high - low) / 2)


def _columns_of(blocks: Sequence[Block]) -> IntArray:
    spans = [np.arange(block.first, block.first + block.width) for block in blocks]
    return np.concatenate([np.empty(0, dtype=np.int64), *spans])


def norm_of_codes(blocks: Sequence[Block], norm: Norm) -> float:
    """The norm of what a record holds of features that are not numbers with a range, at most."""
    several = math.sqrt(2) if norm == "l1" else 1.0
    return added([each.high * (several if each.kind == "cycle" else 1.0) for each in blocks], norm)


def added(lengths: Sequence[float], norm: Norm) -> float:
    """The norm of a vector whose parts have these norms."""
    return float(sum(lengths)) if norm == "l1" else math.sqrt(sum(each**2 for each in lengths))


def clip_of_marginals(columns: MixedColumns, norm: Norm) -> float:
    """Where the mean of all columns is clipped: numbers at half of their corner, nothing else."""
    numbers = added(columns.reach.tolist(), norm) / 2
    return added([numbers, norm_of_codes(columns.others, norm)], norm)


def share_for_codes(noise: Noise, columns: MixedColumns, size: float) -> float:
    """The share that the means of all but the numbers get, of so many records."""
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
    """The means and variances of all columns; and the columns, numbers where their place is."""
    mean = np.zeros(columns.layout.n_columns)
    if columns.coded:
        mean = _ask_codes(purse, columns, size)
    variance = _variances(columns, mean)
    if columns.levelled:
        own, reach = _columns_of(columns.levelled), np.array([b.high for b in columns.levelled])
        levels = _purse_for(purse, own, columns.rates)
        found, _ = _ask_variance(levels, mean[own], reach, size)
        variance[own] = np.minimum(found, np.maximum(0.95 * (reach**2 - mean[own] ** 2), 1e-4))
        purse.spent = levels.spent
    if columns.ranged.size:
        numbers = _purse_for(purse, columns.ranged, columns.rates)
        placed = _ask_numbers(numbers, columns, size)
        purse.spent = numbers.spent
        columns = columns.within(placed.place)
        low, high = (each[np.isin(columns.numbers, columns.ranged)] for each in columns.ends)
        mean[columns.ranged] = np.clip(placed.mean, low, high)
        variance[columns.ranged] = placed.variance
    return columns, Moments(size, Place.whole(len(mean)), mean, variance)


def _ask_codes(purse: Purse, columns: MixedColumns, size: float) -> FloatArray:
    """The mean of each column whose codes reach only so far, so that nothing is clipped."""
    grid, noise, own = purse.door.grid, purse.door.noise, _columns_of(columns.coded)
    clip = math.ceil(norm_of_codes(columns.coded, noise.norm) * grid.unit) + len(own)
    middle = np.zeros((1, len(own)), dtype=np.int64)
    question = Shifts(grid, middle, (min(clip, len(own) * grid.unit),), noise.norm, size_unit=0)
    answer = purse.ask(Among(tuple(own.tolist()), question), share_for_codes(noise, columns, size))
    to_unit_box = question.clips[0] / grid.unit**2
    mean = np.zeros(columns.layout.n_columns)
    mean[own] = to_unit_box * answer.values[0, :-1] / (size * columns.rates[own])
    by_noise = to_unit_box**2 * answer.variance / size**2
    for block in columns.levelled:
        prior = BOX_VARIANCE * block.high**2
        mean[block.first] *= prior / (prior + by_noise)
    nearest: FloatArray = within_blocks(columns.layout, mean[None])[0]
    return nearest


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


def clip_of_spread(reach: FloatArray, norm: Norm) -> float:
    """A third of the corner of squares, where columns reach so far."""
    return added((reach**2).tolist(), norm) / 3


def share_of_spread(noise: Noise, reach: FloatArray, size: float) -> float:
    """The share that the spread of such columns of so many records gets."""
    wanted = SPREAD_ERROR * float((reach**2).mean())
    return share_for_moment(noise, clip_of_spread(reach, noise.norm), wanted * size)


def _ask_variance(
    purse: Purse, mean: FloatArray, reach: FloatArray, size: float
) -> tuple[FloatArray, float]:
    """The variance of each column, drawn towards their mean by what noise explains.

    The second number is the deviation of that noise, relative to the mean.

    Parameters
    ----------
    reach
        How far from the mean each column is taken to reach.
    """
    grid, noise, squares = purse.door.grid, purse.door.noise, reach**2
    if float(squares.max()) * grid.unit < FINE_SQUARE:
        return TYPICAL_SQUARE * squares, 0.0
    clip = max(round(clip_of_spread(reach, noise.norm) * grid.unit), 1)
    question = Spread(grid, grid.snap(mean[None]), clip, noise.norm)
    answer = purse.ask(question, share_of_spread(noise, reach, size))
    variance = grid.to_unit_box(answer.values) / size / squares
    by_noise = answer.variance / (grid.unit * size * squares) ** 2
    common, spread = max(float(variance.mean()), 2e-3), float(variance.var())
    if spread > 0:
        variance = common + np.maximum(0.0, spread - by_noise) / spread * (variance - common)
    found: FloatArray = squares * np.maximum(variance, max(1e-4, 0.05 * common))
    return found, math.sqrt(float(by_noise.mean())) / common


def _ask_numbers(purse: Purse, columns: MixedColumns, size: float) -> Moments:
    """The moments of numbers and dates, and the place where their records lie.

    The place is found as in a table of numbers alone. Where the variances in it are little more
    than noise, mean and spread are asked again with clips that follow them.
    """
    place = Place.whole(len(columns.ranged))
    found = ask_mean(purse, size, place, place.centre)
    mean = found.mean
    cheap = lengths_come_first(purse.door.noise, len(mean), size)
    if cheap:
        nearer = zoom_in(purse, size, found)
        place, mean = nearer.place, nearer.mean
    own = np.isin(columns.numbers, columns.ranged)
    variance, noise = _ask_variance(purse, mean, columns.within(place).reach[own], size)
    if not cheap and float(variance.mean()) < LOOKS_LOOSE:
        nearer = zoom_in(purse, size, found)
        place, mean = nearer.place, nearer.mean
        if mean is not found.mean:
            variance, noise = _ask_variance(purse, mean, columns.within(place).reach[own], size)
    narrow = NARROW * math.sqrt(float(variance.mean()) * (1 + noise)) / place.half
    if noise > NOISY and narrow < WORTH_NARROWING and purse.spent < MOST_BEFORE_NARROWING:
        narrow = max(narrow, NARROWEST)
        mean = ask_mean(purse, size, place, mean, narrow).mean
        reach = np.minimum(columns.within(place).reach[own], narrow * place.half)
        variance, _ = _ask_variance(purse, mean, reach, size)
    within = np.maximum(0.95 * (mean - place.low) * (place.high - mean), 1e-4 * place.half**2)
    return Moments(size, place, mean, np.minimum(variance, within))


def _purse_for(purse: Purse, own: IntArray, of_columns: FloatArray) -> Purse:
    """A purse with as much in it, at a door behind which records have some columns alone.

    A missing value adds nothing to shifts and squares. They are divided by how often values are
    there.
    """
    door, columns, rates = purse.door, tuple(own.tolist()), of_columns[own]

    def ask(question: Question, share: Fraction) -> NoisyTotals:
        if not isinstance(question, Shifts | Spread | Lengths):
            raise TypeError("moments are made of shifts, spreads and lengths")
        answer = door.ask(Among(columns, question), share)
        if isinstance(question, Lengths) or (rates == 1).all():
            return answer
        divisors = np.append(rates, 1.0) if isinstance(question, Shifts) else rates
        values = np.rint(answer.values / divisors).astype(np.int64)
        return NoisyTotals(values, answer.variance / float(rates.mean()) ** 2)

    layout = Layout.of_numbers(len(columns))
    found = Purse(Door(ask, door.noise, door.grid, len(columns), layout))
    found.spent = purse.spent
    return found
