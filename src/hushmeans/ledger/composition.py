"""What debits amount to together in zero-concentrated differential privacy (zCDP).

Rho adds up, and OpenDP converts the sum to an epsilon at the account's delta. Proof:
``proofs/accounts.md``.
"""

from __future__ import annotations

from fractions import Fraction

from hushmeans.budget import Budget

RHO_STEP = Fraction(1, 10**15)
"""Each rho is rounded up to a multiple of this, so that sums stay short."""


def rho_of_fit(budget: Budget) -> Fraction | None:
    """The rho of a fit within a budget; None if its noise is that of pure privacy."""
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
