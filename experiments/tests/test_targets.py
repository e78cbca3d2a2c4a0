"""Targets and quoted scores: complete, hit or missed."""

from __future__ import annotations

from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.targets import QUOTED, TARGETS, against_target, reported_value


def test_targets_and_quoted_figures_are_complete() -> None:
    assert set(TARGETS) == {0.0, 1e-6}
    every = [*TARGETS.values(), *(each.values for each in QUOTED)]
    assert all(len(figures) == len(DATASETS) for figures in every)
    assert reported_value(TARGETS[0.0], "credit", 0.2) == 0.80
    assert reported_value(TARGETS[1e-6], "ratings", 1.0) == 2.265
    assert reported_value(TARGETS[0.0], "iris", 1.0) is None
    assert reported_value(TARGETS[0.0], "blood", 0.6) is None
    best = {
        (name, epsilon): min(reported_value(each.values, name, epsilon) or 9 for each in QUOTED)
        for name in DATASETS
        for epsilon in (0.2, 1.0)
    }
    assert (best["blood", 0.2], best["credit", 1.0]) == (0.613, 0.852)


def test_a_target_is_hit_or_missed_by_so_much() -> None:
    assert str(against_target("blood", 0.2, 0.0, 0.475, 0.01)) == "hit by 5.0 ± 2.0 %"
    assert str(against_target("blood", 0.2, 1e-6, 0.561, 0.01)) == "missed by 10.0 ± 2.0 %"
    assert against_target("blood", 0.2, 1e-5, 0.5, 0.01) is None
    assert against_target("blood", 0.3, 0.0, 0.5, 0.01) is None
