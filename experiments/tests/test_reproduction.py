"""The whole reproduction: its files, its tables and its page."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.materials import Materials
from hushmeans_experiments.protocol import chosen_figures
from hushmeans_experiments.reproduction import ReproductionPlan, ablation_rows
from hushmeans_experiments.workshop import Workshop

pytestmark = pytest.mark.usefixtures("no_worker_stays")


def test_the_whole_reproduction_with_ablations_leaves_all_its_files(tmp_path: Path) -> None:
    blood = DATASETS["blood"]
    plan = ReproductionPlan(chosen_figures("1,7", [blood]), runs=2, ablation_runs=1)
    workshop = Workshop(tmp_path, Materials(None))
    workshop.do(plan.pieces, jobs=2)
    conclusion = plan.conclude(workshop)
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {
        "pieces",
        "results.parquet",
        "summary.csv",
        "baselines.csv",
        "verdicts.csv",
        "ablation-n.csv",
        "ablation-rounds.csv",
        "ablation-smallest_size.csv",
        *(f"figure-{number}.{kind}" for number in ("01", "07") for kind in ("png", "svg")),
        "index.html",
    }
    assert {row["claim"] for row in conclusion.rows} == {1, 2, 3, 4, 6, 7}
    text = conclusion.page.read_text(encoding="utf-8")
    words = (
        "SYNTHETIC STAND-INS with the shapes of blood: these results say nothing about the paper",
        "Ablation of allocation_nk: NICV (lower is better) against the number of rounds",
        "2, shared among 2 starts",
        "n = 5",
    )
    assert [word for word in words if word not in text] == []
    assert {path.name for path in (tmp_path / "pieces").iterdir()} == {"stand-ins"}
    summary = (tmp_path / "summary.csv").read_text().splitlines()
    # Eleven points (one is in both figures); two methods without merging, two with two rules.
    assert len(summary) == 1 + 11 * (2 + 2 * 2)


def test_an_ablation_has_a_column_a_value_and_counts_one_centroid_under_both_rules() -> None:
    found = [("none", 1, 0.5), ("nearest", 2, 0.4), ("ward", 2, 0.3), ("ward", 10, 0.2)]
    summary = pa.Table.from_pylist(
        [
            {"dataset": "blood", "epsilon": 0.2, "merge": merge, "n": n, "nicv": nicv}
            for merge, n, nicv in reversed(found)
        ]
    )
    nearest, ward = ablation_rows(summary, "n")
    assert list(ward.items()) == [
        ("dataset", "blood"),
        ("ε", 0.2),
        ("merging", "ward"),
        ("n = 1", 0.5),
        ("n = 2", 0.3),
        ("n = 10", 0.2),
    ]
    assert (nearest["n = 1"], nearest["n = 2"]) == (0.5, 0.4)
