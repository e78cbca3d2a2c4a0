"""The offsets of the picture's records from their nearest centroids, and what clipping cuts off."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hushmeans.curator.questions import Norm
from hushmeans.methods.nearest import nearest_points
from hushmeans.methods.outliers import Outliers
from hushmeans.methods.picture import Picture
from hushmeans.types import BoolArray, FloatArray, IntArray

FEWEST = 20
"""A cluster with fewer of the picture's records is taken to be like all of them together. Higher
values give clusters steadier clips, which fit them less."""
SHORTEST = 1e-12
"""Offsets shorter than this count as none, so that nothing is divided by zero."""


@dataclass(frozen=True)
class Gaps:
    """For each of the picture's records, its nearest centroid and the offset from it.

    Attributes
    ----------
    outliers
        Real records far from all centroids; None if they have not been asked for.
    """

    offsets: FloatArray
    nearest: IntArray
    outliers: Outliers | None = None

    @property
    def square(self) -> float:
        """The mean squared distance."""
        return float((self.offsets**2).sum(axis=1).mean())

    def only(self, chosen: BoolArray) -> Gaps:
        """The gaps of the chosen records."""
        return replace(self, offsets=self.offsets[chosen], nearest=self.nearest[chosen])

    def squares(self, n_clusters: int) -> FloatArray:
        """Each cluster's mean squared distance, or that of all records if that is larger."""
        lengths = (self.offsets**2).sum(axis=1, keepdims=True)
        return np.maximum(means_by_label(lengths, self.nearest, n_clusters)[:, 0], self.square)

    def cut_by(self, clips: FloatArray, norm: Norm) -> FloatArray:
        """The mean length that clipping cuts off the offsets of each cluster.

        For a cluster with few records in the picture, all records stand in. Outliers count even if
        the picture does not show them.

        Parameters
        ----------
        clips
            One row for each way to clip, with a clip for each cluster.
        """
        number, norms = clips.shape[1], norms_of(self.offsets, norm)
        lengths = np.linalg.norm(self.offsets, axis=1)
        euclidean = lengths / np.maximum(norms, SHORTEST)  # of one unit
        counts = np.bincount(self.nearest, minlength=number)
        own = [
            np.bincount(
                self.nearest, euclidean * np.maximum(norms - row[self.nearest], 0.0), number
            )
            for row in clips
        ]
        shown = np.where(
            counts < FEWEST,
            _mean_beyond(clips, norms, euclidean),
            np.array(own) / np.maximum(counts, 1),
        )
        if self.outliers is None:
            return shown
        return np.maximum(shown, self.outliers.cut_by(clips * float(euclidean.mean()), counts))


def gaps_to_nearest(picture: Picture, points: FloatArray) -> Gaps:
    """The gaps between the picture's records and their nearest points."""
    nearest = nearest_points(picture.records, points)
    return Gaps(picture.records - points[nearest], nearest)


def _mean_beyond(clips: FloatArray, norms: FloatArray, weights: FloatArray) -> FloatArray:
    """For each clip, the weighted mean of what norms exceed it by, over all norms."""
    order = np.argsort(norms)
    norms, weights = norms[order], weights[order]
    sums = np.append(np.cumsum((weights * norms)[::-1])[::-1], 0.0)
    totals = np.append(np.cumsum(weights[::-1])[::-1], 0.0)
    first = np.searchsorted(norms, clips)
    mean: FloatArray = (sums[first] - clips * totals[first]) / len(norms)
    return mean


def means_by_label(vectors: FloatArray, labels: IntArray, number: int) -> FloatArray:
    """The mean of the vectors with each label; 0 if there are none."""
    counts = np.maximum(np.bincount(labels, minlength=number), 1)
    sums = [np.bincount(labels, each, number) for each in vectors.T]
    return np.stack(sums, axis=1) / counts[:, None]


def norms_of(vectors: FloatArray | IntArray, norm: Norm) -> FloatArray:
    """The norm of each row."""
    norms: FloatArray = np.linalg.norm(vectors, ord=1 if norm == "l1" else 2, axis=1)
    return norms
