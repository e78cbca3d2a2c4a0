"""The paper's figures: complete, and the same bytes every time."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pytest

from hushmeans.methods.merge import RULES
from hushmeans_experiments.baselines import NOT_PRIVATE, ONE_POINT
from hushmeans_experiments.paper_figures import draw_paper_figure, title
from hushmeans_experiments.protocol import FIGURES, Figure


def tables(figure: Figure) -> tuple[pa.Table, pa.Table]:
    """Synthetic results for a figure: a summary and the two lines."""
    rows = []
    for setting in figure.settings:
        level = 0.5 + 0.1 * setting.n / setting.n_clusters / setting.epsilon
        for merge in RULES if setting.n > 1 else ("none",):
            scores = {"nicv": level, "nicv_low": level - 0.05, "nicv_high": level + 0.05}
            rows.append({**asdict(setting), "merge": merge, **scores})
    lines = [
        {"dataset": figure.dataset.name, "n_clusters": k, "method": method, "nicv": level}
        for k in range(2, 9)
        for method, level in ((NOT_PRIVATE, 0.2), (ONE_POINT, 0.9))
    ]
    return pa.Table.from_pylist(rows), pa.Table.from_pylist(lines)


def needs_nothing_from_elsewhere(svg: bytes) -> None:
    for element in ElementTree.fromstring(svg).iter():  # noqa: S314
        assert not element.tag.endswith(("}script", "}image", "}foreignObject"))
        for name, value in element.attrib.items():
            if name.rpartition("}")[2] in ("href", "src"):
                assert value.startswith("#")
            assert all(each.startswith("#") for each in re.findall(r"url\(([^)]*)", value))


@pytest.mark.parametrize("number", [1, 8])
def test_a_figure_is_drawn_twice_with_the_same_bytes(number: int, tmp_path: Path) -> None:
    figure = FIGURES[number - 1]
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        paths = draw_paper_figure(figure, *tables(figure), tmp_path / name)
        assert [path.name for path in paths] == [
            f"figure-{number:02d}.png",
            f"figure-{number:02d}.svg",
        ]
        assert sorted(paths) == sorted((tmp_path / name).iterdir())
        made.append([path.read_bytes() for path in paths])
    assert made[0] == made[1]
    png, svg = made[0]
    assert png.startswith(b"\x89PNG\r\n")
    assert ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314
    assert b"dc:date" not in svg
    needs_nothing_from_elsewhere(svg)


def test_a_figure_has_four_curves_with_bands_and_two_lines_under_each_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []

    def drawn_only(canvas: Any, path: Path, **_: object) -> None:
        drawn.append(canvas)
        path.touch()

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", drawn_only)
    draw_paper_figure(FIGURES[0], *tables(FIGURES[0]), tmp_path)
    panels = drawn[0].axes
    assert len(panels) == len(RULES)
    for panel in panels:
        labels = [line.get_label() for line in panel.lines]
        assert labels[:4] == ["average_k", "allocation_k", "average_nk", "allocation_nk"]
        assert sorted(labels[4:]) == [NOT_PRIVATE, ONE_POINT]
        assert all(list(line.get_xdata()) == [0.2, 0.4, 0.6, 0.8, 1.0] for line in panel.lines)
        assert len(panel.collections) == 4
    expected = [0.5 + 0.1 / 4 / epsilon for epsilon in FIGURES[0].values]
    assert list(panels[0].lines[0].get_ydata()) == pytest.approx(expected)


def test_titles_say_what_is_fixed() -> None:
    assert title(FIGURES[0]) == "blood, k = 4"
    assert title(FIGURES[7]) == "adult, ε = 0.2"
    assert FIGURES[7].values == (2, 3, 4, 5, 6, 7, 8)
