"""Clusters that are noise, and what is said where nothing else is there."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from helpers.releases import made
from hushmeans import DPKMeans, SimulationWarning
from hushmeans.release.noisy import distinguishable, indistinguishable


def test_a_size_must_exceed_three_standard_errors() -> None:
    sizes, errors = (91.0, 90.0, 5000.0), (30.0, 30.0, 30.0)
    assert distinguishable(sizes, errors) == (0, 2)
    assert indistinguishable(sizes, errors) == (1,)


def test_one_size_among_noise_is_noise_too() -> None:
    """Ten empty clusters: one of them exceeds three errors by chance now and then."""
    assert distinguishable((1.0,) * 9 + (100.0,), (30.0,) * 10) == ()


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("method", ["refined", "kccm"])
def test_an_empty_table_never_gets_a_reassuring_word(method: str, delta: float) -> None:
    """20 fits for each method and noise, with fixed seeds."""
    for seed in range(20):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)
            model = DPKMeans(
                4, epsilon=1.0, delta=delta, bounds=(0, 1), method=method, random_state=seed
            )
            release = model.fit(np.empty((0, 2))).release_
        verdict = release.noise_verdict()
        assert verdict.level == "dominates", seed
        assert "Do not rely" in verdict.sentence or "does not support" in verdict.sentence


def test_the_verdict_names_clusters_that_are_noise_and_judges_the_others() -> None:
    release = made(
        3,
        1,
        centres=((0.1,), (0.9,), (0.5,)),
        standard_errors=((0.001,), (0.001,), (0.4,)),
        sizes=(5000.0, 4000.0, 20.0),
    )
    verdict = release.noise_verdict()
    assert verdict.level == "visible"
    assert verdict.sentence.endswith("1 cluster of 3 cannot be distinguished from noise.")


def test_clusters_that_are_noise_come_last_and_are_marked() -> None:
    release = made(3, 1, sizes=(20.0, 4000.0, 5000.0))
    assert release.noise_clusters == (0,)
    assert "1 indistinguishable from noise" in repr(release)
    html = release._repr_html_()
    assert html.index("<th>2</th>") < html.index("<th>1</th>") < html.index("<th>0</th>")
    assert release.to_frame()["is_noise"].tolist() == [True, False, False]
