"""Encoding: the formula of the proof, whatever the layout, the type or the neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hushmeans.curator.encode import encode
from hushmeans.schema import Box
from hushmeans.types import GridArray

BOX = Box((-1e300, 0.1, 3.0), (1e300, 0.3, 1e9))
VALUES = arrays(np.float64, st.tuples(st.integers(0, 5), st.just(3)), elements=st.floats())


def by_formula(values: np.ndarray[Any, Any]) -> GridArray:
    with np.errstate(all="ignore"):
        places = BOX.to_unit_box(values.astype(np.float64))
        return BOX.grid.snap(np.where(np.isnan(places), 0.0, places)).astype(np.int32)


@given(VALUES)
def test_values_are_put_on_the_grid_by_the_formula(values: np.ndarray[Any, Any]) -> None:
    np.testing.assert_array_equal(encode(values, BOX), by_formula(values))


@given(VALUES)
def test_a_record_is_encoded_as_it_would_be_alone(values: np.ndarray[Any, Any]) -> None:
    alone = [encode(values[row : row + 1], BOX)[0] for row in range(len(values))]
    np.testing.assert_array_equal(encode(values, BOX), np.array(alone).reshape(-1, 3))


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64, np.uint8, np.bool_, ">f8"])
def test_every_layout_and_type_gives_contiguous_rows(kind: Any) -> None:
    values = np.arange(24).reshape(8, 3).astype(kind)
    wide = np.repeat(np.repeat(values, 2, axis=0), 2, axis=1)[::2, ::2]
    for each in (values, np.asfortranarray(values), wide, values[::-1][::-1]):
        points = encode(each, BOX)
        assert points.flags.c_contiguous
        assert points.dtype == np.int32
        np.testing.assert_array_equal(points, by_formula(values))
