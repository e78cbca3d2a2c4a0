"""Leaves, the centroids before merging: where they start, and what becomes of empty ones."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import FEWEST, Gaps, gaps_to_nearest, means_by_label
from hushmeans.methods.moves import SIZE_DOUBT
from hushmeans.methods.nearest import MANY_POINTS, nearest_points
from hushmeans.methods.one_thread import one_thread
from hushmeans.methods.picture import Picture
from hushmeans.methods.rounds import UNKNOWN_VARIANCE
from hushmeans.methods.seeding import spread_out
from hushmeans.types import BoolArray, FloatArray, IntArray

MOST_STEPS = 30
STARTED_FROM, FEW_STEPS = 5, 10
"""Where centroids are many, k-means starts once, from so many records per centroid, and takes so
many steps: half of them cost 4 % on mixtures of 400 clusters."""
EMPTY = 0.1
"""A leaf is empty if it has less than this part of the average size, and less than half of its
error."""
CROWDED = 1.5
"""A leaf may be two if it has more than so many times the average size of those not empty."""
MAYBE_EMPTY = 0.4
"""The part of the leaves that may be empty, as far as is known without their sizes."""
APART = 0.5
"""How far two such leaves are put from their middle, in widths along the longest axis."""


def first_leaves(picture: Picture, n_leaves: int, generator: Generator, n_starts: int) -> Clusters:
    """Where leaves start: ordinary k-means on the synthetic data, with unknown error.

    Thin records are left out: centres among them are rarely worth it. A group far from the place
    gets one leaf. Where in its wide cells it lies is not known, and k-means would spend many leaves
    on it; the rounds move the one to it.
    """
    records, total = picture.records, picture.moments.size
    clear = np.ones(len(records), np.bool_) if picture.thin is None else ~picture.thin
    groups = _far_groups(picture, n_leaves, clear)
    clear[np.concatenate([[], *groups]).astype(np.int64)] = False
    near = records[clear]
    found, shares = _clustered(near, n_leaves - len(groups), generator, n_starts)
    sizes = np.append(shares * len(near), [len(each) for each in groups]) / len(records) * total
    # Cells count a group well; how the other records divide into leaves is known less.
    least = np.where(np.arange(n_leaves) < len(found), total / (2 * n_leaves), 1.0)
    return Clusters(
        centroids=np.stack([*found, *(records[each].mean(axis=0) for each in groups)]),
        variances=np.full((n_leaves, records.shape[1]), UNKNOWN_VARIANCE),
        sizes=sizes,
        size_variances=(SIZE_DOUBT * np.maximum(sizes, least)) ** 2,
    )


def _far_groups(picture: Picture, n_leaves: int, clear: BoolArray) -> list[IntArray]:
    """The records of each group far from the place: the largest, for at most half of the leaves.

    None where hardly any clear record is near, too few for the other leaves.
    """
    if picture.far is None or (clear & (picture.far == 0)).sum() < n_leaves:
        return []
    counts = np.bincount(picture.far)[1:]
    largest = np.argsort(-counts, kind="stable")[: n_leaves // 2]
    return [np.flatnonzero(picture.far == group + 1) for group in largest if counts[group]]


def _clustered(
    records: FloatArray, n_centroids: int, generator: Generator, n_starts: int
) -> tuple[FloatArray, FloatArray]:
    """The centroids of ordinary k-means, and the share of the records that each has."""
    from sklearn.cluster import KMeans

    seed = int(generator.integers(2**31))
    if n_centroids > MANY_POINTS:
        centroids, labels = _many_means(records, n_centroids, seed)
    else:
        model = KMeans(n_centroids, n_init=n_starts, max_iter=MOST_STEPS, random_state=seed)
        with _quietly():
            model.fit(records)
        centroids, labels = model.cluster_centers_, model.labels_
    return centroids, np.bincount(labels, minlength=n_centroids) / len(labels)


def _many_means(records: FloatArray, number: int, seed: int) -> tuple[FloatArray, IntArray]:
    """Many centroids, which stay where they are without records, and each record's nearest."""
    some = records[:: max(1, len(records) // (STARTED_FROM * number))]
    with one_thread():
        centroids = spread_out(some, number, seed)
    for _ in range(FEW_STEPS):
        labels = nearest_points(records, centroids)
        full = np.bincount(labels, minlength=number) > 0
        centroids[full] = means_by_label(records, labels, number)[full]
    return centroids, nearest_points(records, centroids)


@contextmanager
def _quietly() -> Iterator[None]:
    """On one thread, and without a warning that the synthetic data has few distinct records."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def believed(leaves: Clusters) -> Clusters:
    """The leaves with the sizes to expect of them, as some may be empty and their sizes noise.

    Far out, an empty leaf that noise gives a few records would be worth a centre of its own. One
    that is not empty may have any size up to twice the average.
    """
    deviations = np.sqrt(leaves.size_variances)
    by_noise = np.exp(-np.sqrt(2) * leaves.sizes / deviations) / (np.sqrt(2) * deviations)
    real = (1 - MAYBE_EMPTY) / (2 * leaves.sizes.mean())
    sizes = leaves.sizes * real / (real + MAYBE_EMPTY * by_noise)
    return replace(leaves, sizes=np.maximum(sizes, 1.0))


def settled(clusters: Clusters, leaves: Clusters, gaps: Gaps) -> Clusters:
    """Clusters merged from leaves, after k-means on the synthetic data as a round corrects it.

    The synthetic records of each leaf are moved, and weighted, so that their mean and their number
    are those that the round found; a leaf without any stands for its records itself. Rounds are
    few, and a step here costs nothing.

    Parameters
    ----------
    gaps
        The ways from the synthetic records to where the leaves were before that round.
    """
    from sklearn.cluster import KMeans

    k, n_leaves = len(clusters.sizes), len(leaves.sizes)
    counts = np.bincount(gaps.nearest, minlength=n_leaves)
    ways = gaps.ways - means_by_label(gaps.ways, gaps.nearest, n_leaves)[gaps.nearest]
    records = np.concatenate([leaves.centroids[gaps.nearest] + ways, leaves.centroids[counts == 0]])
    weights = leaves.sizes / counts.clip(1)
    weights = np.concatenate([weights[gaps.nearest], weights[counts == 0]])
    model = KMeans(k, init=clusters.centroids, n_init=1, max_iter=MOST_STEPS)
    with _quietly():
        model.fit(records, sample_weight=weights)
    sizes = np.maximum(np.bincount(model.labels_, weights, k), 1.0)
    return replace(clusters, centroids=model.cluster_centers_, sizes=sizes)


def resettled(leaves: Clusters, picture: Picture) -> Clusters:
    """The leaves, those without records put beside the fullest.

    A leaf between two clusters holds both, and later rounds would not part them, while other
    leaves start where the picture shows records and none are. Two leaves that share a cluster are
    merged again.
    """
    centroids, sizes, variances = (
        each.copy() for each in (leaves.centroids, leaves.sizes, leaves.size_variances)
    )
    empty = (sizes < EMPTY * sizes.mean()) & (sizes < np.sqrt(variances) / 2)
    crowded = CROWDED * sizes[~empty].mean()
    if not empty.any():
        return leaves
    gaps = gaps_to_nearest(picture, centroids)
    common = _longest_axis(gaps.ways)
    for leaf in np.flatnonzero(empty).tolist():
        fullest = int(sizes.argmax())
        if sizes[fullest] < crowded:
            break
        ways = gaps.ways[gaps.nearest == fullest]
        way = APART * (_longest_axis(ways) if len(ways) >= FEWEST else common)
        pair = [fullest, leaf]
        centroids[pair] = np.clip(centroids[fullest] + np.outer([-1, 1], way), -1.0, 1.0)
        sizes[pair] = sizes[fullest] / 2
        variances[pair] = sizes[fullest] ** 2
    return replace(leaves, centroids=centroids, sizes=sizes, size_variances=variances)


def _longest_axis(ways: FloatArray) -> FloatArray:
    """The direction in which vectors differ most, as long as their standard deviation along it."""
    _, lengths, axes = np.linalg.svd(ways - ways.mean(axis=0), full_matrices=False)
    axis: FloatArray = lengths[0] / np.sqrt(len(ways)) * axes[0]
    return axis
