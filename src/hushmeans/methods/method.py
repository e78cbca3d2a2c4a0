"""The interface of a method: it finds clusters by asking the curator questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from numpy.random import Generator

from hushmeans.curator.door import Door
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.presence import Presence
from hushmeans.methods.profile import FeatureShares


@dataclass(frozen=True)
class Clustering:
    """The result of a method.

    Attributes
    ----------
    clusters
        The clusters, as many as were asked for.
    leaves
        The finer clusters from which they were merged.
    profiles
        The shares of the levels of each category, and of each flag, in each cluster.
    presence
        How often the values of features that may be missing are present.
    """

    clusters: Clusters
    leaves: Clusters
    profiles: tuple[FeatureShares, ...] = ()
    presence: Presence | None = None


class Method(Protocol):
    """A clustering method with its options."""

    @property
    def options(self) -> dict[str, int | float | str]:
        """The options, as in `method_options`."""

    @property
    def most_questions(self) -> int:
        """The maximum number of questions that `find` asks."""

    def find(self, door: Door, n_clusters: int, generator: Generator) -> Clustering:
        """Find the clusters; the generator provides public randomness."""
