"""Families: the same points every time, inside the unit box."""

from __future__ import annotations

import numpy as np
import pytest

from hushmeans.errors import InputError
from hushmeans_experiments.families import BORROWED, FAMILIES, MAPS, Mixture, family


def test_the_families_cover_what_the_issue_names() -> None:
    mixtures = [each for each in FAMILIES if isinstance(each, Mixture)]
    assert {each.n_records for each in mixtures} == {10**3, 10**4, 10**5, 10**6}
    assert {each.n_features for each in mixtures} == {2, 10, 50}
    assert {each.n_clusters for each in mixtures} == {2, 8, 64}
    assert {(each.sizes, each.width) for each in mixtures} == {
        (sizes, width) for sizes in ("balanced", "skewed") for width in ("tight", "wide")
    }
    assert {each.n_clusters for each in MAPS} == {15, 20, 35, 50, 100}
    assert len({each.name for each in FAMILIES}) == len(FAMILIES)
    assert all(family(each.name) == each for each in FAMILIES)


@pytest.mark.parametrize(
    "name",
    [
        *(each.name for each in (*BORROWED, *MAPS)),
        "mixture-N1000-d10-k8-skewed-wide",
        "mixture-N1000-d2-k64-balanced-tight",
    ],
)
def test_a_family_is_always_the_same_and_inside_its_bounds(name: str) -> None:
    made = family(name)
    points = made.points()
    assert np.array_equal(points, family(name).points())
    assert np.abs(points).max() <= 1
    assert len(np.unique(points, axis=0)) > made.n_clusters


def test_growing_mixtures_keep_their_centres() -> None:
    small, large = (
        family(f"mixture-N{number}-d2-k1-balanced-tight").points() for number in (2000, 8000)
    )
    # Means of normal values: 6 standard errors are exceeded once in 10^8.
    assert np.abs(small.mean(axis=0) - large.mean(axis=0)).max() < 6 * 0.03 / 2000**0.5 * 1.2


def test_skewed_clusters_fall_off_as_one_over_the_rank() -> None:
    points = family("mixture-N9000-d1-k2-skewed-tight").points()
    low, high = points[points < points.mean()], points[points >= points.mean()]
    larger, smaller = max(len(low), len(high)), min(len(low), len(high))
    assert larger / smaller == pytest.approx(2, rel=0.2)  # 6 standard deviations: 0.14


@pytest.mark.parametrize(
    "name", ["", "Iris", "mixture-N5-d1-k6-balanced-tight", "mixture-N9-d0-k1-balanced-tight"]
)
def test_a_family_that_does_not_exist_is_a_clear_mistake(name: str) -> None:
    with pytest.raises(InputError, match=f"there is no dataset '{name}'"):
        family(name)
