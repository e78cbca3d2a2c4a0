"""How far noise moves the centres of a fit, measured with the records at hand: **not private**.

What a forecast says is held against this.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.door import Ask, Door, NoisyTotals
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.questions import Profiles, Question, Shifts, Spreads, Totals
from hushmeans.curator.source import Source
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.merge import members
from hushmeans.methods.method import Clustering, Method
from hushmeans.methods.start import public_randomness
from hushmeans.types import FloatArray

HARDLY_ANY = 1e-3
"""The variance, in grid steps, that an exact answer is said to have: methods divide by it."""


@dataclass(frozen=True)
class NoiseError:
    """The error from the noise of the last round, and what it was measured on.

    Attributes
    ----------
    centre
        The root mean square over records and features of the difference between the released
        centre of a record's cluster and what would be released had the last round been answered
        without noise, with the same clusters joined.
    size
        The same of the sizes, over records.
    centroids
        The released centres, in the unit box.
    """

    centre: float
    size: float
    centroids: FloatArray


def typical(errors: Sequence[float]) -> float:
    """The root mean square of several runs' errors."""
    return math.sqrt(sum(error**2 for error in errors) / len(errors))


def measure(
    source: Source, method: Method, n_clusters: int, budget: Budget, seed: int
) -> NoiseError:
    """Fit with simulated noise, and again with the last round's answer exact."""
    curator = Curator(source, mechanism_for(budget, seed), budget)
    answers: list[tuple[Question, NoisyTotals]] = []

    def ask(question: Question, share: Fraction) -> NoisyTotals:
        answers.append((question, curator.ask(question, share)))
        return answers[-1][1]

    door = _asking(curator.door, ask)
    found = method.find(door, n_clusters, public_randomness(seed))
    last = next(each for each, _ in reversed(answers) if not isinstance(each, Spreads))
    exact = source.answer(last)
    if isinstance(last, Totals):
        silent = _joined(found, exact / door.grid.unit, str(method.options.get("merge", "ward")))
    else:
        again = Curator(source, mechanism_for(budget, seed), budget)
        centroids = _repeated(method, again, source, answers, n_clusters, seed)
        sizes = exact[:, -1] / last.size_unit if isinstance(last, Profiles) else exact
        silent = replace(found.clusters, centroids=centroids, sizes=sizes.astype(np.float64))
    weights = silent.sizes / silent.sizes.sum()
    moved = ((found.clusters.centroids - silent.centroids) ** 2).mean(axis=1)
    resized = (found.clusters.sizes - silent.sizes) ** 2
    return NoiseError(
        centre=math.sqrt(float(weights @ moved)),
        size=math.sqrt(float(weights @ resized)),
        centroids=found.clusters.centroids,
    )


def _joined(found: Clustering, totals: FloatArray, rule: str) -> Clusters:
    """The exact means of the leaves that were joined; a cluster without records stays in place."""
    joined = members(found.leaves, len(found.clusters.sizes), rule) @ totals
    sizes = joined[:, -1]
    centroids = found.clusters.centroids.copy()
    full = sizes > 0
    centroids[full] = joined[full, :-1] / sizes[full, None]
    return Clusters(centroids, found.clusters.variances, sizes, np.zeros_like(sizes))


def _repeated(
    method: Method,
    curator: Curator,
    source: Source,
    answers: Sequence[tuple[Question, NoisyTotals]],
    n_clusters: int,
    seed: int,
) -> FloatArray:
    """The centroids that the fit finds again with these answers, the last round's without noise."""
    given = iter([answer for _, answer in answers])
    rounds = [index for index, (question, _) in enumerate(answers) if isinstance(question, Shifts)]
    number = iter(range(len(answers)))

    def ask(question: Question, share: Fraction) -> NoisyTotals:
        curator.ask(question, share)  # the same is spent, so the same is left
        answer = next(given)
        if next(number) == rounds[-1]:
            return NoisyTotals(source.answer(question), HARDLY_ANY)
        return answer

    door = _asking(curator.door, ask)
    return method.find(door, n_clusters, public_randomness(seed)).clusters.centroids


def _asking(door: Door, ask: Ask) -> Door:
    """The door, with another way to ask whatever its noise is."""
    turn_to = door.turn_to
    if turn_to is None:
        return replace(door, ask=ask)
    return replace(door, ask=ask, turn_to=lambda norm: _asking(turn_to(norm), ask))
