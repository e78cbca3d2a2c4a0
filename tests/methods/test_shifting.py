"""What the rounds know of distances, of all clusters and of each by itself."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.questions import Size
from hushmeans.curator.source import open_store
from hushmeans.methods.calibration import Calibration, SharesOfDistances
from hushmeans.methods.clipping import Clipping
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import Gaps
from hushmeans.methods.moments import Moments
from hushmeans.methods.picture import Picture
from hushmeans.methods.place import Place
from hushmeans.methods.presence import Presence
from hushmeans.methods.shifting import Shifting
from hushmeans.schema import Bounds


def times(factor: float) -> Calibration:
    """Real records are so many times as far away as the picture's."""
    return Calibration(np.array([0.5]), np.array([factor]), np.array([1.0]))


def shifting(distances: SharesOfDistances) -> tuple[Shifting, Curator]:
    """Rounds on two narrow clusters of 2000 records each, which the picture shows as they are."""
    records = np.repeat([[-0.5, 0.0], [0.5, 0.0]], 2000, axis=0)
    records += np.random.default_rng(0).normal(0, 0.05, records.shape)
    budget = Budget.of(10.0, 0.0)
    curator = Curator(open_store(records, Bounds((-1, 1))), mechanism_for(budget, 0), budget)
    moments = Moments(4000.0, Place.whole(2), records.mean(axis=0), records.var(axis=0))
    picture = Picture(records, moments, Fraction(0))
    presence = Presence((), np.empty(0), np.empty(0), np.ones(2))
    return Shifting(curator.door, picture, presence, Clipping(0.5, 0.12), distances), curator


def two_clusters() -> Clusters:
    centroids = np.array([[-0.5, 0.0], [0.5, 0.0]])
    return Clusters(centroids, np.full((2, 2), 0.01), np.full(2, 2000.0), np.full(2, 100.0))


def test_ways_are_corrected_by_what_is_known_of_their_own_cluster_if_anything_is() -> None:
    rounds, _ = shifting(SharesOfDistances())
    shown = Gaps(np.ones((6, 2)), np.array([0, 1, 2, 0, 1, 2]))
    np.testing.assert_array_equal(rounds.as_real(shown).offsets, shown.offsets)
    rounds = replace(rounds, calibration=times(0.5))
    np.testing.assert_allclose(rounds.as_real(shown).offsets, 0.5)
    rounds = replace(rounds, own=(times(3.0), None, times(0.25), times(9.0)))
    found = rounds.as_real(shown)
    np.testing.assert_allclose(found.offsets[:, 0], [3.0, 0.5, 0.25] * 2)
    np.testing.assert_array_equal(found.nearest, shown.nearest)
    np.testing.assert_array_equal(shown.offsets, 1.0)


def test_distances_are_asked_for_with_the_shares_that_they_have() -> None:
    joint, own = Fraction(1, 50), Fraction(1, 25)
    rounds, curator = shifting(SharesOfDistances(joint, own))
    rounds = rounds.calibrated(two_clusters())
    assert rounds.calibration is not None
    assert rounds.own == ()
    rounds = rounds.calibrated_apart(two_clusters())
    assert [each is not None for each in rounds.own] == [True, True]
    rounds.door.ask(Size(), 1 - joint - own)
    spent = [(spend.question, spend.share) for spend in curator.settle()]
    assert spent == [("distances", joint), ("distances", own), ("size", 1 - joint - own)]


def test_without_a_share_no_distances_are_asked_for() -> None:
    rounds, curator = shifting(SharesOfDistances())
    assert rounds.calibrated(two_clusters()) is rounds
    assert rounds.calibrated_apart(two_clusters()) is rounds
    assert not rounds.is_unsettled(two_clusters())
    rounds.door.ask(Size(), Fraction(1))
    assert [spend.question for spend in curator.settle()] == ["size"]
