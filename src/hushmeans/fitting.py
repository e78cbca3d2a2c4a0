"""From records to a release: the one path that every way of fitting takes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from hushmeans.arguments import Amount, whole_number
from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator, Watch, ignore
from hushmeans.curator.sources import open_source
from hushmeans.domain import Bounds, Box
from hushmeans.errors import SimulationWarning
from hushmeans.mechanisms import mechanism_for
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.paper import canonical_name, paper_method
from hushmeans.methods.start import public_randomness
from hushmeans.release import Release, Table
from hushmeans.types import FloatArray
from hushmeans.version import versions

MOST_CLUSTERS = 100_000
"""Beyond this the start alone takes hours."""

SIMULATED = (
    "a seed is set: the noise is a simulation that can be subtracted again, so the result is not "
    "private; fit without a seed (random_state=None) to release anything"
)


def fit_release(
    data: Any,
    *,
    n_clusters: int,
    bounds: Any,
    epsilon: Amount,
    delta: Amount = 0.0,
    method: str = "allocation_nk",
    method_options: Mapping[str, Any] | None = None,
    rows_per_person: int = 1,
    seed: int | None = None,
    watch: Watch = ignore,
) -> Release:
    """Cluster the records and return what may be published.

    Everything the caller set is checked before a record is looked at. With a seed the noise
    is a simulation, and the release says so.
    """
    n_clusters = whole_number("n_clusters", n_clusters, at_most=MOST_CLUSTERS)
    rows_per_person = whole_number("rows_per_person", rows_per_person)
    seed = None if seed is None else whole_number("seed", seed, at_least=0)
    budget = Budget.of(epsilon, delta)
    chosen = paper_method(method, method_options)
    mechanism = mechanism_for(budget, seed)
    if mechanism.simulated:
        warnings.warn(SIMULATED, SimulationWarning, stacklevel=3)
    source = open_source(data, Bounds(bounds))
    curator = Curator(source, mechanism, budget, rows_per_person, watch)
    start = chosen.start(n_clusters, source.box.n_features, public_randomness(seed))
    clusters = chosen.cluster(curator.ask, source.box.grid, start, n_clusters)
    return Release(
        **_in_original_units(clusters, source.box),
        box=source.box,
        budget=budget,
        rows_per_person=rows_per_person,
        simulated=mechanism.simulated,
        spends=curator.settle(),
        method=canonical_name(method),
        method_options=tuple(chosen.options.items()),
        versions=tuple(versions().items()),
    )


def _in_original_units(clusters: Clusters, box: Box) -> dict[str, Any]:
    return {
        "centres": _rows(box.from_unit_box(clusters.centroids)),
        "standard_errors": _rows(np.sqrt(clusters.variances) * box.half_width),
        "sizes": tuple(clusters.sizes.tolist()),
        "size_standard_errors": tuple(np.sqrt(clusters.size_variances).tolist()),
    }


def _rows(table: FloatArray) -> Table:
    return tuple(tuple(row) for row in table.tolist())
