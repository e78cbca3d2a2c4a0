"""The reports of experiments: complete, escaped, and in need of nothing else."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest

from helpers.page_reader import Reader
from hushmeans.methods.merge import RULES
from hushmeans_experiments.pages import reproduction_page
from hushmeans_experiments.summary import MeanInterval
from hushmeans_experiments.verdicts import ClaimVerdict, claim_texts

VERDICTS = [
    ClaimVerdict(1, merge, dataset, MeanInterval(-0.1234, -0.2, -0.05), word, note)
    for merge, dataset, word, note in (
        ("nearest", "blood", "holds", ""),
        ("nearest", "adult", "fails", "average_k"),
        ("ward", "blood", "holds", ""),
        ("ward", "adult", "undecided", "k < 3 & more"),
    )
]


def made_page(folder: Path) -> str:
    path = folder / "figure-01.svg"
    path.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    rows = [{"dataset": "blood", "n = 1": 0.123456}]
    return reproduction_page({"runs": "40"}, VERDICTS, [path], {"Ablation: n": rows})


def test_the_page_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    reader = Reader(made_page(tmp_path))
    assert len(reader.addresses) == 1
    assert reader.needs_nothing()
    assert "refresh" not in made_page(tmp_path)


def test_the_figures_in_the_page_are_the_files(
    tmp_path: Path,
) -> None:
    (address,) = Reader(made_page(tmp_path)).addresses
    head, _, data = address.partition(",")
    assert head == "data:image/svg+xml;base64"
    svg = base64.b64decode(data)
    assert svg == (tmp_path / "figure-01.svg").read_bytes()


def test_the_page_shows_every_verdict_with_its_interval(tmp_path: Path) -> None:
    reader = Reader(made_page(tmp_path))
    said = reader.words
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
    assert shown in Reader(reproduction_page({}, [], [], {"A table": [{"x": value}]})).texts


def test_a_page_without_verdicts_leaves_their_part_out() -> None:
    assert "What holds" not in reproduction_page({}, [], [], {})


def test_nothing_that_the_page_is_given_becomes_markup(tmp_path: Path) -> None:
    bad = "<script>alert('x')</script>\"&"
    figure = tmp_path / "a'onerror='b<i>.svg"
    figure.write_text("<svg/>")
    verdicts = [ClaimVerdict(1, rule, bad, MeanInterval(0, 0, 0), "holds", bad) for rule in RULES]
    reader = Reader(reproduction_page({bad: bad}, verdicts, [figure], {bad: [{bad: bad}]}))
    assert not {"script", "i"} & set(reader.tags)
    assert not reader.handlers
    assert "".join(reader.texts).count(bad) == 8
