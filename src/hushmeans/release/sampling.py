"""Synthetic records that have the clusters of a release, and nothing else of the records.

A cluster is drawn by its size, then each feature on its own: correlations within a cluster, and
any structure finer than the clusters, are not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hushmeans.arguments import whole_number
from hushmeans.distances import distances
from hushmeans.errors import InputError
from hushmeans.methods.start import public_randomness
from hushmeans.release.clusters import ClusterTable, in_unit_box
from hushmeans.release.noisy import distinguishable
from hushmeans.release.quality import NO_WIDTHS
from hushmeans.schema import Box
from hushmeans.types import FloatArray

if TYPE_CHECKING:
    from numpy.random import Generator

MOST_ROWS = 10**9
WIDEST = 0.99
"""The largest variance, relative to that of records at the two ends of the range alone."""
MOST_ATTEMPTS = 20
"""How often a record is drawn that lies nearer to another centre."""


def sampled(table: ClusterTable, box: Box, n: int, seed: int | None) -> FloatArray:
    """Records in original units, one row each."""
    n = whole_number("n", n, at_most=MOST_ROWS)
    clusters = in_unit_box(table, box)
    if clusters.widths is None:
        raise InputError(NO_WIDTHS.format(what="a sample"))
    generator = public_randomness(seed)
    real = list(distinguishable(table.sizes, table.size_standard_errors))
    real = real or list(range(len(table.sizes)))
    centroids, widths, sizes = clusters.centroids[real], clusters.widths[real], clusters.sizes[real]
    labels = generator.choice(len(real), n, p=sizes / sizes.sum())
    records = np.empty((n, box.n_features))
    for cluster in range(len(real)):
        own = labels == cluster
        number = int(np.count_nonzero(own))
        records[own] = _cell(cluster, centroids, widths, number, generator)
    return box.from_unit_box(records)


def _cell(
    cluster: int, centroids: FloatArray, widths: FloatArray, number: int, generator: Generator
) -> FloatArray:
    """Records of one cluster: those drawn nearer to another centre are drawn again.

    After a few attempts they are taken as they are.
    """
    records = _drawn(centroids[cluster], widths[cluster], number, generator)
    for _ in range(MOST_ATTEMPTS):
        astray = distances(records, centroids).argmin(axis=1) != cluster
        if not astray.any():
            break
        again = int(np.count_nonzero(astray))
        records[astray] = _drawn(centroids[cluster], widths[cluster], again, generator)
    return records


def _drawn(
    centroid: FloatArray, widths: FloatArray, number: int, generator: Generator
) -> FloatArray:
    """Each feature from a beta distribution on its range, with the cluster's centre and width."""
    means = np.clip((centroid + 1) / 2, 1e-6, 1 - 1e-6)
    variances = np.clip((widths / 2) ** 2, 1e-12, WIDEST * means * (1 - means))
    weight = means * (1 - means) / variances - 1
    drawn: FloatArray = generator.beta(means * weight, (1 - means) * weight, (number, len(means)))
    return 2 * drawn - 1
