"""From records to a release: the one function behind the estimator and the command line."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any

from hushmeans.arguments import whole_number
from hushmeans.budget import Booking, Budget
from hushmeans.curator.curator import open_curator
from hushmeans.curator.watching import Watch
from hushmeans.errors import (
    NOTHING_SPENT,
    InputError,
    LedgerError,
    SimulationWarning,
    WeakGuaranteeWarning,
    costing,
    warn,
)
from hushmeans.ledger.composition import prefers_laplace
from hushmeans.ledger.payment import Payment
from hushmeans.ledger.standing import Amounts
from hushmeans.methods.ranges import MOST_LOOKS
from hushmeans.methods.start import public_randomness
from hushmeans.release import Release
from hushmeans.release.about import About
from hushmeans.release.clusters import in_original_units
from hushmeans.release.found import Found
from hushmeans.release.profiles import missing_rates_of, profiles_of
from hushmeans.schema import Box, declared_schema
from hushmeans.settings import Settings
from hushmeans.surveys.range_finding import ranges_for
from hushmeans.version import versions

if TYPE_CHECKING:
    from hushmeans.ledger import Ledger

LARGEST_USUAL_EPSILON = 10
LARGEST_USUAL_DELTA = Fraction(1, 10_000)
"""Above these a fit warns that little is left of its guarantee."""
LONGEST_FACTOR = 20
"""Above this epsilon, e^epsilon is easier to read than its digits."""

SIMULATION_MESSAGE = (
    "a seed is set, so the noise can be reproduced and subtracted: the result is a simulation "
    "without any privacy guarantee, and no ledger is debited; fit without a seed "
    "(random_state=None) before publishing anything"
)


def fit_release(
    data: Any,
    settings: Settings,
    *,
    bounds: Any = None,
    schema: Any = None,
    seed: int | None = None,
    columns: Sequence[str] | None = None,
    cache: str | PathLike[str] | None = None,
    watch: Watch | None = None,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    release_id: str | None = None,
    simulate: bool = False,
    about: About | None = None,
    one_noise: bool = False,
) -> Release:
    """Cluster the records and return the result that may be published.

    What is public about the columns is said by `bounds`, in any form that `Bounds` accepts, or by
    `schema`, in any form that `Schema` accepts. It is checked, as all settings are, before any
    record is read. With a seed the noise is simulated, and
    the release is marked as a simulation.

    With a ledger, the budget is debited from the named dataset before the first question is
    answered, every noisy answer is kept in the ledger before it is used, and the release is stored
    there. Reusing a release id with the same settings spends nothing: it returns the stored release
    or, if that fit died, resumes it with the kept answers.

    With `one_noise` a budget with a delta is spent on Gaussian noise alone, so that its zCDP holds
    for the whole fit.

    A seed beside a ledger needs `simulate`, because no limit holds a simulation back.
    Errors say what was spent, and have it as their `cost`.
    """
    with costing(lambda: NOTHING_SPENT):
        declared = declared_schema(bounds, schema)
        settings = settings.with_unit_of(declared)
        booking = _booking(ledger, dataset, release_id, seed, simulate=simulate)
    payment = None if ledger is None or booking is None else Payment(ledger, booking, settings)
    bill = _Bill(settings.budget, payment)
    if seed is not None:
        seed = whole_number("seed", seed, at_least=0)
        warn(SIMULATION_MESSAGE, SimulationWarning)
    else:
        for sentence in weaknesses(settings.budget):
            warn(sentence, WeakGuaranteeWarning)
    watch = watch or Watch()
    with (
        costing(bill.in_words),
        open_curator(
            data,
            declared,
            settings.budget,
            rows_per_person=settings.rows_per_person,
            seed=seed,
            columns=columns,
            cache=cache,
            watch=watch,
            pay=bill.pay if seed is None else None,
            journal=None if payment is None else payment.journal,
        ) as curator,
    ):
        if payment is not None and (earlier := payment.earlier_release(curator.box)) is not None:
            return earlier
        found: tuple[Found, ...] = ()
        if unknown := curator.box.unknown:
            watch.planned(MOST_LOOKS)
            laplace = not one_noise and prefers_laplace(settings, curator.box)
            ranges = ranges_for(curator.door, curator.box, settings.range_share, laplace=laplace)
            curator.fix_ranges([(each.low, each.high) for each in ranges])
            found = tuple(map(Found, unknown, (each.is_sure for each in ranges)))
        watch.planned(settings.method.most_questions)
        door = replace(curator.door, turn_to=None) if one_noise else curator.door
        clustering = settings.method.find(
            door,
            settings.n_clusters,
            public_randomness(seed if payment is None else payment.public_seed),
        )
        spends = curator.settle()
        release = Release(
            **vars(in_original_units(clustering.clusters, curator.box)),
            leaves=in_original_units(clustering.leaves, curator.box),
            box=curator.box,
            budget=settings.budget,
            rows_per_person=settings.rows_per_person,
            simulated=curator.simulated,
            spends=spends,
            method=settings.method_name,
            method_options=tuple(settings.method_options.items()),
            versions=tuple(versions().items()),
            booking=booking,
            found=found,
            about=about or About(),
            missing_person=settings.missing_person,
            profiles=profiles_of(clustering, curator.box, spends[-1].noise),
            missing_rates=missing_rates_of(clustering, curator.box),
        )
    if payment is not None:
        payment.store(release)
    return release


class _Bill:
    """What a fit has spent so far."""

    def __init__(self, budget: Budget, payment: Payment | None) -> None:
        self._amounts = Amounts.of(budget)
        self._payment = payment
        self._spent = NOTHING_SPENT

    def pay(self, box: Box) -> None:
        """Debit the ledger, if there is one, before the first answer."""
        if self._payment is not None:
            try:
                self._payment.make(box)
            except LedgerError:
                self._spent = (
                    f"{NOTHING_SPENT}, unless the connection was lost during the debit; "
                    "hushmeans budget history shows whether it was recorded"
                )
                raise
            release_id = self._payment.booking.release_id
            resuming = f"; repeat the fit with the release id {release_id!r} to resume it"
        self._spent = f"ε = {self._amounts} was spent" + (resuming if self._payment else "")

    def in_words(self) -> str:
        return self._spent


def weaknesses(budget: Budget) -> list[str]:
    """What to warn of if a budget leaves little of the guarantee: a sentence for each amount."""
    found = []
    if budget.epsilon > LARGEST_USUAL_EPSILON:
        epsilon = float(budget.epsilon)
        factor = f"e^{epsilon:g}" if epsilon > LONGEST_FACTOR else f"{math.exp(epsilon):,.0f}"
        found.append(
            f"epsilon is {epsilon:g}: one person's records may make a result up to {factor} times "
            "as likely, which protects against very little; 1 is a common choice, and more than "
            f"{LARGEST_USUAL_EPSILON} is hard to defend"
        )
    if budget.delta > LARGEST_USUAL_DELTA:
        delta = float(budget.delta)
        found.append(
            f"delta is {delta:g}: the guarantee allows one person in {1 / delta:,.0f} to be "
            "exposed completely; choose a delta far below 1 over the number of people, say 1e-6"
        )
    return found


def _booking(
    ledger: Ledger | None,
    dataset: str | None,
    release_id: str | None,
    seed: int | None,
    *,
    simulate: bool,
) -> Booking | None:
    """The ledger entry for the fit, with a new release id by default; None if there is none."""
    if ledger is None and (dataset is not None or release_id is not None):
        raise InputError(
            "dataset and release_id refer to a ledger, and none was given; give the ledger too, "
            "such as ledger=Ledger(), or set HUSHMEANS_LEDGER"
        )
    if simulate and seed is None:
        raise InputError("a simulation needs a seed; give one, or do not ask to simulate")
    if seed is not None and ledger is not None and not simulate:
        raise InputError(
            "a seed makes the fit a simulation, which the ledger does not limit: anyone can "
            "subtract its noise and get the exact answers; omit the seed, or confirm the "
            "simulation with simulate=True (--simulate)"
        )
    if release_id is not None and seed is not None:
        raise InputError(
            "a simulation is not recorded in a ledger; omit either the seed or the release id"
        )
    if ledger is None:
        return None
    if dataset is None:
        raise InputError(
            "a ledger tracks each dataset by name; give the name of the dataset too, such as "
            'dataset="people", or fit without a ledger (ledger=False)'
        )
    if seed is not None:
        return None
    return Booking(dataset, secrets.token_hex(8) if release_id is None else release_id)
