"""Released values are noisy integers and functions of them: no bit tells how they were computed.

The chi-square tests reject at 1e-6, which is their false-alarm rate. The tests on attainable values
demand only values that are expected 30 times or more: each is missed once in e^30 tries.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.random import Generator
from scipy.stats import chisquare

from audit.broken import FloatNoise
from audit.neighbours import FOUNDING, NOBODY
from audit.plan import answer_claims
from audit.statistics import ANSWER
from audit.targets import OneAnswer, overheard
from hushmeans import DPKMeans
from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.door import Door, NoisyTotals
from hushmeans.curator.mechanisms import Gaussian, Laplace, Mechanism, mechanism_for
from hushmeans.curator.questions import Question
from hushmeans.curator.store import Store
from hushmeans.methods.method import Clustering
from hushmeans.methods.registry import METHODS
from hushmeans.types import FloatArray, IntArray

ALARM = 1e-6
DRAWS = 20_000
BUDGETS = (Budget.of(1), Budget.of(1, 1e-6))
MECHANISMS = (Laplace(), Gaussian())
NAMES = ("Laplace", "Gaussian")


def chances(mechanism: Mechanism, scale: float, reach: int) -> FloatArray:
    """The probabilities of the noise from -reach to reach."""
    values = np.arange(-reach, reach + 1)
    if isinstance(mechanism, Laplace):
        weights = np.exp(-np.abs(values) / scale)
    else:
        weights = np.exp(-((values / scale) ** 2) / 2)
    return np.asarray(weights / weights.sum())


def drawn(mechanism: Mechanism, scale: float, exact: int) -> IntArray:
    return mechanism.add_noise(np.full(DRAWS, exact), scale)


FEWEST_EXPECTED = 20
"""With fewer in a cell, counts are too far from normal for the chi-square test's false alarms."""


def with_rare_together(counts: IntArray, expected: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Counts and what is expected of them, with all rare cells added to the most frequent one."""
    rare = expected < FEWEST_EXPECTED
    joined = []
    for cells in (counts.astype(np.float64), expected):
        kept = cells[~rare]
        kept[expected[~rare].argmax()] += cells[rare].sum()
        joined.append(kept)
    return joined[0], joined[1]


@pytest.mark.parametrize("exact", [0, 1, 2**20, -(2**20) + 1])
@pytest.mark.parametrize("scale", [1.5, 20.0, 5000.0])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=NAMES)
def test_the_low_bits_are_those_of_discrete_noise(
    mechanism: Mechanism, scale: float, exact: int
) -> None:
    residues = np.bincount(drawn(mechanism, scale, exact) % 16, minlength=16)
    reach = math.ceil(40 * scale)
    noise = (exact + np.arange(-reach, reach + 1)) % 16
    parts = np.bincount(noise, weights=chances(mechanism, scale, reach), minlength=16)
    expected: FloatArray = np.asarray(DRAWS * parts, dtype=np.float64)
    assert chisquare(*with_rare_together(residues, expected)).pvalue > ALARM


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=NAMES)
def test_neighbours_have_the_same_attainable_totals(mechanism: Mechanism) -> None:
    """What one neighbour often gives, the other can give too."""
    scale, reach = 2.0, 100
    seen = [set(drawn(mechanism, scale, exact).tolist()) for exact in (0, 1)]
    likely = np.flatnonzero(DRAWS * chances(mechanism, scale, reach) > 30) - reach
    for exact, values in enumerate(seen):
        assert set((likely + exact).tolist()) <= values
    assert len({value for value in seen[0] ^ seen[1] if abs(value) <= likely.max() - 1}) == 0


@pytest.mark.parametrize("budget", BUDGETS, ids=NAMES)
def test_every_answer_is_whole_numbers_of_grid_steps(budget: Budget) -> None:
    for claim in answer_claims(budget):
        assert isinstance(claim.target, OneAnswer)
        for more in (False, True):
            source = Store.of(claim.target.pair.box, claim.target.pair.encoded(more))
            curator = Curator(source, mechanism_for(budget), budget)
            answer = curator.ask(claim.target.question, Fraction(1)).values
            assert type(answer) is np.ndarray
            assert answer.dtype == np.int64
            assert answer.shape == claim.target.question.shape


@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize("method", [name for name in METHODS if name != "refined"])
def test_the_leaves_of_the_papers_methods_lie_on_the_grid(method: str, more: bool) -> None:
    unit = FOUNDING.box.grid.unit
    model = DPKMeans(n_clusters=3, epsilon=50.0, bounds=(-1, 1), method=method)
    leaves = model.fit(FOUNDING.table(more)).release_.leaves
    assert leaves is not None
    for values in (np.array(leaves.centres) * unit, np.array(leaves.sizes) * unit):
        np.testing.assert_array_equal(values, np.rint(values))


def found(method: str, door: Door) -> Clustering:
    """What a method finds, its public randomness being the same each time."""
    generator: Generator = np.random.default_rng(7)
    return METHODS[method].find(door, 2, generator)


@pytest.mark.parametrize("budget", BUDGETS, ids=NAMES)
@pytest.mark.parametrize("method", METHODS)
def test_a_release_is_a_function_of_integers_alone(method: str, budget: Budget) -> None:
    """The integers that were answered, played to a method without records, give the same."""
    source = Store.of(FOUNDING.box, FOUNDING.encoded(more=True))
    curator = Curator(source, mechanism_for(budget), budget)
    with overheard() as answers:
        real = found(method, curator.door)
    recorded = iter(answers)

    def replay(question: Question, share: Fraction) -> NoisyTotals:
        _, paid, answer, _ = next(recorded)
        assert share == paid
        return NoisyTotals(np.array(answer.values.tolist(), dtype=np.int64), answer.variance)

    box = source.box
    played = found(method, Door(replay, curator.noise, box.grid, box.n_features, box.layout))
    for name, values in vars(real.clusters).items():
        np.testing.assert_array_equal(getattr(played.clusters, name), values)
    for name, values in vars(real.leaves).items():
        np.testing.assert_array_equal(getattr(played.leaves, name), values)


def test_noise_in_floats_shows_in_the_lowest_bit_and_ours_does_not() -> None:
    """Mironov's attack: what is added in floats leaves holes in what can come out."""
    lowest = ANSWER.index("lowest bit")
    fewer, more = (FloatNoise().outcomes(each, 2000)[:, lowest] for each in (False, True))
    assert (fewer < -53).mean() > 0.1
    assert not (more < -53).any()
    budget = Budget.of(1)
    claim = next(answer_claims(budget)).target
    assert isinstance(claim, OneAnswer)
    assert claim.pair is NOBODY
    for each in (False, True):
        assert (claim.outcomes(each, 500)[:, lowest] >= 0).all()
