"""Clusters as a method knows them: noisy centroids and sizes, and how noisy they are."""

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
        The variance that the privacy noise gives each coordinate of the centroids.
    sizes
        The noisy numbers of records.
    size_variances
        The variance that the privacy noise gives each size.
    """

    centroids: FloatArray
    variances: FloatArray
    sizes: FloatArray
    size_variances: FloatArray
