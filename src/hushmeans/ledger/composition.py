"""What debits amount to together in zero-concentrated differential privacy (zCDP).

Rho adds up, and OpenDP converts the sum to an epsilon at the account's delta. Proof:
``proofs/accounts.md``.
"""

from __future__ import annotations

from fractions import Fraction

from hushmeans.budget import Budget
from hushmeans.schema import Box
from hushmeans.settings import Settings

RHO_STEP = Fraction(1, 10**15)
"""Each rho is rounded up to a multiple of this, so that sums stay short."""


def rho_of_fit(settings: Settings, box: Box) -> Fraction | None:
    """The rho of a fit of records with this box; None if the budget has no delta.

    It follows from the noise that the fit chooses. What Laplace noise spends on finding ranges
    comes first; the rest is as without it.
    """
    budget, n_directions = settings.budget, box.layout.n_directions
    if budget.delta == 0 or not box.unknown or not prefers_laplace(settings, box):
        return _rho_of_method(settings, n_directions)
    first = settings.range_share * budget.epsilon
    rest = settings.with_epsilon(budget.epsilon - first).budget
    # Whichever noise the method turns to after the ranges, it claims no more than the larger rho.
    return rho_of_pure(first) + max(rho_of_pure(rest.epsilon), rho_of_gaussian(rest) or 0)


def _rho_of_method(settings: Settings, n_directions: int) -> Fraction | None:
    """That of a method alone, for records that spread in so many directions."""
    of_gaussian = rho_of_gaussian(settings.budget)
    if of_gaussian is None or not chooses_laplace(settings, n_directions):
        return of_gaussian
    return rho_of_pure(settings.budget.epsilon)


def prefers_laplace(settings: Settings, box: Box) -> bool:
    """Whether ranges are found with Laplace noise although the budget has a delta.

    So they are where it is weaker, and where the method then chooses it: after Gaussian noise
    there is no other.
    """
    from hushmeans.curator.curator import noise_within
    from hushmeans.methods.ranges import deviation_of

    laplace, gaussian = noise_within(settings.budget, norm="l1"), noise_within(settings.budget)
    share, n_unknown = settings.range_share, len(box.unknown)
    weaker = deviation_of(laplace, n_unknown, share) < deviation_of(gaussian, n_unknown, share)
    return weaker or chooses_laplace(settings, box.layout.n_directions)


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
