"""The geometry of mixed tables: which points can be the mean of records.

The shares of levels sum to 1, the mean of a flag lies between its two values, and the mean of a
cycle lies within the circle. Noise does not respect that, so a noisy mean is replaced by the
nearest possible one.
"""

from __future__ import annotations

import numpy as np

from hushmeans.methods.clusters import Clusters
from hushmeans.schema import Layout
from hushmeans.types import FloatArray


def within_blocks(layout: Layout, points: FloatArray) -> FloatArray:
    """For each point, the nearest one that can be the mean of records."""
    if layout.is_numeric:
        return points
    nearest = points.copy()
    for block in layout.blocks:
        part = points[:, block.columns]
        if block.kind == "category":
            part = block.high * onto_simplex(part / block.high)
        elif block.kind == "cycle":
            length = np.linalg.norm(part, axis=1, keepdims=True)
            part = part * np.minimum(1.0, block.high / np.maximum(length, 1e-12))
        else:
            part = np.clip(part, block.low, block.high)
        nearest[:, block.columns] = part
    return nearest


def clusters_within_blocks(layout: Layout, clusters: Clusters) -> Clusters:
    """The clusters, with centroids that can be means of records."""
    if layout.is_numeric:
        return clusters
    return Clusters(
        within_blocks(layout, clusters.centroids),
        clusters.variances,
        clusters.sizes,
        clusters.size_variances,
    )


def onto_simplex(rows: FloatArray) -> FloatArray:
    """For each row, the nearest one with nonnegative entries that sum to 1."""
    descending = -np.sort(-rows, axis=1)
    counts = np.arange(1, rows.shape[1] + 1)
    excess = (np.cumsum(descending, axis=1) - 1) / counts
    last = (descending > excess).sum(axis=1) - 1
    nearest: FloatArray = np.maximum(rows - excess[np.arange(len(rows)), last][:, None], 0.0)
    return nearest
