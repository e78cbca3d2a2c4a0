"""The leaves, which are the clusters before merging: how they start, and empty ones."""

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
"""The largest number of steps of k-means on the picture."""
STARTED_FROM, FEW_STEPS = 5, 10
"""With many centroids, k-means starts only once, from this many records per centroid, and takes
this many steps. Half as many steps cost 4% on mixtures of 400 clusters."""
EMPTY = 0.1
"""A leaf is empty if its size is less than this part of the average, and less than half of its
standard error."""
CROWDED = 1.5
"""A leaf may be two if its size is more than this many times the average of those not empty; an
empty leaf is then put beside it."""
MAYBE_EMPTY = 0.4
"""The prior probability that a leaf is empty. Higher values reduce small sizes of leaves more."""
APART = 0.5
"""The distance of the two leaves from their middle, in standard deviations along their first
axis."""


def first_leaves(picture: Picture, n_leaves: int, generator: Generator, n_starts: int) -> Clusters:
    """Start the leaves with ordinary k-means on the picture.

    Thin records are left out, because centres among them are rarely worth it. A group far from the
    place gets one leaf: its cells are wide, so k-means would spend many leaves on it, and the
    rounds move the one to where the group is.
    """
    records, total = picture.records, picture.moments.size
    clear = np.ones(len(records), np.bool_) if picture.thin is None else ~picture.thin
    groups = _far_groups(picture, n_leaves, clear)
    clear[np.concatenate([[], *groups]).astype(np.int64)] = False
    near = records[clear]
    found, shares = _clustered(near, n_leaves - len(groups), generator, n_starts)
    sizes = np.append(shares * len(near), [len(each) for each in groups]) / len(records) * total
    # The cells count a group well; the division of the other records into leaves is less certain.
    least = np.where(np.arange(n_leaves) < len(found), total / (2 * n_leaves), 1.0)
    return Clusters(
        centroids=np.stack([*found, *(records[each].mean(axis=0) for each in groups)]),
        variances=np.full((n_leaves, records.shape[1]), UNKNOWN_VARIANCE),
        sizes=sizes,
        size_variances=(SIZE_DOUBT * np.maximum(sizes, least)) ** 2,
    )


def _far_groups(picture: Picture, n_leaves: int, clear: BoolArray) -> list[IntArray]:
    """The records of the largest groups far from the place, at most one for every two leaves.

    There are none if too few other records are left for the other leaves.
    """
    if picture.far is None or (clear & (picture.far == 0)).sum() < n_leaves:
        return []
    counts = np.bincount(picture.far)[1:]
    largest = np.argsort(-counts, kind="stable")[: n_leaves // 2]
    return [np.flatnonzero(picture.far == group + 1) for group in largest if counts[group]]


def _clustered(
    records: FloatArray, n_centroids: int, generator: Generator, n_starts: int
) -> tuple[FloatArray, FloatArray]:
    """The centroids of ordinary k-means, and the part of the records that each has."""
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
    """Many centroids and each record's nearest; centroids without records do not move."""
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
    """Run on one thread, without a warning that the picture has few distinct records."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def with_expected_sizes(leaves: Clusters) -> Clusters:
    """The leaves with their expected sizes, given that some may be empty.

    Otherwise an empty leaf far out, to which noise gives a few records, would be worth a centre of
    its own. A leaf that is not empty is taken to have any size up to twice the average.
    """
    deviations = np.sqrt(leaves.size_variances)
    by_noise = np.exp(-np.sqrt(2) * leaves.sizes / deviations) / (np.sqrt(2) * deviations)
    real = (1 - MAYBE_EMPTY) / (2 * leaves.sizes.mean())
    sizes = leaves.sizes * real / (real + MAYBE_EMPTY * by_noise)
    return replace(leaves, sizes=np.maximum(sizes, 1.0))


def polished(clusters: Clusters, leaves: Clusters, gaps: Gaps) -> Clusters:
    """Clusters merged from leaves, after k-means on the picture as the last round corrects it.

    The synthetic records of each leaf are moved and weighted to match the mean and the size that
    the round found; a leaf without synthetic records is represented by its centroid. Unlike a
    round, this costs no budget.

    Parameters
    ----------
    gaps
        The gaps between the synthetic records and the leaves before that round.
    """
    from sklearn.cluster import KMeans

    k, n_leaves = len(clusters.sizes), len(leaves.sizes)
    counts = np.bincount(gaps.nearest, minlength=n_leaves)
    offsets = gaps.offsets - means_by_label(gaps.offsets, gaps.nearest, n_leaves)[gaps.nearest]
    records = leaves.centroids[gaps.nearest] + offsets
    records = np.concatenate([records, leaves.centroids[counts == 0]])
    weights = leaves.sizes / counts.clip(1)
    weights = np.concatenate([weights[gaps.nearest], weights[counts == 0]])
    model = KMeans(k, init=clusters.centroids, n_init=1, max_iter=MOST_STEPS)
    with _quietly():
        model.fit(records, sample_weight=weights)
    sizes = np.maximum(np.bincount(model.labels_, weights, k), 1.0)
    return replace(clusters, centroids=model.cluster_centers_, sizes=sizes)


def relocated(leaves: Clusters, picture: Picture) -> Clusters:
    """The leaves, with the empty ones put beside the fullest.

    A leaf between two clusters holds both, and later rounds would not separate them, while other
    leaves start where only the picture has records. Two leaves of the same cluster are merged
    later.
    """
    centroids, sizes, variances = (
        each.copy() for each in (leaves.centroids, leaves.sizes, leaves.size_variances)
    )
    empty = (sizes < EMPTY * sizes.mean()) & (sizes < np.sqrt(variances) / 2)
    crowded = CROWDED * sizes[~empty].mean()
    if not empty.any():
        return leaves
    gaps = gaps_to_nearest(picture, centroids)
    common = _longest_axis(gaps.offsets)
    for leaf in np.flatnonzero(empty).tolist():
        fullest = int(sizes.argmax())
        if sizes[fullest] < crowded:
            break
        offsets = gaps.offsets[gaps.nearest == fullest]
        shift = APART * (_longest_axis(offsets) if len(offsets) >= FEWEST else common)
        pair = [fullest, leaf]
        centroids[pair] = np.clip(centroids[fullest] + np.outer([-1, 1], shift), -1.0, 1.0)
        sizes[pair] = sizes[fullest] / 2
        variances[pair] = sizes[fullest] ** 2
    return replace(leaves, centroids=centroids, sizes=sizes, size_variances=variances)


def _longest_axis(offsets: FloatArray) -> FloatArray:
    """The first principal axis of vectors, as long as their standard deviation along it."""
    _, lengths, axes = np.linalg.svd(offsets - offsets.mean(axis=0), full_matrices=False)
    axis: FloatArray = lengths[0] / np.sqrt(len(offsets)) * axes[0]
    return axis
