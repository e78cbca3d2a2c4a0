"""Two releases compared: what differs beyond the errors of both."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.groups import fitted
from helpers.releases import made
from hushmeans import InputError
from hushmeans.schema import Box

FOUR = {
    "centres": ((0.1, 0.1), (0.1, 0.9), (0.9, 0.1), (0.9, 0.9)),
    "standard_errors": ((0.01, 0.01),) * 4,
    "sizes": (1000.0, 900.0, 800.0, 700.0),
    "box": Box((0.0, 0.0), (1.0, 1.0), ("x", "y")),
}


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_two_fits_of_one_table_hardly_differ(delta: float) -> None:
    """At most 7% of the coordinates, in benchmarks on six tables; here, with fixed seeds, too."""
    pairs = [(fitted(4, 3, 4, seed, delta), fitted(4, 3, 4, seed + 1, delta)) for seed in (1, 3, 5)]
    comparisons = [first.compare(second) for first, second in pairs]
    significant = sum(each.n_significant for each in comparisons)
    assert significant <= 0.07 * sum(each.n_compared for each in comparisons)


def test_a_cluster_that_has_moved_is_told_from_those_that_have_not() -> None:
    first = made(4, 2, **FOUR)
    second = replace(first, centres=((0.1, 0.1), (0.2, 0.9), (0.9, 0.1), (0.9, 0.9)))
    found = first.compare(second)
    assert [[each.significant for each in pair.centre] for pair in found.pairs] == [
        [False, False],
        [True, False],
        [False, False],
        [False, False],
    ]
    assert "Cluster 1 (there 1): x +0.100 ± 0.014." in str(found)


def test_clusters_are_matched_whatever_their_order() -> None:
    first = made(4, 2, **FOUR)
    order = (2, 0, 3, 1)
    second = replace(
        first,
        centres=tuple(first.centres[each] for each in order),
        sizes=tuple(first.sizes[each] for each in order),
    )
    found = first.compare(second)
    assert [(pair.first, pair.second) for pair in found.pairs] == [(0, 1), (1, 3), (2, 0), (3, 2)]
    assert found.n_significant == 0
    assert str(found) == "No matched cluster differs by more than the errors explain."


def test_where_all_clusters_have_moved_none_is_singled_out() -> None:
    first = made(4, 2, **FOUR)
    second = replace(first, centres=((0.2, 0.1), (0.1, 0.8), (0.8, 0.1), (0.9, 0.8)))
    found = first.compare(second)
    assert found.other_clusters
    assert found.n_significant == 0
    assert "divide the records differently" in str(found)


def test_means_and_totals_do_not_depend_on_the_choice_of_clusters() -> None:
    first = made(4, 2, **FOUR)
    moved = tuple((x + 0.05, y) for x, y in first.centres)
    found = first.compare(replace(first, centres=moved, sizes=(2000.0, 1900.0, 1800.0, 1700.0)))
    assert [each.significant for each in found.means] == [True, False]
    assert found.total.value == 4000
    assert found.total.significant


def test_releases_with_other_clusters_bounds_and_features_share_what_they_share() -> None:
    first = made(4, 2, **FOUR)
    second = made(
        3,
        2,
        centres=((0.1, 5.0), (0.9, 6.0), (1.6, 7.0)),
        standard_errors=((0.01, 0.1),) * 3,
        sizes=(1000.0, 800.0, 500.0),
        box=Box((0.0, 0.0), (2.0, 9.0), ("x", "z")),
    )
    found = first.compare(second)
    assert found.features == ("x",)
    assert len([pair for pair in found.pairs if pair.centre]) == 2
    assert (None, 2) in [(pair.first, pair.second) for pair in found.pairs]
    assert "has no counterpart" in str(found)


def test_releases_that_share_nothing_cannot_be_compared() -> None:
    first = made(4, 2, **FOUR)
    second = replace(first, box=Box((0.0, 0.0), (1.0, 1.0), ("u", "v")))
    with pytest.raises(InputError, match="no feature in common"):
        first.compare(second)
    with pytest.raises(InputError, match="without names"):
        made(2, 2).compare(made(2, 3))


def test_a_release_does_not_differ_from_itself() -> None:
    release = made(1, 2)
    found = release.compare(release)
    assert (found.n_significant, found.total.value, found.pair_of(0).second) == (0, 0.0, 0)
