"""A release as tables, pictures and text."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pyarrow as pa
import pytest

from helpers.groups import fitted
from helpers.releases import hostile, made
from hushmeans import InputError

mpl.use("Agg")


def test_a_wide_table_has_a_row_per_cluster() -> None:
    release = fitted(4, 3, 4, 1)
    frame = release.to_frame()
    assert frame["cluster"].tolist() == [0, 1, 2, 3]
    assert frame["size"].tolist() == list(release.sizes)
    assert frame["feature 1"].tolist() == [row[1] for row in release.centres]
    assert frame["feature 1 width"].tolist() == [row[1] for row in release.widths or ()]
    assert "x width" not in made(2, 1).to_frame().columns


def test_a_long_table_has_a_row_per_cluster_and_feature() -> None:
    release = fitted(4, 3, 4, 1)
    frame = release.to_frame("long")
    assert len(frame) == 12
    assert frame.pivot_table(index="cluster", columns="feature", values="centre").to_numpy() == (
        pytest.approx(np.array(release.centres))
    )
    assert isinstance(release.to_table("long"), pa.Table)
    assert made(2, 1).to_frame("long")["width"].isna().all()


def test_another_form_is_refused() -> None:
    with pytest.raises(InputError, match="choose one of wide, long"):
        made(2, 1).to_table("tall")


def test_csv_has_every_number_without_loss(tmp_path: Path) -> None:
    release = fitted(4, 3, 4, 1)
    text = release.to_csv(tmp_path / "clusters.csv")
    assert (tmp_path / "clusters.csv").read_text(encoding="utf-8") == text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [float(row["feature 2"]) for row in rows] == [row[2] for row in release.centres]


def test_a_frame_without_pandas_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = made(2, 1).to_table()
    assert table.num_rows == 2

    class WithoutPandas:
        def to_pandas(self) -> None:
            raise ModuleNotFoundError

    monkeypatch.setattr("hushmeans.release.release.clusters_as_table", lambda *_: WithoutPandas())
    with pytest.raises(InputError, match="pip install pandas"):
        made(2, 1).to_frame()


def test_a_release_introduces_itself_in_one_line() -> None:
    assert repr(fitted(4, 3, 4, 1)) == (
        "<Release 4 clusters, 3 features, epsilon=1, refined, SIMULATED>"
    )
    assert "delta=1e-06" in repr(fitted(4, 3, 4, 1, 1e-6))
    titled = made(1, 1, sizes=(900.0,)).with_about(title="Patients")
    assert repr(titled) == "<Release 'Patients': 1 cluster, 1 feature, epsilon=1, average_k>"


def test_nothing_in_a_notebook_is_more_than_text() -> None:
    html = hostile()._repr_html_()
    assert "<script" not in html
    assert "<svg" not in html


def test_a_notebook_shows_some_of_many_features() -> None:
    assert "8 more columns" in made(2, 20)._repr_html_()


@pytest.mark.parametrize("kind", ["centres", "map", "costs"])
def test_each_picture_is_drawn_and_can_be_drawn_on_given_axes(kind: str) -> None:
    from matplotlib import pyplot

    release = fitted(3, 2, 8, 0, table=0)
    own = release.plot(kind)
    _, axes = pyplot.subplots()
    assert release.plot(kind, ax=axes) is axes
    assert len(own.get_children()) > 5
    made(1, 1).plot(kind)
    pyplot.close("all")


def test_the_cost_curve_marks_the_suggestion() -> None:
    from matplotlib import pyplot

    axes = fitted(3, 2, 8, 0, table=0).plot("costs")
    assert any("3 stands out" in text.get_text() for text in axes.texts)
    pyplot.close("all")


def test_another_picture_is_refused_and_matplotlib_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(InputError, match="choose one of centres, map, costs"):
        made(2, 2).plot("pie")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"hushmeans\[plot\]"):
        made(2, 2).plot()
