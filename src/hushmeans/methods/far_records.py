"""Records far from all centroids, which the picture does not show, and what clipping cuts off.

People who live between the towns are no cluster, and too few for any cell to show them. Yet a
handful of them moves the mean of a small town by more than noise does. Counts of distances show
them, all clusters taken together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hushmeans.types import FloatArray, IntArray

CLEAR_BEYOND = 2.0
"""The number of records beyond a distance counts as 0 unless it exceeds its noise this many times.
Lower values see fewer far records, and take more noise for them, which makes intervals wider."""


@dataclass(frozen=True)
class FarRecords:
    """How many records lie far from their nearest centroid.

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
    def seen(cls, counts: IntArray, edges: FloatArray, noise: float, size: float) -> FarRecords:
        """Those that stand out of the counts of this many records, with noise of this deviation."""
        beyond = np.cumsum(counts[:0:-1])[::-1]
        summed = np.arange(len(edges), 0, -1)
        clear = beyond > CLEAR_BEYOND * noise * np.sqrt(summed)
        return cls(edges, np.where(clear, beyond, 0) / size)

    def cut_by(self, clips: FloatArray, sizes: IntArray) -> FloatArray:
        """For each cluster, the mean length that clipping cuts off its records.

        The far records are taken to be spread evenly over all clusters or over all records,
        whichever gives a cluster more of them.

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
