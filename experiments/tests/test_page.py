"""Figures and the page: made, the same every time, and in need of nothing else."""

from __future__ import annotations

import base64
import re
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pytest

from helpers.page_reader import Reader
from hushmeans.methods.merge import RULES
from hushmeans_experiments.baselines import NOT_PRIVATE, ONE_POINT
from hushmeans_experiments.figures import draw, title, values
from hushmeans_experiments.page import page
from hushmeans_experiments.protocol import FIGURES, Figure
from hushmeans_experiments.reproduce import ablation_rows
from hushmeans_experiments.summary import Interval
from hushmeans_experiments.verdicts import Verdict, claim_texts


def tables(figure: Figure) -> tuple[pa.Table, pa.Table]:
    """Made-up results for a figure: a summary and the two lines."""
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


@pytest.mark.parametrize("number", [1, 8])
def test_a_figure_is_drawn_twice_with_the_same_bytes(number: int, tmp_path: Path) -> None:
    figure = FIGURES[number - 1]
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        paths = draw(figure, *tables(figure), tmp_path / name)
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


def test_a_figure_has_four_curves_with_bands_and_two_lines_under_each_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []
    monkeypatch.setattr(
        "matplotlib.figure.Figure.savefig", lambda canvas, *_, **__: drawn.append(canvas)
    )
    draw(FIGURES[0], *tables(FIGURES[0]), tmp_path)
    panels = drawn[0].axes
    assert len(panels) == len(RULES)
    for panel in panels:
        labels = [line.get_label() for line in panel.lines]
        assert labels[:4] == ["average_k", "allocation_k", "average_nk", "allocation_nk"]
        assert sorted(labels[4:]) == [NOT_PRIVATE, ONE_POINT]
        assert all(list(line.get_xdata()) == [0.2, 0.4, 0.6, 0.8, 1.0] for line in panel.lines)
        assert len(panel.collections) == 4
    expected = [0.5 + 0.1 / 4 / epsilon for epsilon in values(FIGURES[0])]
    assert list(panels[0].lines[0].get_ydata()) == pytest.approx(expected)


def test_titles_say_what_is_fixed() -> None:
    assert title(FIGURES[0]) == "blood, k = 4"
    assert title(FIGURES[7]) == "adult, ε = 0.2"
    assert values(FIGURES[7]) == (2, 3, 4, 5, 6, 7, 8)


VERDICTS = [
    Verdict(1, merge, dataset, Interval(-0.1234, -0.2, -0.05), word, note)
    for merge, dataset, word, note in (
        ("nearest", "blood", "holds", ""),
        ("nearest", "adult", "fails", "average_k"),
        ("ward", "blood", "holds", ""),
        ("ward", "adult", "undecided", "k < 3 & more"),
    )
]


def made_page(folder: Path) -> str:
    paths = draw(FIGURES[0], *tables(FIGURES[0]), folder)
    rows = [{"dataset": "blood", "n = 1": 0.123456}]
    return page({"runs": "40"}, VERDICTS, [paths[1]], {"Ablation: n": rows})


def test_the_page_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    reader = Reader(made_page(tmp_path))
    assert len(reader.addresses) == 1
    assert reader.needs_nothing()
    assert "refresh" not in made_page(tmp_path)


def test_the_figures_in_the_page_are_the_files_and_need_nothing_from_elsewhere(
    tmp_path: Path,
) -> None:
    (address,) = Reader(made_page(tmp_path)).addresses
    head, _, data = address.partition(",")
    assert head == "data:image/svg+xml;base64"
    svg = base64.b64decode(data)
    assert svg == (tmp_path / "figure-01.svg").read_bytes()
    for element in ElementTree.fromstring(svg).iter():  # noqa: S314
        assert not element.tag.endswith(("}script", "}image", "}foreignObject"))
        for name, value in element.attrib.items():
            if name.rpartition("}")[2] in ("href", "src"):
                assert value.startswith("#")
            assert all(each.startswith("#") for each in re.findall(r"url\(([^)]*)", value))


def test_the_page_shows_every_verdict_with_its_interval(tmp_path: Path) -> None:
    reader = Reader(made_page(tmp_path))
    said = " ".join(reader.texts)
    assert f"1. {claim_texts()[1]}" in said
    assert said.count("-0.123 [-0.200, -0.050]") == 4
    assert "k < 3 & more" in reader.texts
    table = said[said.index("merging overall blood adult") :]
    words = " ".join(re.findall(r"nearest|ward|holds|fails|undecided", table))
    assert words == "nearest fails holds fails ward undecided holds undecided"
    assert "0.123" in reader.texts  # the ablation's table


def test_a_figure_is_described_for_those_who_do_not_see_it(tmp_path: Path) -> None:
    (text,) = Reader(made_page(tmp_path)).alternatives
    assert text == "figure-01: curves of NICV for the four methods; the values are in summary.csv"


@pytest.mark.parametrize(
    ("value", "shown"), [(0.123456, "0.123"), (12345.6, "12345.600"), (0.2, "0.200"), (3, "3")]
)
def test_numbers_have_three_decimals_and_whole_ones_none(value: float, shown: str) -> None:
    assert shown in Reader(page({}, [], [], {"A table": [{"x": value}]})).texts


def test_a_page_without_verdicts_leaves_their_part_out() -> None:
    assert "What holds" not in page({}, [], [], {})


def test_nothing_that_the_page_is_given_becomes_markup(tmp_path: Path) -> None:
    bad = "<script>alert('x')</script>\"&"
    figure = tmp_path / "a'onerror='b<i>.svg"
    figure.write_text("<svg/>")
    verdicts = [Verdict(1, rule, bad, Interval(0, 0, 0), "holds", bad) for rule in RULES]
    reader = Reader(page({bad: bad}, verdicts, [figure], {bad: [{bad: bad}]}))
    assert not {"script", "i"} & set(reader.tags)
    assert not reader.handlers
    assert "".join(reader.texts).count(bad) == 8


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
