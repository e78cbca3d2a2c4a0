"""Tables of well separated groups, and releases of them, with simulated noise."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np

from hushmeans import DPKMeans, Release, SimulationWarning
from hushmeans.types import FloatArray

BOUNDS = (0.0, 1.0)


def groups(number: int, n_features: int, seed: int, n_records: int = 10_000) -> FloatArray:
    """Records around so many centres, which lie six standard deviations apart or more."""
    generator, deviation = np.random.default_rng(seed), 0.04
    while True:
        centres = generator.uniform(0.15, 0.85, (number, n_features))
        apart = np.linalg.norm(centres[:, None] - centres, axis=2) + 9 * np.eye(number)
        if apart.min() > 6 * deviation:
            break
    labels = generator.choice(number, n_records, p=generator.dirichlet(np.full(number, 8.0)))
    return centres[labels] + generator.normal(0, deviation, (n_records, n_features))


@cache
def fitted(
    number: int, n_features: int, k: int, seed: int, delta: float = 0.0, table: int = 0
) -> Release:
    """A release of groups at epsilon = 1; another seed is another fit of the same table."""
    records = groups(number, n_features, table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        model = DPKMeans(k, epsilon=1.0, delta=delta, bounds=BOUNDS, random_state=seed)
        return model.fit(records).release_
