"""How well the clusters of a release are separated: the usual scores, from sizes and widths.

The scores of scikit-learn need the records. With widths, the same quantities follow from the
release alone: squared distances within clusters are sums of squared widths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hushmeans.distances import distances
from hushmeans.errors import InputError
from hushmeans.methods.start import public_randomness
from hushmeans.release.clusters import ClusterTable, in_unit_box
from hushmeans.release.noisy import distinguishable
from hushmeans.release.numbers import measured
from hushmeans.schema import Box
from hushmeans.types import FloatArray

REDRAWN = 200
"""How often the release is drawn anew from its own errors to find those of the scores."""

NO_WIDTHS = (
    "the release has no widths, which {what} needs; fit only numbers and dates, without weights "
    'or missing = "ignore", with the refined method and widths_share above 0; if widths were left '
    "out because they would be nothing but noise, fit more records or use a larger epsilon"
)


@dataclass(frozen=True)
class QualityScore:
    """A score and its standard error due to noise."""

    value: float
    standard_error: float

    def __str__(self) -> str:
        return " ± ".join(measured(self.value, self.standard_error))


@dataclass(frozen=True)
class QualityScores:
    """How well the clusters are separated, in the unit box.

    Attributes
    ----------
    calinski_harabasz
        Variance between clusters over variance within them; higher is better.
    davies_bouldin
        For each cluster and the one most similar to it, their widths over their distance, on
        average; lower is better.
    silhouette
        The simplified silhouette, from distances to centres, from -1 to 1; higher is better.
    """

    calinski_harabasz: QualityScore
    davies_bouldin: QualityScore
    silhouette: QualityScore

    def __str__(self) -> str:
        return (
            f"Calinski-Harabasz {self.calinski_harabasz}, Davies-Bouldin {self.davies_bouldin}, "
            f"silhouette {self.silhouette}"
        )


def quality_of(table: ClusterTable, box: Box) -> QualityScores:
    """The scores of the clusters that can be told from noise.

    Raises
    ------
    InputError
        If the release has no widths, or fewer than two distinguishable clusters.
    """
    real = list(distinguishable(table.sizes, table.size_standard_errors))
    if len(real) < 2:
        raise InputError(
            "fewer than two clusters can be distinguished from noise, so there is nothing to score"
        )
    clusters = in_unit_box(table, box)
    if clusters.widths is None or clusters.width_variances is None:
        raise InputError(NO_WIDTHS.format(what="a quality score"))
    centroids, sizes, widths = (
        column[real] for column in (clusters.centroids, clusters.sizes, clusters.widths)
    )
    doubts = (clusters.variances, clusters.size_variances, clusters.width_variances)
    spread = [np.sqrt(column[real]) for column in doubts]
    values = _scores(centroids, sizes, widths)
    generator = public_randomness(0)
    drawn = np.array(
        [
            _scores(
                np.clip(generator.normal(centroids, spread[0]), -1, 1),
                np.maximum(generator.normal(sizes, spread[1]), 1.0),
                np.maximum(generator.normal(widths, spread[2]), 1e-9),
            )
            for _ in range(REDRAWN)
        ]
    )
    return QualityScores(*map(QualityScore, values.tolist(), drawn.std(axis=0).tolist()))


def _scores(centroids: FloatArray, sizes: FloatArray, widths: FloatArray) -> FloatArray:
    """Calinski-Harabasz, Davies-Bouldin and the simplified silhouette."""
    number, whole = len(sizes), float(sizes.sum())
    squares = (widths**2).sum(axis=1)
    mean = (sizes[:, None] * centroids).sum(axis=0) / whole
    between = float((sizes * ((centroids - mean) ** 2).sum(axis=1)).sum())
    within = max(float((sizes * squares).sum()), 1e-12)
    calinski = between / (number - 1) / (within / max(whole - number, 1.0))
    apart = np.maximum(distances(centroids, centroids), 1e-9)
    np.fill_diagonal(apart, np.inf)
    radii = np.sqrt(squares)
    davies = ((radii[:, None] + radii) / apart).max(axis=1).mean()
    to_next = np.sqrt(squares + apart.min(axis=1) ** 2)
    silhouette = (sizes * (to_next - radii) / np.maximum(to_next, radii)).sum() / whole
    return np.array([calinski, davies, silhouette])
