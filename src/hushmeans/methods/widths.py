"""How wide the clusters are in each feature: one question about the released clusters.

The answer is the mean of the clipped squared distances from the centroid. The picture tells where
to clip, and how much clipping cuts on average.
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
"""The part of the picture's records whose squared distances are not clipped, at least. Higher
values cut less and add noise."""
NOTHING_BUT_NOISE = 0.5
"""Widths are not asked for if the noise of a squared width, relative to it, would exceed this."""
LARGEST_CUT = 2.0
"""The largest factor by which a squared width is corrected for clipping."""
CUT_DOUBT = 1.0
"""The part of that correction that is taken as its standard error."""
FREE_WIDTH_NOISE = 0.15
"""The noise of a squared width, relative to it, that a wider clip may cause. The picture has fewer
records far out than there are, so wide clips are worth some noise."""


def share_of_widths(
    wanted: float, rest: Fraction, picture: Picture, noise: Noise, n_clusters: int
) -> Fraction:
    """The share of the budget for widths; 0 if they would be mostly noise.

    The noise of a squared width, relative to it, does not depend on how wide clusters are, but only
    on their size and on how squared distances are distributed over the features. For these, all
    records of the picture stand in.
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
    """The clip for squared distances from the mean of all records."""
    squares = (picture.records - picture.moments.mean) ** 2
    return float(np.quantile(norms_of(squares, norm), WHOLE_PART))


def with_widths(door: Door, picture: Picture, clusters: Clusters, share: Fraction) -> Clusters:
    """Ask for the widths of the clusters with this share; not if it is 0."""
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
    correction = _corrections(squares, gaps, of_clip[:, 0], door)
    by_noise = (of_clip * math.sqrt(answer.variance) / grid.unit / sizes) ** 2
    by_sizes = (found / sizes) ** 2 * clusters.size_variances[:, None]
    means = np.clip(correction * found, 0.0, (1 + np.abs(clusters.centroids)) ** 2)
    variances = (
        correction**2 * (by_noise + by_sizes)
        + (CUT_DOUBT * (correction - 1) * means) ** 2
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

    Where the noise is weak, clips are wider.
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


def _corrections(squares: FloatArray, gaps: Gaps, clips: FloatArray, door: Door) -> FloatArray:
    """For each cluster and feature, the ratio of the picture's mean square to the clipped one."""
    norms = norms_of(squares, door.noise.norm)
    left = np.minimum(1.0, clips[gaps.nearest] / np.maximum(norms, 1e-12))[:, None]
    factors = np.ones((len(clips), squares.shape[1]))
    for cluster in range(len(clips)):
        own: BoolArray = gaps.nearest == cluster
        if np.count_nonzero(own) >= FEWEST:
            clipped = np.maximum((left[own] * squares[own]).mean(axis=0), 1e-12)
            factors[cluster] = np.clip(squares[own].mean(axis=0) / clipped, 1.0, LARGEST_CUT)
    return factors
