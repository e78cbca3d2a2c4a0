"""Many runs of a target on both neighbours, in several processes, and what they prove."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from joblib import Parallel, delayed

from audit.bounds import ALARM, LowerBound, lower_bound, proven_epsilon, proven_mu
from audit.targets import Target, is_gaussian
from hushmeans.budget import Budget
from hushmeans.curator.kernel import available_threads
from hushmeans.curator.mechanisms import Gaussian
from hushmeans.types import FloatArray

BATCHES = 4
"""How many pieces the runs on one neighbour are cut into for each process."""

FIRST_RUNS = 64
"""A hunt for a leak begins with this many runs on each neighbour, and doubles them."""


@dataclass(frozen=True)
class Finding:
    """What runs prove about a promise.

    Attributes
    ----------
    budget
        The promise.
    bound
        On epsilon, whatever the mechanism does.
    gaussian
        On the epsilon that noise this small amounts to, if it is Gaussian; None where it is not.
    """

    budget: Budget
    bound: LowerBound
    gaussian: LowerBound | None

    @property
    def broken(self) -> bool:
        """Whether the promise is proven to be broken."""
        return self.tightest.value > self.budget.epsilon

    @property
    def tightest(self) -> LowerBound:
        bounds = [self.bound] if self.gaussian is None else [self.bound, self.gaussian]
        return max(bounds, key=lambda bound: bound.value)


def audited(target: Target, runs: int, jobs: int | None = None) -> Mapping[str, Finding]:
    """What so many runs on each neighbour prove, for each of the target's views.

    Parameters
    ----------
    jobs
        The number of processes; None for as many as there are processors.
    """
    jobs = available_threads() if jobs is None else jobs
    fewer, more = (_many(target, more, runs, jobs) for more in (False, True))
    gaussian = is_gaussian(target)
    findings = {}
    start = 0
    for view, columns in target.views.items():
        judged = slice(start, start + len(columns))
        outcomes = fewer[:, judged], more[:, judged]
        findings[view] = judge(*outcomes, columns, target.budget, gaussian=gaussian)
        start = judged.stop
    return findings


def judge(
    fewer: FloatArray,
    more: FloatArray,
    columns: tuple[str, ...],
    budget: Budget,
    *,
    gaussian: bool,
) -> Finding:
    """What outcomes on two neighbours prove, given whether all noise is Gaussian."""
    bound = lower_bound(fewer, more, columns, proven_epsilon(float(budget.delta)), ALARM)
    if not gaussian:
        return Finding(budget, bound, None)
    mu = lower_bound(fewer, more, columns, proven_mu, ALARM)
    rho = Fraction(max(mu.value, 1e-9)) ** 2 / 2
    epsilon = float(Gaussian().epsilon(rho, budget.delta))
    return Finding(budget, bound, LowerBound(epsilon, mu.told_by))


def _many(target: Target, more: bool, runs: int, jobs: int) -> FloatArray:
    if jobs == 1:
        return target.outcomes(more, runs)
    sizes = [len(part) for part in np.array_split(np.arange(runs), jobs * BATCHES)]
    parts = Parallel(n_jobs=jobs)(delayed(target.outcomes)(more, size) for size in sizes if size)
    return np.concatenate(parts)


@dataclass(frozen=True)
class Caught:
    """A promise proven broken.

    Attributes
    ----------
    runs
        How many runs on each neighbour it took.
    """

    finding: Finding
    runs: int


def hunted(target: Target, view: str, most_runs: int) -> Caught | None:
    """More and more runs until they prove that the promise is broken; None if they never do.

    Each attempt is of new runs. A bound on a promise that is kept exceeds it with at most the
    probability `ALARM` in each attempt.
    """
    runs = FIRST_RUNS
    while runs <= most_runs:
        finding = audited(target, runs, jobs=1)[view]
        if finding.broken:
            return Caught(finding, runs)
        runs *= 2
    return None
