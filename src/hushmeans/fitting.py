"""From records to a release: the one path that every way of fitting takes."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from hushmeans.arguments import Amount, whole_number
from hushmeans.budget import Booking, Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.sources import opened
from hushmeans.domain import Bounds
from hushmeans.errors import InputError, SimulationWarning
from hushmeans.mechanisms import mechanism_for
from hushmeans.methods.registry import DEFAULT, canonical_name, chosen_method
from hushmeans.methods.start import public_randomness
from hushmeans.payment import PaidSource, Payment
from hushmeans.release import Release, in_original_units
from hushmeans.version import versions
from hushmeans.watching import Watch

if TYPE_CHECKING:
    from hushmeans.ledger import Ledger

MOST_CLUSTERS = 10_000
"""Beyond this the start alone takes hours."""

SIMULATED = (
    "a seed is set: the noise is a simulation that can be subtracted again, so the result is not "
    "private and no ledger is debited; fit without a seed (random_state=None) to release anything"
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
    watch: Watch | None = None,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    release_id: str | None = None,
) -> Release:
    """Cluster the records and return what may be published.

    Everything the caller set is checked before a record is looked at. With a seed the noise
    is a simulation, and the release says so.

    With a ledger the budget is debited from the dataset of that name before the first question
    is answered, and the release is stored there. A release id that was used before, with the
    same settings, gives that release again and spends nothing. A simulation is not debited.
    """
    booking = _booking(ledger, dataset, release_id, seed)
    n_clusters = whole_number("n_clusters", n_clusters, at_most=MOST_CLUSTERS)
    rows_per_person = whole_number("rows_per_person", rows_per_person)
    seed = None if seed is None else whole_number("seed", seed, at_least=0)
    budget = Budget.of(epsilon, delta)
    chosen = chosen_method(method, method_options)
    mechanism = mechanism_for(budget, seed)
    if mechanism.simulated:
        warnings.warn(SIMULATED, SimulationWarning, stacklevel=3)
    watch = watch or Watch()
    with opened(data, Bounds(bounds), columns, cache, watch) as source:
        payment = None
        if ledger is not None and booking is not None:
            parameters = {
                "n_clusters": n_clusters,
                "method_options": dict(chosen.options),
                "rows_per_person": rows_per_person,
                "bounds": [source.box.low, source.box.high, source.box.names],
            }
            payment = Payment(ledger, booking, budget, canonical_name(method), parameters)
            if (earlier := payment.earlier_release()) is not None:
                return earlier
        asked = source if payment is None else PaidSource(source, payment)
        curator = Curator(asked, mechanism, budget, rows_per_person, watch)
        watch.planned(chosen.most_questions)
        found = chosen.find(curator.door, n_clusters, public_randomness(seed))
        release = Release(
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
            booking=booking,
        )
    if payment is not None:
        payment.store(release)
    return release


def _booking(
    ledger: Ledger | None, dataset: str | None, release_id: str | None, seed: int | None
) -> Booking | None:
    """Where to book the fit, under a new id if the caller has none; None if it is not to be."""
    if ledger is None and (dataset is not None or release_id is not None):
        raise InputError("a dataset and a release id are entries of a ledger; name the ledger too")
    if release_id is not None and seed is not None:
        raise InputError("a simulation is not entered in a ledger; leave out the seed or the id")
    if ledger is None:
        return None
    if dataset is None:
        raise InputError("a ledger is kept by dataset; name the dataset that the records are from")
    if seed is not None:
        return None
    return Booking(dataset, secrets.token_hex(8) if release_id is None else release_id)
