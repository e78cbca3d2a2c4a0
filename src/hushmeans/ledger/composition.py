"""What debits amount to together in zero-concentrated differential privacy (zCDP).

Rho adds up, and OpenDP converts the sum to an epsilon at the account's delta. Proof:
``proofs/accounts.md``.
"""

from __future__ import annotations

from fractions import Fraction

from hushmeans.budget import Budget
from hushmeans.settings import Settings

RHO_STEP = Fraction(1, 10**15)
"""Each rho is rounded up to a multiple of this, so that sums stay short."""


def rho_of_fit(settings: Settings, n_directions: int) -> Fraction | None:
    """The rho of a fit; None if the budget has no delta.

    It follows from the noise that the fit chooses for records that spread in so many directions.
    """
    of_gaussian = rho_of_gaussian(settings.budget)
    if of_gaussian is None or not chooses_laplace(settings, n_directions):
        return of_gaussian
    return rho_of_pure(settings.budget.epsilon)


def chooses_laplace(settings: Settings, n_directions: int) -> bool:
    """Whether a fit with a delta chooses Laplace noise."""
    from hushmeans.curator.curator import noise_within
    from hushmeans.methods.opening import is_much_weaker
    from hushmeans.methods.refined import RefinedMethod

    budget = settings.budget
    noises = noise_within(budget, norm="l1"), noise_within(budget)
    return isinstance(settings.method, RefinedMethod) and is_much_weaker(*noises, n_directions)


def rho_of_gaussian(budget: Budget) -> Fraction | None:
    """The rho of a fit with Gaussian noise alone; None if the budget has no delta."""
    from hushmeans.curator.curator import rho_within

    return rho_within(budget)


def rho_of_pure(epsilon: Fraction) -> Fraction:
    """The rho that every epsilon-differentially private release satisfies."""
    return epsilon**2 / 2


def rounded_up(rho: Fraction) -> Fraction:
    """The next multiple of `RHO_STEP`: a larger rho claims less, so this is sound."""
    return -(-rho // RHO_STEP) * RHO_STEP


def epsilon_by_zcdp(rho: Fraction, delta: Fraction) -> Fraction:
    """The epsilon at which a sum of rhos keeps a delta above 0."""
    from hushmeans.curator.curator import epsilon_of_zcdp  # with OpenDP, which takes long to load

    return epsilon_of_zcdp(rho, delta)
