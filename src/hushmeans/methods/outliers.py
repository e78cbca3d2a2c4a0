"""Outliers: records far from all centroids, which the picture does not show.

People who live between towns are no cluster, and too few in any place for a cell to show them. Yet
a handful of them can move the mean of a small town by more than the noise does. Counts of distances
show them, if all clusters are taken together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hushmeans.types import FloatArray, IntArray

CLEAR_BEYOND = 2.5
"""The number of records beyond a distance counts as 0 unless it exceeds its noise this many times.
Lower values find more outliers, but also mistake more noise for them, which widens clips and
intervals."""


@dataclass(frozen=True)
class Outliers:
    """How many records lie how far from their nearest centroid.

    Attributes
    ----------
    edges
        Ascending distances.
    beyond
        The part of all records that lies beyond each of them.
    """

    edges: FloatArray
    beyond: FloatArray

    @classmethod
    def seen(cls, counts: IntArray, edges: FloatArray, noise: float, size: float) -> Outliers:
        """The outliers among this many records, from counts with noise of this deviation."""
        beyond = np.cumsum(counts[:0:-1])[::-1]
        summed = np.arange(len(edges), 0, -1)
        clear = beyond > CLEAR_BEYOND * noise * np.sqrt(summed)
        return cls(edges, np.where(clear, beyond, 0) / size)

    def farther_than(self, distance: float) -> Outliers:
        """Those that are farther away than this."""
        far = self.edges > distance
        return Outliers(self.edges[far], self.beyond[far])

    def cut_by(self, clips: FloatArray, sizes: IntArray) -> FloatArray:
        """For each cluster, the mean length that clipping cuts off its records.

        Outliers are assumed to be spread evenly over the clusters or over the records, whichever
        gives a cluster more of them.

        Parameters
        ----------
        clips
            The clips of distances: one row for each way to clip, with one for each cluster.
        sizes
            The number of records of each cluster, in any unit.
        """
        pieces = np.diff(np.maximum(self.edges, clips[..., None]), axis=-1)
        share: FloatArray = np.maximum(sizes.mean() / np.maximum(sizes, 1), 1.0)
        return np.asarray((pieces * self.beyond[:-1]).sum(axis=-1) * share)
