"""The chart for choosing k."""

from __future__ import annotations

import numpy as np

from helpers.releases import made
from hushmeans.release import Release
from hushmeans.report.choosing import MergeChart


def three_of_six() -> Release:
    """Three pairs of clusters, each pair close together."""
    centres = tuple((x + shift, x) for x in (0.1, 0.5, 0.9) for shift in (0.0, 0.01))
    return made(6, 2, centres=centres, sizes=(1000.0,) * 6, standard_errors=((1e-4,) * 2,) * 6)


def test_the_suggested_number_stands_out() -> None:
    chart = MergeChart.of(three_of_six())
    assert chart is not None
    assert (chart.released, chart.suggested, chart.finest) == (6, 3, 6)
    assert [bar.number for bar in chart.bars if bar.suggested] == [3]
    assert chart.reason.startswith("3 clusters: ")


def test_fewer_clusters_lose_more() -> None:
    chart = MergeChart.of(three_of_six())
    assert chart is not None
    losses = [bar.loss for bar in chart.bars]
    assert losses[0] == 1
    assert (np.diff(losses) < 0).all()


def test_two_clusters_are_nothing_to_choose_from() -> None:
    assert MergeChart.of(made(2, 2)) is None
