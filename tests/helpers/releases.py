"""Releases of every kind, made up."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hushmeans.budget import LARGEST_EPSILON, Booking, Budget, Spend
from hushmeans.ledger.standing import Standing
from hushmeans.release import Release
from hushmeans.report import LoadedRelease
from hushmeans.schema import Box
from hushmeans.schema.kinds import Category, Date, Flag, Number, Ordinal

HOSTILE = "<script>alert(1)</script>"
NAMES = (
    HOSTILE,
    "\"quo'te & &lt;",
    "x" * 300,
    "\u202eturned\x00",
    "",
    "\ud800",
    "--><svg onload=a>",
    "\" onblur=\"a\" ' onfocus='a' " + "y" * 60,  # long: it becomes an attribute as well
)


FINITE = st.floats(allow_nan=False, allow_infinity=False)
NOT_NEGATIVE = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
SMALLEST = Fraction(1, 10**9)
EPSILONS = st.fractions(SMALLEST, LARGEST_EPSILON, max_denominator=10**30)
SHARES = st.fractions(SMALLEST, 1, max_denominator=10**30)


def pairs(values: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[tuple[str, Any], ...]]:
    settings = st.dictionaries(st.text(), values, max_size=3)
    return settings.map(lambda mapping: tuple(mapping.items()))


@st.composite
def releases(draw: st.DrawFn) -> Release:
    n_clusters, n_features = draw(st.integers(1, 4)), draw(st.integers(1, 4))

    def table(values: st.SearchStrategy[float]) -> Any:
        row = st.tuples(*[values] * n_features)
        return draw(st.tuples(*[row] * n_clusters))

    names = st.lists(st.text(), min_size=n_features, max_size=n_features, unique=True).map(tuple)
    lows = draw(st.tuples(*[st.floats(-1e9, 1e9)] * n_features))
    highs = tuple(low + draw(st.floats(1, 1e9)) for low in lows)
    return Release(
        centres=table(FINITE),
        standard_errors=table(NOT_NEGATIVE),
        sizes=draw(st.tuples(*[NOT_NEGATIVE] * n_clusters)),
        size_standard_errors=draw(st.tuples(*[NOT_NEGATIVE] * n_clusters)),
        box=Box(lows, highs, draw(st.none() | names)),
        budget=Budget(draw(EPSILONS), draw(st.sampled_from([Fraction(0), Fraction(1, 3)]))),
        rows_per_person=draw(st.integers(1, 10**6)),
        simulated=draw(st.booleans()),
        spends=tuple(draw(st.lists(st.builds(Spend, st.text(), SHARES, NOT_NEGATIVE), max_size=3))),
        method=draw(st.text()),
        method_options=draw(pairs(st.integers() | st.text())),
        versions=draw(pairs(st.text())),
        booking=draw(st.none() | st.builds(Booking, st.text(), st.text())),
    )


def made(n_clusters: int, n_features: int, **changes: Any) -> Release:
    """A release of made-up numbers in the unit square."""
    generator = np.random.default_rng(n_clusters)

    def rows(table: Any) -> Any:
        return tuple(tuple(row) for row in table.tolist())

    plain_release = Release(
        centres=rows(generator.uniform(0, 1, (n_clusters, n_features))),
        standard_errors=rows(generator.exponential(0.05, (n_clusters, n_features))),
        sizes=tuple(generator.uniform(0, 1000, n_clusters).tolist()),
        size_standard_errors=(30.0,) * n_clusters,
        box=Box((0.0,) * n_features, (1.0,) * n_features),
        budget=Budget.of(1),
        rows_per_person=1,
        simulated=False,
        spends=(Spend("totals", Fraction(1), 1.0),),
        method="average_k",
        method_options=(),
        versions=(),
    )
    return replace(plain_release, **changes)


def mixed() -> Release:
    """Two clusters of features of every kind; one category has 100 levels."""
    kinds = (
        Number(0, 100),
        Flag(),
        Date(date(2020, 1, 1), date(2020, 12, 31)),
        Ordinal(["none", "school", "college"]),
        Category([f"town {number}" for number in range(100)]),
    )
    box = Box.of(kinds, ("age", "smoker", "admitted", "education", "home"))
    days = (box.low[2] + 31, box.low[2] + 300)
    homes = [[0.0] * (box.n_columns - 4) for _ in range(2)]
    homes[0][3], homes[1][5], homes[1][6] = 1.0, 0.3, 0.7
    centres = (
        (20.0, 0.1, days[0], 0.1, *homes[0]),
        (70.0, 0.8, days[1], 1.9, *homes[1]),
    )
    return made(
        2,
        box.n_columns,
        box=box,
        centres=centres,
        standard_errors=((0.001,) * box.n_columns,) * 2,
        sizes=(600.0, 400.0),
        size_standard_errors=(3.0, 3.0),
    )


def hostile() -> Release:
    """Every text in it tries to be more than text."""
    return made(
        3,
        len(NAMES),
        box=Box((0.0,) * len(NAMES), (1.0,) * len(NAMES), NAMES),
        spends=(Spend(HOSTILE, Fraction(1), 1.0),),
        method=HOSTILE,
        method_options=((HOSTILE, "'\" onmouseover='alert(1)"),),
        versions=(("hushmeans", "</style></title><script>alert(1)</script>"),),
        booking=Booking(HOSTILE, "' onclick='alert(1)"),
    )


def loaded(
    release: Release, standing: Standing | None = None, file: str = "release.json"
) -> LoadedRelease:
    """As if read from a file."""
    return LoadedRelease(release, file, "0" * 64, standing)
