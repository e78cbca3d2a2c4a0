"""Histograms of values as they were read: exact, one bin per feature, whatever the values are."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hushmeans.curator import kernel, reference
from hushmeans.curator.questions import Histograms
from hushmeans.curator.questions.ranging import UNIT
from hushmeans.types import FloatArray

ANY_FLOAT = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def histograms_and_values(draw: st.DrawFn) -> tuple[Histograms, FloatArray]:
    """Any borders and values; values at borders are common."""
    n_features = draw(st.integers(1, 4))
    unique = st.lists(FINITE, max_size=6, unique_by=lambda border: border + 0.0)
    borders = [sorted(draw(unique)) for _ in range(n_features)]
    if not any(borders):
        borders[0] = [0.0]
    common = st.sampled_from([border for each in borders for border in each])
    n_records = draw(st.integers(0, 20))
    values = draw(arrays(np.float64, (n_records, n_features), elements=ANY_FLOAT | common))
    return Histograms(tuple(map(tuple, borders))), values


def exact(question: Histograms, values: FloatArray) -> list[int]:
    """The same in plain Python."""
    counts: list[int] = []
    for feature, borders in enumerate(question.borders):
        if borders:
            bins = [0] * (len(borders) + 1)
            for value in values[:, feature].tolist():
                if not math.isnan(value):
                    bins[bisect_left(borders, value)] += UNIT
            counts += bins
    return counts


@given(histograms_and_values())
def test_both_kernels_count_each_value_once(case: tuple[Histograms, FloatArray]) -> None:
    question, values = case
    assert kernel.answer(question, values).tolist() == exact(question, values)
    assert reference.histograms(question, values).tolist() == exact(question, values)


@given(histograms_and_values(), st.data())
def test_one_record_moves_one_bin_of_each_feature(
    case: tuple[Histograms, FloatArray], data: st.DataObject
) -> None:
    question, values = case
    record = data.draw(arrays(np.float64, (1, values.shape[1]), elements=ANY_FLOAT))
    more = np.concatenate([values, record])
    change = kernel.answer(question, more) - kernel.answer(question, values)
    assert set(change.tolist()) <= {0, UNIT}
    assert np.abs(change).sum() <= question.sensitivity("l1")
    assert (change**2).sum() <= question.sensitivity("l2") ** 2


@pytest.mark.parametrize("n_features", [1, 2, 3, 24, 1000])
def test_a_record_without_gaps_reaches_the_sensitivity(n_features: int) -> None:
    question = Histograms(((0.0,),) * n_features)
    change = kernel.answer(question, np.ones((1, n_features)))
    assert np.abs(change).sum() == question.sensitivity("l1") == n_features * UNIT
    assert (question.sensitivity("l2") - 1) ** 2 < (change**2).sum()
    assert (change**2).sum() <= question.sensitivity("l2") ** 2


def test_features_without_borders_cost_nothing() -> None:
    question = Histograms(((0.0, 1.0), (), ()))
    assert question.sensitivity("l1") == question.sensitivity("l2") == UNIT
    assert question.shape == (3,)


def test_what_is_no_ordinary_number_has_its_place_or_none() -> None:
    """Borders belong to the bin below them; infinity is beyond the last one; NaN is nowhere."""
    question = Histograms(((-1.0, 0.0, 1.0),))
    values = [math.nan, -math.inf, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1.0, 1e308, math.inf]
    counts = kernel.answer(question, np.array(values)[:, None]) // UNIT
    assert counts.tolist() == [2, 3, 2, 2]


@pytest.mark.parametrize(
    ("borders", "message"),
    [
        (((),), "need borders"),
        (((1.0, 0.0),), "ascend"),
        (((0.0, -0.0),), "ascend"),
        (((math.inf,),), "finite"),
        (((math.nan,),), "finite"),
        ((tuple(map(float, range(2**20))),), "too many"),
    ],
)
def test_a_histogram_outside_the_proof_cannot_be_asked(borders: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Histograms(borders)


@pytest.mark.parametrize("border", [True, "1", None, 1j])
def test_borders_are_numbers(border: Any) -> None:
    with pytest.raises(TypeError, match="number"):
        Histograms(((border,),))
