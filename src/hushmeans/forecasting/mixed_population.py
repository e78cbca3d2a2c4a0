"""The mixed records that a forecast assumes: clusters that prefer some levels to others."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from hushmeans.forecasting.population import (
    CENTRE_RANGE,
    CLUSTER_WIDTH,
    MOST_STANDIN_CLUSTERS,
    STANDINS,
    Population,
)
from hushmeans.methods.blocks import within_blocks
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Block, Layout
from hushmeans.types import FloatArray, IntArray

PREFERRED = 0.6
"""The probability that a record has its cluster's own level; the rest is shared by all levels."""
FLAG_SHARE = 0.8
"""The fraction of a cluster's records that agree in a flag."""
CYCLE_WIDTH = 0.8
"""The standard deviation of a cluster on a circle, in radians."""


def mixed_population(size: int, layout: Layout, n_clusters: int) -> Population:
    """The population for a forecast of records of this layout."""
    records, labels, centres = _mixed_standins(layout, min(n_clusters, MOST_STANDIN_CLUSTERS))
    within = np.array([records[labels == row].var(axis=0) for row in range(len(centres))])
    width = math.sqrt(float(within.mean()))
    return Population(size, n_clusters, width, records, labels, centres, layout)


@lru_cache(maxsize=16)
def _mixed_standins(layout: Layout, n_clusters: int) -> tuple[FloatArray, IntArray, FloatArray]:
    """Synthetic records, their clusters, and the clusters' means."""
    generator = public_randomness(0)
    labels = np.arange(max(STANDINS, 10 * n_clusters)) % n_clusters
    drawn = [drawn_feature(block, labels, n_clusters, generator) for block in layout.blocks]
    records = np.concatenate(drawn, axis=1)
    centres = np.array([records[labels == row].mean(axis=0) for row in range(n_clusters)])
    return records, labels, within_blocks(layout, centres)


def drawn_feature(
    block: Block, labels: IntArray, n_clusters: int, generator: Generator
) -> FloatArray:
    """The columns of one feature, with one row per label."""
    number = len(labels)
    if block.kind == "category":
        own = generator.integers(block.width, size=n_clusters)[labels]
        other = generator.integers(block.width, size=number)
        levels = np.where(generator.random(number) < PREFERRED, own, other)
        return block.high * np.eye(block.width)[levels]
    if block.kind == "flag":
        raised = generator.random(n_clusters)[labels] < 0.5
        flags = raised == (generator.random(number) < FLAG_SHARE)
        return np.where(flags, block.high, block.low)[:, None]
    if block.kind == "cycle":
        angles = generator.uniform(0, 2 * math.pi, n_clusters)[labels]
        angles = angles + CYCLE_WIDTH * generator.standard_normal(number)
        return block.high * np.column_stack([np.cos(angles), np.sin(angles)])
    centres = generator.uniform(-CENTRE_RANGE, CENTRE_RANGE, n_clusters)
    places = centres[labels] + CLUSTER_WIDTH * generator.standard_normal(number)
    middle, reach = (block.low + block.high) / 2, (block.high - block.low) / 2
    return (middle + reach * np.clip(places, -1.0, 1.0))[:, None]
