"""Asking for the mean of the records, clipped around a point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Shifts
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import Place, corner
from hushmeans.types import FloatArray

LEAST_SHARE, LARGEST_SHARE = 0.02, 0.2
"""Limits on the share of one question for a mean or a spread. A larger upper limit describes small
tables better and leaves their rounds less."""
MEAN_ERROR = 0.1
"""The target for the noise of the mean, relative to half the width of the place. A lower target
spends more of the budget on the mean."""
BOX_VARIANCE = 1 / 3
"""The variance of a point evenly distributed between -1 and 1: the prior of a mean."""
AT_ITS_CLIP, BEYOND_ITS_CLIP = 0.9, 1.75
"""If the mean shift is at least the first part of the clip, nearly all records lie beyond the clip,
on one side, and the shift is multiplied by the second number. It must stay below 2, because records
are clipped at half of the way to a corner."""
HELD_BACK = 0.7
"""A mean that is shifted by this part of its clip or more may be limited by the clip, and is asked
again from where it ended. A lower value asks again more often."""
CHEAP_MEAN = 0.08
"""The largest share of a mean that is asked a second time."""


@dataclass(frozen=True)
class NoisyMean:
    """An estimate of the mean of the records.

    Attributes
    ----------
    mean
        The estimate, in the unit box.
    variance
        The variance of each coordinate due to noise.
    shift
        The norm of the shift from the starting point to the estimate, as a part of the clip.
    """

    mean: FloatArray
    variance: float
    shift: float

    def likely_error(self, noise: Noise) -> float:
        """The expected largest error, over all features, due to noise."""
        deviation, n_features = math.sqrt(self.variance), len(self.mean)
        if noise.norm == "l1":
            return deviation / math.sqrt(2) * (math.log(n_features) + 1)
        return deviation * math.sqrt(2 * math.log(2 * n_features))


def share_for_moment(noise: Noise, clip: float, deviation: float) -> float:
    """The share that reduces the noise of a clipped sum to this deviation, within the limits."""
    return min(max(noise.share_for(clip, deviation), LEAST_SHARE), LARGEST_SHARE)


def share_for_mean(noise: Noise, n_features: int, size: float) -> float:
    """The share of the budget for the mean of this many records."""
    return share_for_moment(noise, corner(noise, n_features) / 2, MEAN_ERROR * size)


def ask_mean(
    purse: Purse, size: float, place: Place, start: FloatArray, narrow: float = 1.0
) -> NoisyMean:
    """Ask for the mean of the records; again if clipping may have limited it and that is cheap.

    Parameters
    ----------
    start
        The point around which shifts are clipped.
    narrow
        The clip, relative to half of the norm of a corner of the place.
    """
    noise, n_features = purse.door.noise, purse.door.n_columns
    share = share_for_mean(noise, n_features, size)
    clip = narrow * place.half * corner(noise, n_features) / 2
    found = mean_near(purse, size, start, clip, purse.affordable(share))
    if found.shift < HELD_BACK or share > CHEAP_MEAN or not purse.may_locate:
        return found
    return mean_near(purse, size, found.mean, clip, purse.affordable(share))


def mean_near(
    purse: Purse, size: float, start: FloatArray, clip: float, share: Fraction
) -> NoisyMean:
    """Ask for the mean of the records, clipped around the start, for exactly this share.

    The shift from the start is shrunk in proportion to the noise, and the mean is kept inside the
    box.
    """
    grid, noise = purse.door.grid, purse.door.noise
    steps = (max(round(clip * grid.unit), 1),)
    question = Shifts(grid, grid.snap(start[None]), steps, noise.norm, size_unit=0)
    answer = purse.spend(question, share)
    shift = answer.values[0, :-1] / (grid.unit * size)  # as a part of the clip
    by_noise = answer.variance / (grid.unit * size) ** 2
    square = float((shift**2).sum())
    explained = len(shift) * by_noise / square if square > 0 else 1.0
    within_box = BOX_VARIANCE / (BOX_VARIANCE + clip**2 * by_noise)
    shift *= min(max(0.0, 1 - explained), within_box)
    length = float(np.linalg.norm(shift, ord=1 if noise.norm == "l1" else 2))
    further = BEYOND_ITS_CLIP if length >= AT_ITS_CLIP else 1.0
    mean = np.clip(start + further * clip * shift, -1.0, 1.0)
    return NoisyMean(mean, clip**2 * by_noise, length)
