"""What clipping cuts off the offsets of the picture's records."""

from __future__ import annotations

import numpy as np
import pytest

from hushmeans.curator.questions import Norm
from hushmeans.methods.gaps import FEWEST, Gaps


@pytest.mark.parametrize(("norm", "cut"), [("l2", 0.25), ("l1", 0.0)])
def test_what_is_cut_is_a_mean_length(norm: Norm, cut: float) -> None:
    """Of two clusters' offsets of length 1, one half is longer than a clip by a half."""
    offsets = np.zeros((4 * FEWEST, 2))
    offsets[:, 0] = np.tile([0.5, 1.0], 2 * FEWEST)
    nearest = np.repeat([0, 1], 2 * FEWEST)
    clips = np.array([[0.5, 2.0]]) if norm == "l2" else np.array([[1.0, 2.0]])
    np.testing.assert_allclose(Gaps(offsets, nearest).cut_by(clips, norm), [[cut, 0.0]])


def test_a_length_cut_by_the_l1_norm_is_euclidean() -> None:
    """A way of (3, 4), 7 long by its L1 norm and 5 by the other, is scaled down by a half."""
    offsets = np.tile([3.0, 4.0], (FEWEST, 1))
    found = Gaps(offsets, np.zeros(FEWEST, dtype=np.int64)).cut_by(np.array([[3.5], [7.0]]), "l1")
    np.testing.assert_allclose(found, [[2.5], [0.0]])


def test_clusters_with_few_records_are_taken_to_be_like_all() -> None:
    offsets = np.linspace(0, 2, 1001)[:, None]
    nearest = np.zeros(1001, dtype=np.int64)
    nearest[:3] = 1
    found = Gaps(offsets, nearest).cut_by(np.array([[1.0, 1.0], [5.0, 5.0]]), "l2")
    expected = np.maximum(offsets - 1, 0).mean()
    np.testing.assert_allclose(found[:, 1], [expected, 0.0], atol=1e-12)
