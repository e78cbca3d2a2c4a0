"""What noise is measured against: k-means without privacy, and a single point. NOT PRIVATE."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from hushmeans.curator.store import Store
from hushmeans_experiments.materials import Materials, piece_file, points_of
from hushmeans_experiments.scoring import score_encoded

NOT_PRIVATE = "not private"
ONE_POINT = "one point"


@dataclass(frozen=True, order=True)
class Baseline:
    """The two lines that every figure shows, for a dataset and a number of clusters."""

    dataset: str
    n_clusters: int

    def file(self, materials: Materials) -> str:
        name = f"{self.dataset}-baseline-k{self.n_clusters}"
        return piece_file(name, self.dataset, materials)

    def run(self, materials: Materials) -> pa.Table:
        return run_baseline(self, materials.source(self.dataset))


def run_baseline(baseline: Baseline, source: Store) -> pa.Table:
    """The scores of the best of ten k-means, and of the mean of all records."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    points = points_of(source)
    with threadpool_limits(1):  # the order in which threads add up floats would show
        plain = KMeans(baseline.n_clusters, n_init=10, random_state=0).fit(points)
    centroids = {
        NOT_PRIVATE: plain.cluster_centers_,
        ONE_POINT: points.mean(axis=0, keepdims=True),
    }
    scores = [
        score_encoded(source.records, source.box.grid, np.asarray(c)) for c in centroids.values()
    ]
    return pa.table(
        {
            "dataset": [baseline.dataset] * 2,
            "n_clusters": [baseline.n_clusters] * 2,
            "method": list(centroids),
            "nicv": [each.nicv for each in scores],
            "nicv_squared": [each.nicv_squared for each in scores],
        }
    )
