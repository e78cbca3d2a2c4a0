"""How wide the clusters are in each feature: one question, asked once the clusters stand.

The answer is the mean of the squared distances from the centroid, which are clipped. The picture
tells where to clip, and how much clipping cuts on average.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Door, Noise
from hushmeans.curator.questions import Norm, Spreads
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import FEWEST, Gaps, gaps_to_nearest, norms_of
from hushmeans.methods.opening import exact_share
from hushmeans.methods.picture import Picture
from hushmeans.types import BoolArray, FloatArray

WHOLE_PART = 0.9
"""The part of the picture's records whose squared distances are not clipped."""
NOTHING_BUT_NOISE = 0.5
"""Noise of a squared width, relative to it, above which widths are not asked for."""
LARGEST_CUT = 2.0
"""Clipping is made up for by this factor at the most."""
CUT_DOUBT = 1.0
"""The part of what is made up for that is doubted."""
FREE_WIDTH_NOISE = 0.15
"""Noise of a squared width, relative to it, that a wider clip may cost."""


def share_of_widths(
    wanted: float, rest: Fraction, picture: Picture, noise: Noise, n_clusters: int
) -> Fraction:
    """What widths get of the budget: 0 where they would be nothing but noise.

    The noise of a squared width, relative to it, does not depend on how wide clusters are, only
    on their size and on how squared distances spread over features. For these the whole of the
    picture's records stands in.
    """
    if wanted == 0:
        return Fraction(0)
    share = min(exact_share(wanted), rest / 4)
    squares = (picture.records - picture.moments.mean) ** 2
    mean = max(float(squares.mean()), 1e-12)
    clip = clip_of_widths(picture, noise.norm)
    per_cluster = max(picture.moments.size, 1.0) / n_clusters
    relative = noise.deviation(clip / mean, float(share)) / per_cluster
    return share if relative <= NOTHING_BUT_NOISE else Fraction(0)


def clip_of_widths(picture: Picture, norm: Norm) -> float:
    """Where squared distances from the mean of all records would be clipped."""
    squares = (picture.records - picture.moments.mean) ** 2
    return float(np.quantile(norms_of(squares, norm), WHOLE_PART))


def with_widths(door: Door, picture: Picture, clusters: Clusters, share: Fraction) -> Clusters:
    """The clusters with their widths, asked for with this share; without them if it is 0."""
    if share == 0:
        return clusters
    grid = door.grid
    steps = grid.snap(clusters.centroids)
    gaps = gaps_to_nearest(picture, grid.to_unit_box(steps))
    squares = gaps.offsets**2
    one = door.noise.deviation(1, float(share))
    clips = _clips(squares, gaps, clusters.sizes / one, door)
    answer = door.ask(Spreads(grid, steps, clips, door.noise.norm), share)
    of_clip = grid.to_unit_box(np.array(clips))[:, None]
    sizes = np.maximum(clusters.sizes, 1.0)[:, None]
    found = of_clip * answer.values / grid.unit / sizes
    made_up = _what_clipping_cuts(squares, gaps, of_clip[:, 0], door)
    by_noise = (of_clip * math.sqrt(answer.variance) / grid.unit / sizes) ** 2
    by_sizes = (found / sizes) ** 2 * clusters.size_variances[:, None]
    means = np.clip(made_up * found, 0.0, (1 + np.abs(clusters.centroids)) ** 2)
    variances = (
        made_up**2 * (by_noise + by_sizes)
        + (CUT_DOUBT * (made_up - 1) * means) ** 2
        + 1 / grid.unit**2  # squares are rounded down to grid steps
    )
    errors = np.sqrt(variances)
    return replace(
        clusters,
        widths=np.sqrt(means),
        width_variances=errors**2 / (4 * np.maximum(means, errors)),
    )


def _clips(
    squares: FloatArray, gaps: Gaps, records_over_noise: FloatArray, door: Door
) -> tuple[int, ...]:
    """For each cluster, the quantile of its squared distances in the picture, in grid steps.

    Wider where that costs little, because the picture has fewer far records than there are.
    """
    norms, means = norms_of(squares, door.noise.norm), squares.mean(axis=1)
    clips = np.empty(len(records_over_noise))
    for cluster, records in enumerate(records_over_noise):
        own = gaps.nearest == cluster
        if np.count_nonzero(own) < FEWEST:
            own = np.ones_like(own)
        free = FREE_WIDTH_NOISE * float(means[own].mean()) * records
        clips[cluster] = max(float(np.quantile(norms[own], WHOLE_PART)), free)
    largest = 4 * squares.shape[1] * door.grid.unit
    steps = np.clip(np.rint(clips * door.grid.unit), 1, largest).astype(np.int64)
    return tuple(steps.tolist())


def _what_clipping_cuts(
    squares: FloatArray, gaps: Gaps, clips: FloatArray, door: Door
) -> FloatArray:
    """For each cluster and feature, the mean square in the picture over the clipped one."""
    norms = norms_of(squares, door.noise.norm)
    left = np.minimum(1.0, clips[gaps.nearest] / np.maximum(norms, 1e-12))[:, None]
    factors = np.ones((len(clips), squares.shape[1]))
    for cluster in range(len(clips)):
        own: BoolArray = gaps.nearest == cluster
        if np.count_nonzero(own) >= FEWEST:
            clipped = np.maximum((left[own] * squares[own]).mean(axis=0), 1e-12)
            factors[cluster] = np.clip(squares[own].mean(axis=0) / clipped, 1.0, LARGEST_CUT)
    return factors
