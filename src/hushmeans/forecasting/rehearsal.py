"""How the paper's methods divide records among leaves, rehearsed on synthetic records.

From a random start some leaves get few records or none, and noise drives them away for good. The
released clusters are therefore fewer and larger than with an equal division, and have fewer leaves.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from hushmeans.distances import distances
from hushmeans.forecasting.population import Population
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.merge import members
from hushmeans.methods.paper import PaperMethod
from hushmeans.methods.start import public_randomness, sphere_packing
from hushmeans.types import BoolArray, FloatArray

STARTS = 16
"""The number of random starts that are rehearsed. The median is used, since one tiny leaf can
dominate a mean."""
MOST_REHEARSED_LEAVES, MOST_REHEARSED_ROUNDS = 60, 12
"""Limits on a rehearsal; more leaves or rounds change little and take longer."""
EMPTY_LEAF = 0.1
"""The noise that an empty leaf adds to the cluster into which it is merged, relative to a full one.

Half of the empty leaves have a noisy size below 0 and add nothing; most of the others are
merged with each other first.
"""
LEAST_LEVEL, MOST_LEVEL = -6, -1
"""The range of relative noise on sizes that is rehearsed, as powers of 2."""


def leaves_of_cluster(method: PaperMethod, population: Population, noise: float) -> float:
    """The effective number of leaves per released cluster, as far as its noise is concerned.

    Averaged over records, so that clusters are weighted by size. With equal clusters and no empty
    leaves it is the method's n.

    Parameters
    ----------
    noise
        The standard deviation of a leaf's noisy size in the last round, relative to the size of
        a cluster.
    """
    n_clusters = min(population.n_clusters, max(MOST_REHEARSED_LEAVES // method.n, 2))
    short = replace(method, rounds=min(method.rounds, MOST_REHEARSED_ROUNDS))
    level = min(max(math.log2(noise), LEAST_LEVEL), MOST_LEVEL)
    below = min(math.floor(level), MOST_LEVEL - 1)
    ends = [
        _rehearsed(short, population.n_features, n_clusters, each) for each in (below, below + 1)
    ]
    return ends[0] + (level - below) * (ends[1] - ends[0])


@lru_cache(maxsize=256)
def _rehearsed(method: PaperMethod, n_features: int, n_clusters: int, level: int) -> float:
    """The median over random starts, for relative noise on sizes of 2**level."""
    starts = enumerate(_starts(method.n * n_clusters, n_features))
    leaves = [
        _leaves(method, Population.assumed(1, n_features, n_clusters, seed), 2.0**level, start)
        for seed, start in starts
    ]
    return float(np.median(leaves))


def _leaves(method: PaperMethod, population: Population, noise: float, start: FloatArray) -> float:
    """One rehearsal; sizes are fractions of all records."""
    generator = public_randomness(0)
    shares = method.plan.shares
    centroids = start.copy()
    for share in shares:
        # As for Laplace noise; with Gaussian noise early rounds lose a little less.
        doubt = noise * float(shares[-1] / share) / population.n_clusters
        nearest = distances(population.records, centroids).argmin(axis=1)
        sizes = np.bincount(nearest, minlength=len(start)) / len(nearest)
        kept = sizes > doubt
        centroids = _means(population.records, nearest, kept, generator)
    noisy = np.where(kept, sizes, np.maximum(doubt * generator.standard_normal(len(start)), 0))
    leaves = Clusters(centroids, np.zeros_like(centroids), noisy, noisy)
    made_of = members(leaves, population.n_clusters, method.merge)
    parts = made_of @ sizes
    counted = made_of @ np.where(kept, 1.0, EMPTY_LEAF)
    found = made_of @ kept > 0
    return float((counted[found] / parts[found]).sum() / population.n_clusters**2)


def _means(
    records: FloatArray, nearest: FloatArray, kept: BoolArray, generator: Generator
) -> FloatArray:
    """The leaves' means; a leaf that noise has driven away is placed at random."""
    means = generator.uniform(-1.0, 1.0, (len(kept), records.shape[1]))
    for leaf in np.flatnonzero(kept):
        means[leaf] = records[nearest == leaf].mean(axis=0)
    return means


@lru_cache(maxsize=16)
def _starts(n_leaves: int, n_features: int) -> tuple[FloatArray, ...]:
    return tuple(
        sphere_packing(n_leaves, n_features, public_randomness(seed)) for seed in range(STARTS)
    )
