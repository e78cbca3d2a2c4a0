"""How the shifts of a round are clipped."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Norm, Shifts
from hushmeans.methods.gaps import FEWEST, Gaps, norms_of
from hushmeans.methods.picture import MANY_FEATURES
from hushmeans.schema import Grid
from hushmeans.types import FloatArray, IntArray

SMALLEST_CLIP = 1e-3
"""The smallest clip, relative to that of all clusters together."""
FREE_NOISE, FREE_NOISE_OF_ONE = 0.03, 0.08
"""The noise of a centroid, relative to the clusters' width, that counts as negligible: the sum of
the first number and of the second over the number of features. In few features the picture shows
widths well, in many it shows tight clusters too wide. Higher values widen clips, which adds noise
and cuts less of the tails."""
LEAST_RELATIVE_SIZE = 0.25
"""The noise of small clusters is computed as if they had this part of the median size."""
FREED_BY_NOISE = 2 / 3
"""The weight, in a geometric mean with the quantile, of the clip whose noise is negligible. At 1,
less noise only widens clips; at 0, it only makes centroids more accurate."""
MAY_BE_ONE_SIDED = 0.8
"""The part of what clipping cuts that may lie on one side, even if the picture shows it on all
sides: counts, amounts and times have tails on one side. Higher values make clips and intervals
wider."""
WIDER_CLIPS = 2.0 ** (np.arange(21) / 4)
"""The multiples of the quantile that are tried as clips."""


@dataclass(frozen=True)
class Clipping:
    """How shifts are clipped.

    Attributes
    ----------
    quantile
        The part of a cluster's records in the picture that a clip leaves unchanged, at least.
    size_part
        The part of a round's share that goes to sizes; the rest goes to shifts.
    """

    quantile: float
    size_part: float

    def question(
        self,
        grid: Grid,
        noise: Noise,
        steps: IntArray,
        sizes: FloatArray,
        gaps: Gaps,
        share: Fraction,
    ) -> Shifts:
        """The question of a round about centroids on the grid.

        A cluster's clip is a quantile of the distances of its records in the picture, so that its
        noise follows its width; or a wider one if that reduces the sum of noise and of what may be
        cut on one side. The picture hides tails, so clips are wider still where noise is weak: a
        geometric mean of the quantile and of the clip whose noise is negligible. As noise
        decreases, so do both the noise of a centroid and what is cut, and centroids become means.
        """
        unit = _size_unit(self.size_part, noise.norm, grid)
        relative = unit / grid.unit
        sensitivity = 1 + relative if noise.norm == "l1" else math.hypot(1, relative)
        noise_of_one = noise.deviation(sensitivity, float(share)) * math.sqrt(steps.shape[1])
        width = (FREE_NOISE + FREE_NOISE_OF_ONE / steps.shape[1]) * math.sqrt(gaps.square)
        least = max(LEAST_RELATIVE_SIZE * float(np.median(sizes)), 1.0)
        noise_of_clip = noise_of_one / np.maximum(sizes, least)
        free = width / noise_of_clip
        quantiles = self._quantiles(gaps, len(steps), noise.norm)
        clips = np.maximum(free**FREED_BY_NOISE * quantiles ** (1 - FREED_BY_NOISE), quantiles)
        if steps.shape[1] >= MANY_FEATURES:
            gaps = replace(gaps, outliers=None)  # clips wide enough for them would cost too much
        clips = np.maximum(clips, _balanced(gaps, quantiles, noise_of_clip, noise.norm))
        corners = norms_of(np.abs(steps) + grid.unit, noise.norm)  # nothing lies further away
        largest = np.minimum(corners, steps.shape[1] * grid.unit)
        in_steps = np.clip(np.rint(clips * grid.unit), 1, largest).astype(np.int64)
        return Shifts(grid, steps, tuple(in_steps.tolist()), noise.norm, unit)

    def _quantiles(self, gaps: Gaps, n_clusters: int, norm: Norm) -> FloatArray:
        """For each cluster, the quantile of the distances of its records in the picture."""
        norms = norms_of(gaps.offsets, norm)
        common = float(np.quantile(norms, self.quantile))
        counts = np.bincount(gaps.nearest, minlength=n_clusters)
        ordered = np.append(norms[np.lexsort((norms, gaps.nearest))], 0.0)
        lower, between = np.divmod(self.quantile * np.maximum(counts - 1, 0), 1)
        places = np.cumsum(counts) - counts + lower.astype(np.int64)
        below, above = ordered[places], ordered[np.minimum(places + 1, len(norms))]
        own = below + between * (above - below)
        return np.maximum(np.where(counts < FEWEST, common, own), SMALLEST_CLIP * common)


def _balanced(
    gaps: Gaps, quantiles: FloatArray, noise_of_clip: FloatArray, norm: Norm
) -> FloatArray:
    """For each cluster, the clip with the least sum of noise and of what may be cut on one side."""
    tried = WIDER_CLIPS[:, None] * quantiles
    squares = (noise_of_clip * tried) ** 2 + (MAY_BE_ONE_SIDED * gaps.cut_by(tried, norm)) ** 2
    best: FloatArray = np.take_along_axis(tried, squares.argmin(axis=0)[None], axis=0)[0]
    return best


def _size_unit(part: float, norm: Norm, grid: Grid) -> int:
    """What a record must add to a size for sizes to get this part of a share."""
    ratio = part / (1 - part)
    steps = round(grid.unit * (ratio if norm == "l1" else math.sqrt(ratio)))
    return min(max(steps, 1), 4 * grid.unit)
