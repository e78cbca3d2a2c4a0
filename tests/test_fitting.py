"""The one path from records to a release: what it warns of."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from hushmeans import DPKMeans, WeakGuaranteeWarning

RECORDS = np.full((50, 1), 0.5)


def fit(epsilon: float, delta: float = 0.0, seed: int | None = None) -> None:
    DPKMeans(1, epsilon, delta, bounds=(0, 1), random_state=seed).fit(RECORDS)


@pytest.mark.parametrize(
    ("epsilon", "delta", "sentence"),
    [
        (10.5, 0.0, "epsilon is 10.5: one person's records may make a result up to 36,316 times"),
        (25, 0.0, r"up to e\^25 times as likely"),
        (9999, 0.0, r"up to e\^9999 times as likely"),
        (1, 0.01, "delta is 0.01: the guarantee allows one person in 100 to be exposed"),
    ],
)
def test_a_budget_that_leaves_little_of_the_guarantee_is_warned_about(
    epsilon: float, delta: float, sentence: str
) -> None:
    with pytest.warns(WeakGuaranteeWarning, match=sentence):
        fit(epsilon, delta)


def test_a_usual_budget_and_a_simulation_are_not_warned_about() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", WeakGuaranteeWarning)
        fit(10, 1e-4)
        warnings.simplefilter("ignore")
        fit(1000, seed=0)
