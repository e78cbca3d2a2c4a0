"""The columns of a mixed table, by what they hold, and how far a record can reach in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hushmeans.curator.questions import Norm
from hushmeans.methods.place import Place
from hushmeans.schema import Layout
from hushmeans.schema.layout import Block
from hushmeans.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class MixedColumns:
    """The columns of a layout, by what they hold.

    Attributes
    ----------
    numbers
        Columns of numbers, dates and ordinals.
    middle, reach
        The middle and half the width of each of those: of the whole range until a smaller place
        is found.
    rates
        For each column, the fraction of the records that have a value.
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
        """Categories, flags and cycles."""
        return tuple(block for block in self.layout.blocks if block.kind != "number")

    @property
    def ordinals(self) -> tuple[Block, ...]:
        """Ordinals."""
        return tuple(block for block in self.layout.of_kind("number") if block.has_levels)

    @property
    def coded(self) -> tuple[Block, ...]:
        """Categories, flags, cycles and ordinals: records fill the range of their codes."""
        return tuple(b for b in self.layout.blocks if b.kind != "number" or b.has_levels)

    @property
    def ranged(self) -> IntArray:
        """The columns of numbers and dates, whose ranges may be wider than the records."""
        return columns_of([b for b in self.layout.of_kind("number") if not b.has_levels])

    @property
    def is_ranged(self) -> BoolArray:
        """Which of `numbers` are `ranged`."""
        return np.isin(self.numbers, self.ranged)

    @property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """The lower and upper ends of the columns of numbers."""
        return self.middle - self.reach, self.middle + self.reach

    def within(self, place: Place) -> MixedColumns:
        """The same columns, with the ranges of numbers and dates cut to a place.

        A column that the place does not meet, because of noise, keeps its range.
        """
        own = self.is_ranged
        low, high = self.ends
        meets = (place.low < high[own]) & (place.high > low[own])
        low[own] = np.where(meets, np.maximum(place.low, low[own]), low[own])
        high[own] = np.where(meets, np.minimum(place.high, high[own]), high[own])
        return replace(self, middle=(high + low) / 2, reach=(high - low) / 2)


def columns_of(blocks: Sequence[Block]) -> IntArray:
    """The columns of these features."""
    spans = [np.arange(block.first, block.first + block.width) for block in blocks]
    return np.concatenate([np.empty(0, dtype=np.int64), *spans])


def joint_norm(norms: Sequence[float], norm: Norm) -> float:
    """The norm of a vector whose parts have these norms."""
    return float(sum(norms)) if norm == "l1" else math.sqrt(sum(each**2 for each in norms))


def norm_of_codes(blocks: Sequence[Block], norm: Norm) -> float:
    """The largest norm of a record's codes in these features."""
    several = math.sqrt(2) if norm == "l1" else 1.0
    largest = [each.high * (several if each.kind == "cycle" else 1.0) for each in blocks]
    return joint_norm(largest, norm)


def clip_of_columns(columns: MixedColumns, norm: Norm) -> float:
    """The clip for the mean of all columns: half of the corner for numbers; codes are not cut."""
    numbers = joint_norm(columns.reach.tolist(), norm) / 2
    return joint_norm([numbers, norm_of_codes(columns.others, norm)], norm)
