"""From records to a release: the one path that every way of fitting takes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from hushmeans.arguments import Amount, whole_number
from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator, Watch, ignore
from hushmeans.curator.sources import opened
from hushmeans.domain import Bounds
from hushmeans.errors import SimulationWarning
from hushmeans.mechanisms import mechanism_for
from hushmeans.methods.registry import DEFAULT, canonical_name, chosen_method
from hushmeans.methods.start import public_randomness
from hushmeans.release import Release, in_original_units
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
    method: str = DEFAULT,
    method_options: Mapping[str, Any] | None = None,
    rows_per_person: int = 1,
    seed: int | None = None,
    columns: Sequence[str] | None = None,
    cache: str | PathLike[str] | None = None,
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
    chosen = chosen_method(method, method_options)
    mechanism = mechanism_for(budget, seed)
    if mechanism.simulated:
        warnings.warn(SIMULATED, SimulationWarning, stacklevel=3)
    with opened(data, Bounds(bounds), columns, cache) as source:
        curator = Curator(source, mechanism, budget, rows_per_person, watch)
        found = chosen.find(curator.door, n_clusters, public_randomness(seed))
        return Release(
            **vars(in_original_units(found.clusters, source.box)),
            leaves=in_original_units(found.leaves, source.box),
            box=source.box,
            budget=budget,
            rows_per_person=rows_per_person,
            simulated=mechanism.simulated,
            spends=curator.settle(),
            method=canonical_name(method),
            method_options=tuple(chosen.options.items()),
            versions=tuple(versions().items()),
        )
