"""A method's clusters: noisy centroids and sizes, with their variances."""

from __future__ import annotations

from dataclasses import dataclass

from hushmeans.types import FloatArray


@dataclass(frozen=True)
class Clusters:
    """Noisy clusters in the unit box, one row each.

    Attributes
    ----------
    centroids
        The centroids.
    variances
        The variance of each coordinate of the centroids due to the privacy noise.
    sizes
        The noisy number of records in each cluster.
    size_variances
        The variance of each size due to the privacy noise.
    widths, width_variances
        In each feature, the root mean square distance of a cluster's records from its centroid,
        and its variance; None if they were not asked for.
    """

    centroids: FloatArray
    variances: FloatArray
    sizes: FloatArray
    size_variances: FloatArray
    widths: FloatArray | None = None
    width_variances: FloatArray | None = None
