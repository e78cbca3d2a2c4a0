"""The box: what the columns of an encoded record stand for, and the map to the unit box."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hushmeans.errors import InputError
from hushmeans.schema.feature_kind import FeatureKind
from hushmeans.schema.grid import ABSENT, Grid
from hushmeans.schema.kinds import Number, Ordinal
from hushmeans.schema.layout import Block, Layout
from hushmeans.schema.scales import scale_of
from hushmeans.types import FloatArray

HOLES: Mapping[str | bool, int] = {"ignore": ABSENT, "middle": 0}
"""What stands for a missing value, by the rule for it, where it can be told from a present one."""


@dataclass(frozen=True, eq=False)
class Axes:
    """Some columns: what of each is 0 and what is 1 in the unit box, and the grid."""

    middle: FloatArray
    half_width: FloatArray
    grid: Grid


@dataclass(frozen=True)
class Box:
    """The public features of a table, the columns that encode them, and their map to the unit box.

    A number is one column, in its own unit. A category has one column per level, each with the
    level's share, from 0 to 1.

    Attributes
    ----------
    low, high
        The ends of each column, in original units.
    names
        The features' names; None if they have none.
    kinds
        The kind of each feature; None if all are plain numbers.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    names: tuple[str, ...] | None = None
    kinds: tuple[FeatureKind, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.low) != len(self.high):
            raise InputError(
                f"bounds have {len(self.low)} lower and {len(self.high)} upper limits; "
                "give one of each per feature"
            )
        if not self.low:
            raise InputError("bounds are empty; give a range for at least one feature")
        if self.names is not None and len(set(self.names)) != self.n_features:
            raise InputError("bounds must have one distinct name per range")
        if self.kinds is None:
            for index, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
                _check_range(self.label(index), low, high)
            return
        with np.errstate(over="ignore"):
            finite = np.isfinite(self.half_width).all()
        if not finite:
            raise InputError(
                "a range is too wide to be computed with these weights; narrow the range, or "
                "use weights closer to 1"
            )

    @classmethod
    def of(cls, kinds: Sequence[FeatureKind], names: Sequence[str] | None = None) -> Box:
        """The box of features of these kinds; ranges that have yet to be found are provisional."""
        names = tuple(names) if names else None
        ends = [kind.ends for kind in kinds for _ in range(kind.n_columns)]
        low, high = tuple(low for low, _ in ends), tuple(high for _, high in ends)
        plain = all(kind == Number(*kind.ends) for kind in kinds if isinstance(kind, Number))
        numbers = plain and all(isinstance(kind, Number) for kind in kinds)
        return cls(low, high, names, None if numbers else tuple(kinds))

    @property
    def n_features(self) -> int:
        """The number of features: columns of a table."""
        return len(self.low) if self.kinds is None else len(self.kinds)

    @property
    def n_columns(self) -> int:
        """The number of columns of an encoded record: coordinates of the unit box."""
        return len(self.low)

    @cached_property
    def unknown(self) -> tuple[int, ...]:
        """The features whose ranges have yet to be found."""
        return tuple(at for at, kind in enumerate(self.kinds or ()) if kind.is_found)

    @property
    def n_kept(self) -> int:
        """The number of columns in which a record is kept: with the values of unknown features."""
        return self.n_columns + 2 * len(self.unknown)

    def found(self, ranges: Sequence[tuple[float, float]]) -> Box:
        """The box with the ranges of unknown features."""
        kinds = list(self.features)
        for feature, (low, high) in zip(self.unknown, ranges, strict=True):
            kinds[feature] = replace(kinds[feature], low=low, high=high)  # type: ignore[call-arg]
        return Box.of(kinds, self.names)

    def check_known(self) -> None:
        """Raise an error if a range has yet to be found."""
        for feature in self.unknown:
            raise InputError(
                f"the range of {self.label(feature)} still has to be found, which only fit and "
                "hushmeans ranges do; give it as [low, high]"
            )

    @cached_property
    def features(self) -> tuple[FeatureKind, ...]:
        """The kind of each feature."""
        if self.kinds is not None:
            return self.kinds
        return tuple(Number(low, high) for low, high in zip(self.low, self.high, strict=True))

    @cached_property
    def grid(self) -> Grid:
        return Grid.for_features(self.n_columns)

    @cached_property
    def reaches(self) -> tuple[int, ...]:
        """How far each feature reaches from 0 in the unit box, in whole steps of the grid.

        If a weight takes a feature beyond the box, all are scaled down together.
        """
        wanted = [kind.weight * kind.usual_reach for kind in self.features]
        most = max(1.0, *wanted)
        return tuple(max(round(reach / most * self.grid.unit), 1) for reach in wanted)

    @cached_property
    def layout(self) -> Layout:
        """Which columns of an encoded record make up which feature."""
        if self.kinds is None:
            return Layout.of_numbers(self.n_columns)
        blocks, first = [], 0
        for kind, steps in zip(self.kinds, self.reaches, strict=True):
            high = steps / self.grid.unit
            low = 0.0 if kind.block == "category" else -high
            about = (HOLES.get(kind.missing), isinstance(kind, Ordinal))
            blocks.append(Block(kind.block, first, kind.n_columns, low, high, *about))
            first += kind.n_columns
        return Layout(tuple(blocks))

    @cached_property
    def _scaled_ends(self) -> tuple[FloatArray, FloatArray]:
        """The ends of each column, on its scale."""
        if self.kinds is None:
            return np.array(self.low), np.array(self.high)
        ends = [kind.scaled_ends for kind in self.kinds for _ in range(kind.n_columns)]
        return np.array([low for low, _ in ends]), np.array([high for _, high in ends])

    @cached_property
    def middle(self) -> FloatArray:
        """What of each column, on its scale, is 0 in the unit box.

        That is the middle of a range, the substitute for missing values, and a share of 0.
        """
        low, high = self._scaled_ends
        middle = low / 2 + high / 2
        for block in self.layout.of_kind("category"):
            middle[block.columns] = 0.0
        return middle

    @cached_property
    def half_width(self) -> FloatArray:
        """What of each column, on its scale, is 1 in the unit box."""
        low, high = self._scaled_ends
        half_width = high / 2 - low / 2
        if self.kinds is not None:
            for block in self.layout.blocks:
                half_width[block.columns] /= (block.high - block.low) / 2
        return half_width

    @cached_property
    def unit_ends(self) -> tuple[FloatArray, FloatArray]:
        """The ends of each column in the unit box."""
        widths = [block.width for block in self.layout.blocks]
        low, high = zip(*((block.low, block.high) for block in self.layout.blocks), strict=True)
        return np.repeat(low, widths), np.repeat(high, widths)

    @cached_property
    def axes(self) -> Axes:
        """The columns of features that are one column each, in their order."""
        single = [block.first for block in self.layout.blocks if block.kind in ("number", "flag")]
        return Axes(self.middle[single], self.half_width[single], self.grid)

    def feature_of(self, column: int) -> int:
        """The feature that a column belongs to."""
        return self._places[column][0]

    @cached_property
    def _places(self) -> tuple[tuple[int, int], ...]:
        """For each column its feature, and its position within it."""
        return tuple(
            (feature, position)
            for feature, block in enumerate(self.layout.blocks)
            for position in range(block.width)
        )

    def name(self, column: int) -> str:
        """A column's name for a table: that of its feature, with the level of a category."""
        feature, position = self._places[column]
        labels = () if self.kinds is None else self.kinds[feature].column_labels
        named = self.feature_name(feature)
        return f"{named}: {labels[position]}" if labels else named

    def feature_name(self, feature: int) -> str:
        """A feature's name for a table, or its number if it has none."""
        return (self.names[feature].strip() if self.names else "") or f"feature {feature}"

    def label(self, feature: int) -> str:
        """A feature's name for a message."""
        return _label(self.names, feature)

    def to_unit_box(self, points: FloatArray) -> FloatArray:
        """Points in original units as points of the unit box, not clipped."""
        unit: FloatArray = (self._scaled(points) - self.middle) / self.half_width
        return unit

    def from_unit_box(self, points: FloatArray) -> FloatArray:
        """Points of the unit box in original units, never outside the bounds."""
        original = self.middle + points * self.half_width
        for column, number in self._curved:
            original[..., column] = scale_of(number.scale, number.ends[0]).backwards(
                np.clip(original[..., column], *number.scaled_ends)
            )
        return np.clip(original, np.array(self.low), np.array(self.high))

    def slope(self, points: FloatArray) -> FloatArray:
        """How much each column changes in original units per 1 in the unit box, at these points.

        Parameters
        ----------
        points
            In original units.
        """
        slope = np.broadcast_to(self.half_width, points.shape)
        if self._curved:
            slope, scaled = slope.copy(), self._scaled(points)
            for column, number in self._curved:
                steepness = scale_of(number.scale, number.ends[0]).slope(scaled[..., column])
                slope[..., column] *= steepness
        return slope

    def _scaled(self, points: FloatArray) -> FloatArray:
        """Points in original units with each column on its scale."""
        if not self._curved:
            return points
        scaled = np.array(points)
        for column, number in self._curved:
            inside = np.clip(scaled[..., column], *number.ends)
            scaled[..., column] = scale_of(number.scale, number.ends[0]).forwards(inside)
        return scaled

    @cached_property
    def _curved(self) -> tuple[tuple[int, Number], ...]:
        """The columns of numbers that are laid out on another than the linear scale."""
        pairs = zip(self.layout.blocks, self.kinds or (), strict=False)
        return tuple(
            (block.first, kind)
            for block, kind in pairs
            if isinstance(kind, Number) and kind.is_curved
        )


def _label(names: Sequence[str] | None, index: int) -> str:
    return f"feature {names[index]!r}" if names else f"feature number {index}"


def _check_range(label: str, low: float, high: float) -> None:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise InputError(
            f"the bounds of {label} are ({low:g}, {high:g}); "
            "both limits must be finite: choose the most extreme plausible value"
        )
    if not low < high:
        raise InputError(
            f"the bounds of {label} are ({low:g}, {high:g}); "
            "the lower limit must be below the upper one: give them as (low, high)"
        )
    if not low / 2 < low / 2 + (high / 2 - low / 2) / 2 < high / 2:
        raise InputError(
            f"the bounds of {label} are ({low!r}, {high!r}), "
            "too close together to distinguish values between them: widen them"
        )
