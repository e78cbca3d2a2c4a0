"""Synthetic tables with the shapes of the paper's datasets, for machines without those."""

from __future__ import annotations

import zlib

import numpy as np
import pyarrow as pa

from hushmeans.curator.store import Store
from hushmeans.forecasting.mixture import scattered
from hushmeans_experiments.datasets import Dataset, encoded


def stand_in(dataset: Dataset) -> Store:
    """A mixture of as many unequal clusters as the paper asks for, always the same one."""
    generator = np.random.default_rng(zlib.crc32(dataset.name.encode()))
    centres = generator.uniform(-0.8, 0.8, (dataset.n_clusters, dataset.n_features))
    shares = generator.dirichlet(np.full(dataset.n_clusters, 3.0))
    kinds = generator.choice(dataset.n_clusters, size=dataset.n_records, p=shares)
    records = scattered(generator, centres, 0.2, kinds)
    return encoded(pa.table({f"feature_{f}": column for f, column in enumerate(records.T)}))
