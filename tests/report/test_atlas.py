"""The map: circles as large as clusters, labels beside each other, nothing outside."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.releases import loaded, made
from hushmeans.release import Release
from hushmeans.report import Report
from hushmeans.report.atlas import LABEL_HEIGHT, SIDE, ClusterMap, _growing
from hushmeans.schema import Box
from hushmeans.schema.kinds import Category, Cycle, Date, Flag


def map_of(release: Release) -> ClusterMap:
    found = ClusterMap.of(Report.of(loaded(release)))
    assert found is not None
    return found


@pytest.mark.parametrize("n_clusters", [2, 8, 40])
def test_labels_do_not_overlap_and_stay_inside(n_clusters: int) -> None:
    spots = map_of(made(n_clusters, 5)).spots
    for place, one in enumerate(spots):
        assert 0 < one.label_x < SIDE
        assert 0 < one.label_y < SIDE
        for other in spots[place + 1 :]:
            across, down = abs(one.label_x - other.label_x), abs(one.label_y - other.label_y)
            assert across > 18 or down > LABEL_HEIGHT - 1


def test_areas_are_sizes_and_small_circles_lie_above_large_ones(release: Release) -> None:
    large, small = map_of(release).spots
    assert (large.radius / small.radius) ** 2 == pytest.approx(100 / 50.5)


def test_the_axes_say_what_they_stand_for(release: Release) -> None:
    found = map_of(release)
    assert found.across == "higher visits, higher age"
    assert found.kept == "100%"
    left, right = sorted(found.spots, key=lambda spot: spot.x)
    assert (left.mark.cluster, right.mark.cluster) == (0, 1)


def test_axes_of_every_kind_are_named_in_words() -> None:
    kinds = (Cycle(24), Date("2020-01-01", "2020-12-31"), Category(["x"]), Flag())
    box = Box.of(kinds, ("hour", "seen", "city", "smoker"))
    columns = range(box.n_columns)
    up = [_growing(box, column, up=True) for column in columns]
    down = [_growing(box, column, up=False) for column in columns]
    assert up[:3] == ["hour near 0", "hour near 6", "later seen"]
    assert up[3:] == ["more x (city)", "more other (city)", "higher share of smoker"]
    assert down[:3] == ["hour near 12", "hour near 18", "earlier seen"]


def test_halos_are_wider_than_circles_and_ovals_are_widths(release: Release) -> None:
    spots = map_of(release).spots
    assert all(spot.halo.along > spot.radius and spot.width is None for spot in spots)
    wide = replace(release, widths=((9.0, 0.1),) * 2, width_standard_errors=((1.0, 0.1),) * 2)
    ovals = [spot.width for spot in map_of(wide).spots]
    assert all(oval is not None and oval.across > 5 * oval.along for oval in ovals)


def test_there_is_no_map_of_a_single_point(release: Release) -> None:
    point = replace(release, centres=((50.0, 5.0),) * 2)
    assert ClusterMap.of(Report.of(loaded(point))) is None
