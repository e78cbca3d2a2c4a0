"""Widths: near the truth, within their errors, left out where they would be noise."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.groups import fitted, groups
from hushmeans import DPKMeans, InputError, SimulationWarning
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.merge import merge
from hushmeans.methods.registry import chosen_method


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_widths_are_the_root_mean_squared_distances_from_the_centres(delta: float) -> None:
    release = fitted(4, 3, 4, 1, delta)
    assert release.widths is not None
    records, labels = groups(4, 3, 0), release.predict(groups(4, 3, 0))
    true = [
        np.sqrt(((records[labels == cluster] - release.centres[cluster]) ** 2).mean(axis=0))
        for cluster in range(4)
    ]
    off = np.abs(np.array(release.widths) - true)
    assert (off < 4 * np.array(release.width_standard_errors)).all()
    assert off.max() < 0.03


def test_the_share_of_widths_is_five_per_cent_and_the_last() -> None:
    last = fitted(4, 3, 4, 1).spends[-1]
    assert (last.question, float(last.share)) == ("spreads", 0.05)


def test_widths_that_would_be_nothing_but_noise_are_not_asked_for() -> None:
    model = DPKMeans(4, epsilon=0.05, bounds=(0, 1), random_state=0)
    with pytest.warns(SimulationWarning):
        model.fit(groups(4, 3, 0, n_records=2000))
    release = model.release_
    assert release.widths is None
    assert "spreads" not in {spend.question for spend in release.spends}
    assert sum(spend.share for spend in release.spends) == 1


@pytest.mark.parametrize("share", [-0.1, 0.6])
def test_the_share_of_widths_has_limits(share: float) -> None:
    with pytest.raises(InputError, match="widths_share"):
        chosen_method("refined", {"widths_share": share})


def test_merged_widths_add_what_lies_between_the_centres() -> None:
    """Halves at -0.1 and 0.1 with width 0.1 make one of width sqrt(0.01 + 0.01)."""
    column = np.full((2, 1), 0.1)
    halves = Clusters(
        np.array([[-0.1], [0.1]]), column, np.full(2, 50.0), np.ones(2), column, column**2
    )
    merged = merge(halves, 1, "ward")
    assert merged.widths is not None
    assert merged.width_variances is not None
    assert merged.widths[0, 0] == pytest.approx(np.sqrt(0.02))
    assert 0 < merged.width_variances[0, 0] < 0.01
