"""Trials: seeds of their own, and scores of what fit_release gives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hushmeans.evaluate import nicv
from hushmeans.settings import Settings
from hushmeans_experiments import trials
from hushmeans_experiments.baselines import NOT_PRIVATE, ONE_POINT
from hushmeans_experiments.families import family
from hushmeans_experiments.materials import Materials
from hushmeans_experiments.trials import REFERENCES, ComparisonCell, Trial, run_trial


def test_a_run_has_the_same_seed_however_runs_are_divided() -> None:
    cell = ComparisonCell("iris", 3, "average_k", 1.0, 0.0)
    whole = trials.seeds(Trial(cell, 0, 12))
    assert whole == trials.seeds(Trial(cell, 0, 10)) + trials.seeds(Trial(cell, 10, 2))
    assert len(set(whole)) == 12
    assert whole != trials.seeds(Trial(replace(cell, epsilon=0.2), 0, 12))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_trial_scores_what_fit_release_gives(delta: float) -> None:
    from hushmeans.fitting import fit_release

    trial = Trial(ComparisonCell("iris", 3, "allocation_nk", 1.0, delta), 3, 2)
    rows = run_trial(trial, Materials(None)).to_pylist()
    assert [row["run"] for row in rows] == [3, 4]
    assert [row["spent"] for row in rows] == [1.0, 1.0]
    points = family("iris").points()
    with pytest.warns(UserWarning, match="a seed is set"):
        release = fit_release(
            points,
            Settings.of(3, 1.0, delta, "allocation_nk"),
            bounds=(-1, 1),
            seed=trials.seeds(trial)[1],
        )
    assert rows[1]["nicv"] == pytest.approx(nicv(points, release), rel=1e-5)


def test_the_references_are_there_once_and_spend_nothing() -> None:
    (trial,) = trials.trials(ComparisonCell("iris", 3, REFERENCES, 0.0, 0.0), 30)
    rows = run_trial(trial, Materials(None)).to_pylist()
    assert [row["method"] for row in rows] == [NOT_PRIVATE, ONE_POINT]
    assert [row["spent"] for row in rows] == [None, None]
    assert rows[0]["nicv"] < 0.5 * rows[1]["nicv"]
