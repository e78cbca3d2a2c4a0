"""The number of clusters that a release suggests, and why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.groups import fitted
from helpers.releases import made
from hushmeans.release.tree import suggested


def test_the_number_of_groups_is_found_from_a_fit_with_more_clusters() -> None:
    """With 3 to 6 groups and k = 8. Seeds are fixed, so that no chance is left; benchmarks measure
    98% of tables right, and 9 of 10 are asked for."""
    right = 0
    for seed in range(8):
        number, n_features, delta = 3 + seed % 4, (2, 5)[seed // 4], (0.0, 1e-6)[seed % 2]
        suggestion = fitted(number, n_features, 8, seed, delta, table=seed).suggest_k()
        right += suggestion.n_clusters == number and suggestion.clear
    assert right >= 8 * 9 / 10


def test_the_reason_is_said_and_the_release_can_be_cut_to_it() -> None:
    release = fitted(3, 2, 8, 0, table=0)
    suggestion = release.suggest_k()
    assert str(suggestion).startswith("3 clusters: merging two of them would cost")
    merged = release.cut(suggestion.n_clusters)
    assert merged.n_clusters == 3
    assert sum(merged.sizes) == pytest.approx(sum(release.sizes))
    assert merged.widths is not None


def test_nothing_is_suggested_where_every_cluster_is_noise() -> None:
    release = made(4, 2, sizes=(1.0, 20.0, 50.0, 1.0))
    suggestion = release.suggest_k()
    assert (suggestion.n_clusters, suggestion.clear) == (1, False)
    assert "noise" in suggestion.reason


def test_two_clusters_are_too_few_to_choose_from() -> None:
    suggestion = made(2, 2, sizes=(500.0, 600.0)).suggest_k()
    assert (suggestion.n_clusters, suggestion.clear) == (2, False)
    assert "more clusters" in suggestion.reason


def test_an_even_rise_suggests_the_number_that_there_is() -> None:
    release = made(5, 2, sizes=(500.0,) * 5)
    curve = [(number, float(5 - number)) for number in range(5, 0, -1)]
    suggestion = suggested(release.table, curve)
    assert (suggestion.n_clusters, suggestion.clear) == (5, False)


def test_of_two_rises_that_are_nearly_as_steep_the_finer_counts() -> None:
    release = made(6, 2, sizes=(500.0,) * 6)
    curve = [(6, 0.0), (5, 0.01), (4, 0.02), (3, 0.08), (2, 0.16), (1, 1.0)]
    assert suggested(release.table, curve).n_clusters == 4


def test_a_suggestion_never_counts_clusters_that_are_noise() -> None:
    release = made(4, 2, sizes=(900.0, 800.0, 1.0, 1.0))
    far = replace(release, centres=((0.1, 0.1), (0.2, 0.9), (0.9, 0.9), (0.9, 0.1)))
    assert far.suggest_k().n_clusters <= 4
    assert not (far.suggest_k().clear and far.suggest_k().n_clusters > 2)
