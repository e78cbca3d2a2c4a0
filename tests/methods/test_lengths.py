"""What noisy counts of lengths tell about where nearly all records lie."""

from __future__ import annotations

import numpy as np

from hushmeans.methods.lengths import lying_beyond, nearly_all


def test_what_noise_hides_counts_as_being_there() -> None:
    counts = np.array([900.0, 50, 30, 20])
    assert nearly_all(counts, noise=1, size=1000) == 0
    assert nearly_all(counts, noise=40, size=1000) == 0
    assert nearly_all(counts, noise=80, size=1000) == 3


def test_a_false_count_far_out_does_not_widen_the_range_of_nearly_all() -> None:
    """All records are accounted for before it, so it hardly counts."""
    counts = np.array([20.0, -15, 985, 10, -20, 5, 190, -10])
    assert nearly_all(counts, noise=30, size=1000) == 2


def test_exact_counts_tell_exactly_how_many_lie_beyond() -> None:
    counts = np.array([500.0, 300, 150, 50])
    np.testing.assert_allclose(lying_beyond(counts, size=1000), [500, 200, 50, 0])


def test_noisy_counts_are_corrected_by_the_number_of_records() -> None:
    """Each of four counts is too large by 10."""
    beyond = lying_beyond(np.array([510.0, 310, 160, 60]), size=1000)
    np.testing.assert_allclose(beyond[0], (2 * 530 + 3 * 490) / 5)
    assert (np.diff(beyond) <= 0).all()
