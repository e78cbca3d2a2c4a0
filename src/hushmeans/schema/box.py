"""The box: the public range of each feature, and the map between it and the unit box."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushmeans.errors import InputError
from hushmeans.schema.grid import Grid
from hushmeans.schema.layout import Layout
from hushmeans.types import FloatArray


@dataclass(frozen=True)
class Box:
    """The public range of each of d features, and the map between it and the unit box.

    Attributes
    ----------
    low, high
        The ends of each feature's range, in original units.
    names
        The features' names; None if they have none.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.low) != len(self.high):
            raise InputError(
                f"bounds have {len(self.low)} lower and {len(self.high)} upper limits; "
                "give one of each per feature"
            )
        if not self.low:
            raise InputError("bounds are empty; give a range for at least one feature")
        if self.names is not None and len(set(self.names)) != len(self.low):
            raise InputError("bounds must have one distinct name per range")
        for index, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            _check_range(self.label(index), low, high)

    @property
    def n_features(self) -> int:
        return len(self.low)

    @cached_property
    def grid(self) -> Grid:
        return Grid.for_features(self.n_features)

    @cached_property
    def layout(self) -> Layout:
        """Which columns of an encoded record make up which feature."""
        return Layout.of_numbers(self.n_features)

    @cached_property
    def middle(self) -> FloatArray:
        """The middle of each range: 0 in the unit box, and the substitute for missing values."""
        return np.array(self.low) / 2 + np.array(self.high) / 2

    @cached_property
    def half_width(self) -> FloatArray:
        """Half of each range: 1 in the unit box."""
        return np.array(self.high) / 2 - np.array(self.low) / 2

    def name(self, index: int) -> str:
        """A feature's name for a table, or its number if it has none."""
        return (self.names[index].strip() if self.names else "") or f"feature {index}"

    def label(self, index: int) -> str:
        """A feature's name for a message."""
        return _label(self.names, index)

    def to_unit_box(self, points: FloatArray) -> FloatArray:
        """Points in original units as points of the unit box, not clipped."""
        unit: FloatArray = (points - self.middle) / self.half_width
        return unit

    def from_unit_box(self, points: FloatArray) -> FloatArray:
        """Points of the unit box in original units, never outside the bounds."""
        original = self.middle + points * self.half_width
        return np.clip(original, np.array(self.low), np.array(self.high))


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
