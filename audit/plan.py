"""Which claims are audited, on which neighbours, and how many runs each gets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from audit.neighbours import (
    BORDER,
    DUPLICATE,
    EIGHT,
    FAR,
    FOUNDING,
    HOLES,
    ISOLATED,
    LEVEL,
    MANY_ROWS,
    NOBODY,
    OUTSIDE,
    SCATTERED,
    SECOND,
    SEVERAL,
    WIDE,
    AnyNeighbours,
)
from audit.targets import NoiseAlone, OneAnswer, Target, WholeFit
from hushmeans.budget import Budget
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.questions import (
    Among,
    Cells,
    Distances,
    Histograms,
    Lengths,
    Norm,
    Present,
    Question,
    Shifts,
    Size,
    Sizes,
    Spread,
    Spreads,
    Totals,
)
from hushmeans.methods.profile import profiles_about
from hushmeans.methods.registry import METHODS
from hushmeans.schema.grid import ABSENT
from hushmeans.types import IntArray

BUDGETS = (Budget.of(4), Budget.of(4, 1e-6))
"""Large enough for a bound to be far from 0, small enough for the fewest runs to prove a breach."""

NOISE_RUNS, ANSWER_RUNS, FIT_RUNS = 200_000, 10_000, 2_000
"""Runs on each neighbour; the fewest that could prove a breach by a record that lies open."""

SMALL_BUDGETS = (Budget.of(1), Budget.of(1, 1e-6))
"""For fits that take long: so few runs prove a breach of these."""

HELD_RUNS, SPARK_RUNS = 1_000, 256
"""Runs of such fits; one on Spark takes a second."""

FEWEST_ROUNDS = {
    "refined": 2,
    "average_k": 1,
    "allocation_k": 2,
    "average_nk": 1,
    "allocation_nk": 2,
}
"""As few rounds as show how a method shares its budget: the last answer is then worth most."""

FITTED = ((NOBODY, 1), (ISOLATED, 2), (FOUNDING, 3), (DUPLICATE, 1))
"""The neighbours of whole fits, and into how many clusters."""

FURTHER = ((SEVERAL, 1), (SCATTERED, 3), (EIGHT, 2), (WIDE, 2))
"""Neighbours of further fits: several rows of one person, and many features."""

HELD = ("csv", "parquet", "spark")
"""Where else records are than in memory."""


@dataclass(frozen=True)
class Claim:
    """One thing to audit.

    Attributes
    ----------
    level
        "mechanism", "round" or "fit".
    what
        The question, or the method with its settings.
    record
        What the record does that only one neighbour has.
    runs
        The runs on each neighbour, in the long form.
    in_one_process
        Whether the runs cannot be spread over processes.
    """

    level: str
    what: str
    record: str
    target: Target
    runs: int
    in_one_process: bool = False


def all_claims() -> Iterator[Claim]:
    """The long form, level by level."""
    for budget in BUDGETS:
        yield from noise_claims(budget)
    for budget in BUDGETS:
        yield from answer_claims(budget)
    for budget in BUDGETS:
        yield from fit_claims(budget)
    for budget in SMALL_BUDGETS:
        yield from held_fits(budget)


def noise_claims(budget: Budget) -> Iterator[Claim]:
    """Noise alone, on one number, on a record of one feature, and on one of two."""
    mechanism = mechanism_for(budget)
    unit = 2**20
    for values in ((1,), (unit, unit), (unit, -unit, unit)):
        target = NoiseAlone(mechanism, budget, values)
        moved = "1" if values == (1,) else f"{len(values)} totals of 2^20"
        yield Claim("mechanism", type(mechanism).__name__, f"moves {moved}", target, NOISE_RUNS)


def answer_claims(budget: Budget) -> Iterator[Claim]:
    """Every kind of question, and the paper's on every pair of neighbours."""
    mechanism = mechanism_for(budget)

    def claim(pair: AnyNeighbours, question: Question, what: str = "") -> Claim:
        target = OneAnswer(pair, mechanism, budget, question)
        return Claim("round", what or question.name, pair.name, target, ANSWER_RUNS)

    for pair in (NOBODY, SECOND, OUTSIDE, ISOLATED, FOUNDING, DUPLICATE):
        yield claim(pair, totals(pair))
    for pair in (SEVERAL, SCATTERED, EIGHT, WIDE):
        yield claim(pair, totals(pair))
        yield claim(pair, shifts(pair, mechanism.norm))
    for question in (Size(), totals(MANY_ROWS), shifts(MANY_ROWS, mechanism.norm)):
        yield claim(MANY_ROWS, question)
    yield claim(NOBODY, Size())
    yield claim(SEVERAL, Size())
    yield claim(BORDER, shifts(BORDER, mechanism.norm))
    yield claim(ISOLATED, shifts(ISOLATED, mechanism.norm))
    yield claim(ISOLATED, spread(ISOLATED, mechanism.norm))
    yield claim(ISOLATED, spreads(ISOLATED, mechanism.norm))
    yield claim(FOUNDING, cells(FOUNDING))
    yield claim(FOUNDING, Sizes(FOUNDING.box.grid, _places(FOUNDING)))
    yield claim(ISOLATED, around(ISOLATED))
    yield claim(ISOLATED, distances(ISOLATED))
    yield claim(ISOLATED, replace(distances(ISOLATED), apart=True), "distances apart")
    yield claim(FAR, Histograms(((0.0, 2.0), (-10.0, 30.0), (0.0, 1e3))))
    for mixed in (LEVEL, HOLES):
        places = pair_centroids(mixed) / mixed.box.grid.unit
        yield claim(mixed, profiles_about(mixed.box.grid, mixed.box.layout, places))
        yield claim(mixed, shifts(mixed, mechanism.norm))
        yield claim(mixed, cells(mixed))
        yield claim(mixed, distances(mixed))
        yield claim(mixed, present(mixed))
        yield claim(mixed, around_numbers(mixed))


