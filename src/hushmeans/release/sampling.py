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
from hushmeans.schema.layout import Block, Layout
from hushmeans.types import FloatArray

if TYPE_CHECKING:
    from numpy.random import Generator

MOST_ROWS = 10**9
WIDEST = 0.99
"""The largest variance, relative to that of records at the two ends of the range alone."""
MOST_ATTEMPTS = 20
"""How often a record is drawn that lies nearer to another centre."""


def sampled(table: ClusterTable, box: Box, n: int, seed: int | None) -> FloatArray:
    """Records in the unit box, one row each."""
    n = whole_number("n (--rows)", n, at_most=MOST_ROWS)
    clusters = in_unit_box(table, box)
    if clusters.widths is None:
        raise InputError(NO_WIDTHS.format(what="a sample"))
    generator = public_randomness(seed)
    real = list(distinguishable(table.sizes, table.size_standard_errors))
    real = real or list(range(len(table.sizes)))
    centroids, widths, sizes = clusters.centroids[real], clusters.widths[real], clusters.sizes[real]
    labels = generator.choice(len(real), n, p=sizes / sizes.sum())
    records = np.empty((n, box.n_columns))
    for cluster in range(len(real)):
        own = labels == cluster
        number = int(np.count_nonzero(own))
        records[own] = _cell(cluster, centroids, widths, box.layout, number, generator)
    return records


def _cell(
    cluster: int,
    centroids: FloatArray,
    widths: FloatArray,
    layout: Layout,
    number: int,
    generator: Generator,
) -> FloatArray:
    """Records of one cluster: those drawn nearer to another centre are drawn again.

    After a few attempts they are taken as they are.
    """
    records = np.empty((number, centroids.shape[1]))
    astray = np.ones(number, dtype=np.bool_)
    for _ in range(MOST_ATTEMPTS):
        again = int(np.count_nonzero(astray))
        records[astray] = _drawn(centroids[cluster], widths[cluster], layout, again, generator)
        astray = distances(records, centroids).argmin(axis=1) != cluster
        if not astray.any():
            break
    return records


def _drawn(
    centroid: FloatArray, widths: FloatArray, layout: Layout, number: int, generator: Generator
) -> FloatArray:
    """Each feature on its own."""
    records = np.empty((number, len(centroid)))
    for block in layout.blocks:
        own = block.columns
        if block.kind == "category":
            records[:, own] = _levels(block, centroid[own], number, generator)
        elif block.kind == "flag":
            part = np.clip((centroid[own] - block.low) / (block.high - block.low), 0, 1)
            is_high = generator.random((number, 1)) < part
            records[:, own] = np.where(is_high, block.high, block.low)
        elif block.kind == "cycle":
            records[:, own] = _on_circle(block, centroid[own], number, generator)
        else:
            records[:, own] = _between(block, centroid[own], widths[own], number, generator)
    return records


def _between(
    block: Block, centre: FloatArray, width: FloatArray, number: int, generator: Generator
) -> FloatArray:
    """A beta distribution on the range, with the cluster's centre and width."""
    whole = block.high - block.low
    means = np.clip((centre - block.low) / whole, 1e-6, 1 - 1e-6)
    variances = np.clip((width / whole) ** 2, 1e-12, WIDEST * means * (1 - means))
    weight = means * (1 - means) / variances - 1
    drawn: FloatArray = generator.beta(means * weight, (1 - means) * weight, (number, len(means)))
    return block.low + whole * drawn


def _levels(block: Block, centre: FloatArray, number: int, generator: Generator) -> FloatArray:
    """One level of a category, by the shares of the cluster."""
    shares = np.maximum(centre, 0.0)
    if shares.sum() == 0:
        shares = np.ones_like(shares)
    levels = generator.choice(len(shares), number, p=shares / shares.sum())
    drawn: FloatArray = block.high * np.eye(len(shares))[levels]
    return drawn


def _on_circle(block: Block, centre: FloatArray, number: int, generator: Generator) -> FloatArray:
    """A von Mises distribution whose mean point is the centre."""
    length = min(float(np.linalg.norm(centre)) / block.high, 0.999)
    concentration = length * (2 - length**2) / (1 - length**2)
    angles = generator.vonmises(float(np.arctan2(centre[1], centre[0])), concentration, number)
    return block.high * np.column_stack([np.cos(angles), np.sin(angles)])
