"""A synthetic table of clinic patients, and its clusters with and without privacy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from hushmeans.forecasting.mixture import scattered
from hushmeans.release import Release
from hushmeans.release.matching import matched
from hushmeans.schema import Bounds
from hushmeans.types import FloatArray

BOUNDS = {
    "age": (0.0, 100.0),
    "visits_per_year": (0.0, 30.0),
    "systolic_pressure": (80.0, 200.0),
    "body_mass_index": (12.0, 50.0),
}
"""Public bounds for such a table, chosen without looking at any patient."""

GROUPS = (
    # share of the patients; mean and standard deviation of each feature
    (0.30, (34, 3, 118, 23), (7, 1.5, 8, 2.5)),
    (0.25, (67, 9, 152, 28), (8, 3.0, 10, 3.0)),
    (0.20, (9, 5, 100, 17), (4, 2.0, 6, 2.0)),
    (0.15, (51, 6, 138, 38), (8, 2.0, 9, 3.5)),
    (0.10, (82, 21, 128, 22), (6, 3.5, 11, 2.5)),
)


def patients(n_patients: int, seed: int = 0) -> pa.Table:
    """Synthetic patients of five kinds."""
    generator = np.random.default_rng(seed)
    shares = [share for share, _, _ in GROUPS]
    kinds = generator.choice(len(GROUPS), size=n_patients, p=shares)
    means = np.array([mean for _, mean, _ in GROUPS], dtype=np.float64)
    deviations = np.array([deviation for _, _, deviation in GROUPS])[kinds]
    records = np.clip(
        scattered(generator, means, deviations, kinds),
        [low for low, _ in BOUNDS.values()],
        [high for _, high in BOUNDS.values()],
    )
    return pa.table(dict(zip(BOUNDS, records.round(1).T, strict=True)))


@dataclass(frozen=True)
class Comparison:
    """A private release beside non-private k-means on the same table.

    Attributes
    ----------
    release
        The private result.
    centres, sizes
        The non-private result, in the order of the release's clusters.
    """

    release: Release
    centres: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, table: pa.Table, release: Release) -> Comparison:
        """Run ordinary k-means on the table and match its clusters to the release's."""
        from sklearn.cluster import KMeans

        box = Bounds(BOUNDS).box(names=table.column_names)
        records = np.column_stack([column.to_numpy() for column in table.columns])
        plain = KMeans(release.n_clusters, n_init=10, random_state=0).fit(box.to_unit_box(records))
        pairs = matched(release.centroids, plain.cluster_centers_)
        order = np.array([partner for _, partner in pairs])
        sizes = np.bincount(plain.labels_, minlength=release.n_clusters)
        return cls(
            release=release,
            centres=box.from_unit_box(plain.cluster_centers_[order]),
            sizes=sizes[order].astype(np.float64),
        )
