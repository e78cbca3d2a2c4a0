"""Tables of a comparison, by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from hushmeans_experiments.baselines import NOT_PRIVATE, ONE_POINT
from hushmeans_experiments.comparison_results import CellResult
from hushmeans_experiments.comparison_tables import (
    comparison_rows,
    method_columns,
    peer_spending,
    quoted_rows,
    show_results,
)
from hushmeans_experiments.pages import comparison_page
from hushmeans_experiments.peers import DIFFPRIVLIB
from hushmeans_experiments.targets import QUOTED

LABEL = DIFFPRIVLIB.label


def result(method: str, value: float, **changed: object) -> CellResult:
    usual = CellResult(
        dataset="blood",
        n_clusters=4,
        method=method,
        epsilon=1.0,
        delta=0.0,
        runs=30,
        nicv=value,
        nicv_error=0.01,
        nicv_squared=value**2,
        nicv_squared_error=0.02,
        ratio=value / 0.377,
        spent=1.0,
        spent_as_declared=1.0,
    )
    return replace(usual, **changed)  # type: ignore[arg-type]


RESULTS = [
    result(NOT_PRIVATE, 0.377, spent=None, epsilon=0.0),
    result(ONE_POINT, 0.965, spent=None, epsilon=0.0),
    result("refined", 0.386),
    result(LABEL, 0.7, spent=0.59, spent_as_declared=1.003),
]


def test_the_table_has_a_row_a_place_and_names_the_best_peer() -> None:
    assert method_columns(RESULTS) == ["refined", LABEL, NOT_PRIVATE, ONE_POINT]
    (row,) = comparison_rows(RESULTS)
    assert (row.dataset, row.n_clusters, row.epsilon) == ("blood", 4, 1.0)
    assert row.cells == ("0.386 ± 0.010", "0.700 ± 0.010", "0.377", "0.965")
    assert row.target == "0.39"
    assert str(row.against_target) == "hit by 1.0 ± 2.6 %"
    assert row.best_peer == "0.501 (PE-means, quoted)"
    (other,) = comparison_rows([replace(each, n_clusters=5) for each in RESULTS])
    assert (other.target, other.best_peer) == ("", f"0.700 ({LABEL})"), "another k, no target"
    (squared,) = comparison_rows(RESULTS, squared=True)
    assert squared.cells[0] == "0.149 ± 0.020"


def test_what_was_measured_is_not_quoted() -> None:
    assert {row["method"] for row in quoted_rows(RESULTS)} == {
        f"{each.method} (quoted)" for each in QUOTED if each.method != LABEL
    }
    assert f"{LABEL} (quoted)" in {row["method"] for row in quoted_rows(RESULTS[:3])}


def test_what_peers_claim_stands_beside_what_they_spend() -> None:
    (row,) = peer_spending(RESULTS)
    assert list(row.values()) == [LABEL, "blood", "4", "1", "1.003 (1.00 ×)", "0.590 (0.59 ×)"]


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    drawing = tmp_path / "a.svg"
    drawing.write_text("<svg/>")
    text = comparison_page({"runs": "<30>"}, RESULTS, [drawing])
    assert all(word in text for word in ("hit by 1.0 ± 2.6 %", "&lt;30&gt;", "(quoted)", "0.59 ×"))
    assert not any(word in text for word in ("http:", "https:", "<script", "src='a"))


Captured = pytest.CaptureFixture[str]


def test_hits_and_misses_are_counted(capsys: Captured) -> None:
    show_results(RESULTS, 0.0, 30, Console(width=200))
    shown = capsys.readouterr().out
    assert "hit by 1.0 ± 2.6 %" in shown
    assert "refined: 1 of 1 targets hit." in shown