def totals(pair: AnyNeighbours) -> Totals:
    """Of as many centroids as there are places, the record's own among them."""
    return Totals(pair.box.grid, _places(pair))


def shifts(pair: AnyNeighbours, norm: Norm) -> Shifts:
    """Shifts from the middle, clipped to half of a range's half."""
    grid = pair.box.grid
    middle = np.zeros((1, pair.box.n_columns), dtype=np.int64)
    return Shifts(grid, middle, (grid.unit // 2,), norm, size_unit=grid.unit // 8)


def spread(pair: AnyNeighbours, norm: Norm) -> Spread:
    """The spread around the middle, clipped where the corners are beyond it."""
    grid = pair.box.grid
    middle = np.zeros((1, pair.box.n_columns), dtype=np.int64)
    return Spread(grid, middle, grid.unit // 2, norm)


def spreads(pair: AnyNeighbours, norm: Norm) -> Spreads:
    """The spreads around the middle and a corner, clipped where other corners are beyond it."""
    grid = pair.box.grid
    return Spreads(grid, _middle_and_corner(pair), (grid.unit // 2, grid.unit // 4), norm)


def cells(pair: AnyNeighbours) -> Cells:
    """Each feature in two halves."""
    return Cells(pair.box.grid, ((0,),) * pair.box.n_columns)


def around(pair: AnyNeighbours) -> Lengths:
    """Lengths from the middle, up to half of a range's half and beyond."""
    grid = pair.box.grid
    middle = np.zeros((1, pair.box.n_columns), dtype=np.int64)
    return Lengths(grid, middle, (grid.unit // 2,))


def distances(pair: AnyNeighbours) -> Distances:
    """Distances from the middle and a corner, up to half of a range's half and beyond."""
    grid = pair.box.grid
    return Distances(grid, _middle_and_corner(pair), (grid.unit // 2,))


def around_numbers(pair: AnyNeighbours) -> Among:
    """Lengths of the numbers alone, from the middle."""
    columns = tuple(block.first for block in pair.box.layout.of_kind("number"))
    middle = np.zeros((1, len(columns)), dtype=np.int64)
    return Among(columns, Lengths(pair.box.grid, middle, (pair.box.grid.unit // 2,)))


def present(pair: AnyNeighbours) -> Present:
    """Values of every feature that may be missing."""
    return Present.about(pair.box.grid, pair.box.layout)


def pair_centroids(pair: AnyNeighbours) -> IntArray:
    """As many centroids as there are places; what is missing is in the middle."""
    places = _places(pair)
    return np.where(places == ABSENT, 0, places)


def _middle_and_corner(pair: AnyNeighbours) -> IntArray:
    points = np.zeros((2, pair.box.n_columns), dtype=np.int64)
    points[1] = -pair.box.grid.unit
    return points


def _places(pair: AnyNeighbours) -> IntArray:
    return np.unique(pair.encoded(more=True), axis=0).astype(np.int64)


def fit_claims(budget: Budget) -> Iterator[Claim]:
    """Every method, with many rounds and with few; then several rows, and many features."""
    yield from default_fits(budget)
    yield from short_fits(budget)
    yield from further_fits(budget)
    yield from mixed_fits(budget)


def default_fits(budget: Budget) -> Iterator[Claim]:
    """Every method with its default settings, on the smallest tables."""
    for method in METHODS:
        target = WholeFit(NOBODY, budget, method)
        yield Claim("fit", method, NOBODY.name, target, FIT_RUNS)


def short_fits(budget: Budget) -> Iterator[Claim]:
    """Every method with as few rounds as are honest, on every pair of neighbours."""
    for method, rounds in FEWEST_ROUNDS.items():
        for pair, k in FITTED:
            target = WholeFit(pair, budget, method, n_clusters=k, options={"rounds": rounds})
            what = f"{method}, {rounds} round{'s' if rounds > 1 else ''}, k = {k}"
            yield Claim("fit", what, pair.name, target, FIT_RUNS)


def further_fits(budget: Budget) -> Iterator[Claim]:
    """Our method and the paper's on people with several rows, and on many features."""
    for method in ("refined", "average_k"):
        rounds = FEWEST_ROUNDS[method]
        for pair, k in FURTHER:
            target = WholeFit(pair, budget, method, n_clusters=k, options={"rounds": rounds})
            yield Claim("fit", f"{method}, k = {k}", pair.name, target, FIT_RUNS)


def mixed_fits(budget: Budget) -> Iterator[Claim]:
    """Our method on tables with categories, flags and missing values."""
    options = {"rounds": FEWEST_ROUNDS["refined"]}
    for pair in (LEVEL, HOLES):
        target = WholeFit(pair, budget, "refined", n_clusters=2, options=options)
        yield Claim("fit", "refined, mixed table, k = 2", pair.name, target, FIT_RUNS)


def held_fits(budget: Budget) -> Iterator[Claim]:
    """The quickest fit on records in files and on Spark, and one that is debited in a ledger."""
    options = {"rounds": 1}
    for held in HELD:
        target = WholeFit(ISOLATED, budget, "average_k", options=options, held=held)
        on_spark = held == "spark"
        runs = SPARK_RUNS if on_spark else HELD_RUNS
        yield Claim("fit", f"average_k, {held}", ISOLATED.name, target, runs, on_spark)
    target = WholeFit(ISOLATED, budget, "average_k", options=options, through_ledger=True)
    yield Claim("fit", "average_k, ledger", ISOLATED.name, target, HELD_RUNS)
