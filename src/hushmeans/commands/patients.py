"""A made-up table of clinic patients, clustered with and without privacy, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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
"""What is publicly known of such a table, decided before any patient is looked at."""

GROUPS = (
    # share of the patients, mean of each feature, standard deviation of each feature
    (0.30, (34, 3, 118, 23), (7, 1.5, 8, 2.5)),
    (0.25, (67, 9, 152, 28), (8, 3.0, 10, 3.0)),
    (0.20, (9, 5, 100, 17), (4, 2.0, 6, 2.0)),
    (0.15, (51, 6, 138, 38), (8, 2.0, 9, 3.5)),
    (0.10, (82, 21, 128, 22), (6, 3.5, 11, 2.5)),
)


def patients(n_patients: int, seed: int = 0) -> pa.Table:
    """Made-up patients of five kinds."""
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
    """A release and the non-private result, cluster by cluster.

    Attributes
    ----------
    records
        The made-up records, in original units.
    release
        The private result.
    centres, sizes
        The non-private result, in the order of the release's clusters.
    """

    records: FloatArray
    release: Release
    centres: FloatArray
    sizes: FloatArray


def beside_plain(table: pa.Table, release: Release) -> Comparison:
    """Run ordinary k-means on the same table and match its clusters to the release's."""
    from sklearn.cluster import KMeans

    box = Bounds(BOUNDS).box(names=table.column_names)
    records = np.column_stack([column.to_numpy() for column in table.columns])
    unit = box.to_unit_box(records)
    plain = KMeans(release.n_clusters, n_init=10, random_state=0).fit(unit)
    pairs = matched(release.centroids, plain.cluster_centers_)
    order = np.array([partner for _, partner in pairs])
    sizes = np.bincount(plain.labels_, minlength=release.n_clusters)
    return Comparison(
        records=records,
        release=release,
        centres=box.from_unit_box(plain.cluster_centers_[order]),
        sizes=sizes[order].astype(np.float64),
    )


def draw(comparison: Comparison, path: Path) -> None:
    """A picture of the records with the private and the non-private centres, two features a panel.

    The grey dots are the records themselves: fine here, where nobody exists.
    """
    from matplotlib.figure import Figure

    release = comparison.release
    names = list(release.box.names or ())
    figure = Figure(figsize=(11, 5), layout="constrained")
    private, errors = np.array(release.centres), np.array(release.standard_errors)
    areas = 2500 * np.array(release.sizes) / sum(release.sizes)
    shown = comparison.records[:4000]
    for axes, (x, y) in zip(figure.subplots(1, 2), ((0, 1), (2, 3)), strict=True):
        axes.scatter(shown[:, x], shown[:, y], s=3, color="0.8", label="patients (made up)")
        axes.scatter(
            private[:, x], private[:, y], s=areas, color="tab:blue", alpha=0.25, linewidths=0
        )
        axes.errorbar(
            private[:, x],
            private[:, y],
            xerr=1.96 * errors[:, x],
            yerr=1.96 * errors[:, y],
            fmt="o",
            color="tab:blue",
            label="private centre, 95 % from noise; disc: size",
        )
        axes.plot(
            *comparison.centres[:, [x, y]].T, "x", ms=9, mew=2, color="tab:red", label="not private"
        )
        axes.set(xlabel=_words(names[x]), ylabel=_words(names[y]))
        axes.set(xlim=(release.box.low[x], release.box.high[x]))
        axes.set(ylim=(release.box.low[y], release.box.high[y]))
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    epsilon = float(release.budget.epsilon)
    figure.suptitle(f"Five kinds of patients, found with ε = {epsilon:g}", fontsize=13)
    figure.savefig(path, dpi=130)


def _words(name: str) -> str:
    return name.replace("_", " ")
