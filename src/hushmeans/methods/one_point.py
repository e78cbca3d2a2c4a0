"""What is released if noise leaves no hope of finding clusters: the mean of all records."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.methods.blocks import within_blocks
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.columns import MixedColumns, clip_of_columns
from hushmeans.methods.last_sizes import SIZES_SHARE
from hushmeans.methods.mean import LARGEST_SHARE, mean_near
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import corner
from hushmeans.methods.profile import PROFILE_SHARE, has_profiles
from hushmeans.methods.rounds import UNKNOWN_VARIANCE
from hushmeans.schema import Layout

HOPELESS = 0.6
"""If the noise of the mean of all records, relative to the box, exceeds this at the largest share
that the mean may have, nothing but the mean is released. Higher values try more often to find
clusters, and end up worse than one point if they fail."""


def is_hopeless(noise: Noise, layout: Layout, size: float) -> bool:
    """Whether noise would hide even the mean of this many records on the way to clusters."""
    reach = max(block.high for block in layout.blocks)
    return noise.deviation(clip_of_mean(noise, layout), LARGEST_SHARE) > HOPELESS * reach * size


def clip_of_mean(noise: Noise, layout: Layout) -> float:
    """The clip of the mean if nothing else is asked for."""
    if layout.is_numeric:
        return corner(noise, layout.n_columns) / 2
    return clip_of_columns(MixedColumns.of(layout), noise.norm)


def share_of_mean(spent: Fraction, layout: Layout) -> Fraction:
    """The share of that mean, once this much of the budget is spent: all but that of the sizes."""
    return 1 - spent - (PROFILE_SHARE if has_profiles(layout) else SIZES_SHARE)


def mean_for_all(purse: Purse, size: float, n_clusters: int) -> Clusters:
    """Clusters that all have the mean of the records as their centre."""
    door = purse.door
    share, clip = share_of_mean(purse.spent, door.layout), clip_of_mean(door.noise, door.layout)
    found = mean_near(purse, size, np.zeros(door.n_columns), clip, share)
    return Clusters(
        centroids=np.tile(within_blocks(door.layout, found.mean[None]), (n_clusters, 1)),
        variances=np.full((n_clusters, door.n_columns), min(found.variance, UNKNOWN_VARIANCE)),
        sizes=np.full(n_clusters, size / n_clusters),
        size_variances=np.full(n_clusters, size**2),
    )
