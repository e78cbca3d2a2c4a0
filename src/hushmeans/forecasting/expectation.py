"""The expected noise of a method, computed from public numbers without asking any question.

A method's noise depends on the records in two ways: on the number of records per cluster and, for
the refined method, on their spread. A `Population` stands in for the records; the methods' own
functions then give the shares, the clips and the errors.
"""

from __future__ import annotations

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Totals
from hushmeans.forecasting.population import Population
from hushmeans.forecasting.refined_expectation import refined_expectation
from hushmeans.forecasting.rehearsal import leaves_of_cluster
from hushmeans.forecasting.steps import Expectation, Step
from hushmeans.methods.method import Method
from hushmeans.methods.paper import PaperMethod
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.rounds import UNKNOWN_VARIANCE


def expectation(method: Method, population: Population, noise: Noise) -> Expectation:
    """The expected noise of a method on a population."""
    if isinstance(method, PaperMethod):
        return _of_paper(method, population, noise)
    if isinstance(method, RefinedMethod):
        return refined_expectation(method, population, noise)
    raise TypeError(f"there is no noise model for {type(method).__name__}")


def _of_paper(method: PaperMethod, population: Population, noise: Noise) -> Expectation:
    """The noise of the last round's means, for clusters as a rehearsal finds them.

    The sums and sizes of merged leaves add up, and so does their noise. The noise of earlier rounds
    is forgotten, because every round takes new means.
    """
    grid = population.grid
    question = Totals(grid, np.zeros((1, population.n_features), dtype=np.int64))
    sensitivity = question.sensitivity(noise.norm) / grid.unit
    steps = tuple(
        Step(question.name, share, noise.deviation(sensitivity, float(share)))
        for share in method.plan.shares
    )
    last = steps[-1].noise
    relative = last / population.cluster_size
    leaves = leaves_of_cluster(method, population, relative)
    mean_square = float((population.centres**2).mean())
    variance = leaves * relative**2 * (1 + mean_square)
    centre_variance = min(variance, UNKNOWN_VARIANCE)
    return Expectation(steps, centre_variance, method.n * last**2, method.options)
