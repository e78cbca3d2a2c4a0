"""All records together, as far as the clusters tell: what each cluster is compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushmeans.report.gather import ClusterMark, LoadedRelease
from hushmeans.schema import Box
from hushmeans.types import FloatArray

NOTABLE, FAR_OFF = 0.35, 1.2
"""Differences from the overall mean, in standard deviations, that are named, and stressed."""

SURE = 2.0
"""A difference of fewer standard errors is not named."""

SMALLEST_SCALE = 1e-9
"""Part of the range below which a feature does not vary."""

DIGITS = 6
"""Digits of a difference in standard deviations: beyond them, processors differ, and features that
are equally far off would change places."""


@dataclass(frozen=True)
class Whole:
    """All records of a release together, as far as its clusters tell.

    Attributes
    ----------
    means
        The mean of each feature, as a part of its range.
    scales
        Its standard deviation: that of the centres and, where the release has them, the widths.
    """

    means: FloatArray
    scales: FloatArray

    @classmethod
    def of(cls, loaded: LoadedRelease) -> Whole:
        """From all clusters but those that cannot be told from noise."""
        real = [each not in loaded.noise_clusters for each in range(len(loaded.places))]
        weights = np.where(real, loaded.shares, 0.0) if any(real) else loaded.shares
        weights = (
            weights / weights.sum()
            if weights.sum() > 0
            else np.full_like(weights, 1 / len(weights))
        )
        means = weights @ loaded.places
        variances = weights @ (loaded.places - means) ** 2
        if loaded.widths is not None:
            variances += weights @ loaded.widths**2
        return cls(means, np.sqrt(variances))

    def difference(self, mark: ClusterMark, column: int) -> float:
        """How far a centre lies from the mean, in standard deviations; 0 where that is noise."""
        place, error = mark.place(column)
        off, scale = place - float(self.means[column]), float(self.scales[column])
        if mark.noise or mark.loaded.hopeless or scale < SMALLEST_SCALE:
            return 0.0
        if abs(off) <= SURE * error:
            return 0.0
        return round(off / scale, DIGITS)

    def apart(self, mark: ClusterMark, columns: Sequence[int]) -> float:
        """How far a cycle's mean lies from that of all records; never negative, 0 where noise."""
        places = [mark.place(column) for column in columns]
        off = math.hypot(
            *(
                place - float(self.means[column])
                for column, (place, _) in zip(columns, places, strict=True)
            )
        )
        scale = math.hypot(*(float(self.scales[column]) for column in columns))
        if mark.noise or mark.loaded.hopeless or scale < SMALLEST_SCALE:
            return 0.0
        if off <= SURE * math.hypot(*(error for _, error in places)):
            return 0.0
        return round(off / scale, DIGITS)


def average_of(box: Box, whole: Whole) -> FloatArray:
    """The mean of all records, in original units."""
    low, high = box.unit_ends
    return box.from_unit_box(low + whole.means * (high - low))
