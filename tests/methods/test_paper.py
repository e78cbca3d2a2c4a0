from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.mechanisms import Laplace
from hushmeans.curator.source import open_store
from hushmeans.errors import InputError, InputTypeError
from hushmeans.forecasting.mixture import scattered
from hushmeans.methods.paper import PAPER_METHODS
from hushmeans.methods.registry import chosen_method
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Bounds


def test_the_four_differ_in_shares_and_in_over_clustering() -> None:
    settings = {name: (method.schedule, method.n) for name, method in PAPER_METHODS.items()}
    assert settings == {
        "average_k": ("average", 1),
        "allocation_k": ("allocation", 1),
        "average_nk": ("average", 3),
        "allocation_nk": ("allocation", 3),
    }


def test_twelve_rounds_get_the_papers_shares() -> None:
    growing = [Fraction(1, 24)] * 4 + [Fraction(1, 12)] * 4 + [Fraction(1, 8)] * 4
    assert PAPER_METHODS["allocation_nk"].plan.shares == tuple(growing)
    assert PAPER_METHODS["average_k"].plan.shares == (Fraction(1, 12),) * 12


def test_kccm_is_allocation_nk() -> None:
    assert chosen_method("kccm") == chosen_method("allocation_nk")


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        ("kmeans", {}, InputError, "no method 'kmeans'; choose one of refined, average_k"),
        ("allocation_nk", {"m": 3}, InputError, "no option 'm'; it has n, rounds, merge"),
        ("average_k", {"n": 3}, InputError, "no option 'n'; it has rounds"),
        ("allocation_nk", {"n": 0}, InputError, "option n is 0; it must be at least 1"),
        ("allocation_nk", {"rounds": 2.5}, InputTypeError, "rounds must be a whole number"),
        ("allocation_nk", {"merge": "far"}, InputError, "merge is 'far'; choose one of nearest"),
    ],
)
def test_a_wrong_name_or_option_is_refused(
    name: str, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        chosen_method(name, options)


@pytest.mark.parametrize("merge", ["nearest", "ward"])
@pytest.mark.parametrize("name", PAPER_METHODS)
def test_with_next_to_no_noise_separate_clusters_are_found(name: str, merge: str) -> None:
    """Four tight clusters in the corners of a square, and a budget that leaves no noise."""
    rng = np.random.default_rng(0)
    corners = np.array([[-0.7, -0.7], [-0.7, 0.7], [0.7, -0.7], [0.7, 0.7]])
    records = scattered(rng, corners, 0.02, np.repeat(np.arange(4), 200))
    source = open_store(records, Bounds((-1, 1)))
    method = chosen_method(name, {"merge": merge} if name.endswith("nk") else {})
    asked = Curator(source, Laplace(seed=0), Budget.of(10_000))
    found = method.find(asked.door, 4, public_randomness(3))
    clusters = found.clusters
    assert len(found.leaves.sizes) == (12 if name.endswith("nk") else 4)
    order = np.lexsort(clusters.centroids.round(1).T[::-1])
    np.testing.assert_allclose(clusters.centroids[order], corners, atol=0.01)
    np.testing.assert_allclose(clusters.sizes, 200, atol=1)
