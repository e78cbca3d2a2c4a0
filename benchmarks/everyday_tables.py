"""Tables as data holders have them: skewed, with many zeros, in bounds that are round numbers.

Unlike the families of `refined_families`, nothing in them is scaled to fit its bounds: these are
what somebody would declare without a look at the records.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.random import Generator

from hushmeans.types import FloatArray, IntArray

Declared = list[tuple[float, float]]
Table = tuple[FloatArray, Declared]

ISLAND: Declared = [(-6, 2), (50, 56)]
WORLD: Declared = [(-180, 180), (-90, 90)]


def randomness(name: str) -> Generator:
    """The same numbers for the same name."""
    return np.random.default_rng(zlib.crc32(f"everyday {name}".encode()))


def kinds(rng: Generator, n: int, weights: list[float] | FloatArray) -> IntArray:
    """Which kind of record each one is."""
    shares = np.asarray(weights, dtype=np.float64)
    return rng.choice(len(shares), n, p=shares / shares.sum())


def each(kind: IntArray, *values: float) -> FloatArray:
    """A value for each record, by its kind."""
    return np.array(values)[kind]


def visits(n: int) -> Table:
    """Patients: vital signs, length of stay, earlier visits (mostly none), medicines, cost."""
    rng = randomness("visits")
    kind = kinds(rng, n, [0.35, 0.25, 0.2, 0.12, 0.08])
    earlier = rng.negative_binomial(1.2, 0.25, n) * each(kind, 1, 2, 3, 1, 1)
    columns = [
        rng.normal(each(kind, 35, 62, 75, 5, 50), each(kind, 10, 9, 8, 3, 15)),
        rng.normal(each(kind, 72, 78, 85, 110, 95), 10),
        rng.normal(each(kind, 120, 138, 145, 98, 125), 13),
        rng.lognormal(each(kind, 0.3, 1, 1.9, 0.5, 1.4), 0.8),
        np.where(rng.random(n) < 0.55, 0, earlier),
        rng.poisson(each(kind, 0.6, 4, 9, 0.4, 3)),
        rng.lognormal(each(kind, 6, 7.5, 8.7, 6.2, 8), 1.0),
    ]
    declared: Declared = [(0, 120), (0, 300), (0, 300), (0, 365), (0, 100), (0, 50), (0, 500_000)]
    return np.column_stack(columns), declared


def customers(n: int) -> Table:
    """Days since the last order, number of orders, money spent."""
    rng = randomness(f"customers {n}")
    kind = kinds(rng, n, [0.5, 0.3, 0.15, 0.05])
    orders = np.minimum(rng.zipf(each(kind, 3.2, 2.4, 2.0, 1.7)), 800)
    spent = orders * rng.lognormal(each(kind, 3, 3.4, 3.8, 4.5), 0.8)
    since = np.minimum(rng.exponential(each(kind, 220, 90, 30, 10)), 729)
    return np.column_stack([since, orders, spent]), [(0, 730), (0, 1000), (0, 100_000)]


def households(n: int) -> Table:
    """Income, wealth and debt with Pareto tails, age and number of children."""
    rng = randomness("households")
    scale = each(kinds(rng, n, [0.45, 0.35, 0.15, 0.05]), 0.6, 1, 2.2, 6)
    columns = [
        20_000 * scale * (rng.pareto(2.5, n) + 0.4),
        30_000 * scale**1.5 * rng.pareto(1.4, n),
        np.where(rng.random(n) < 0.4, 0, 15_000 * scale * rng.lognormal(0, 1, n)),
        rng.normal(38 + 12 * np.log(scale + 1), 12),
        rng.poisson(1.1, n),
    ]
    declared: Declared = [(0, 1_000_000), (0, 5_000_000), (0, 1_000_000), (0, 120), (0, 20)]
    return np.column_stack(columns), declared


def towns(n: int, number: int, declared: Declared) -> Table:
    """Homes: towns whose sizes follow a power law, and a few people between them."""
    rng = randomness(f"towns {number}")
    places = np.column_stack([rng.uniform(-5, 1.5, number), rng.uniform(50.5, 55.5, number)])
    weights = 1 / np.arange(1, number + 1) ** 0.9
    kind = kinds(rng, n, weights)
    widths = 0.06 * np.sqrt(weights / weights.mean()) + 0.01
    homes = rng.normal(places[kind], widths[kind][:, None])
    alone = rng.random(n) < 0.04
    around = [rng.uniform(-5.5, 1.8, alone.sum()), rng.uniform(50.2, 56, alone.sum())]
    homes[alone] = np.column_stack(around)
    return homes, declared


def survey(n: int) -> Table:
    """Twenty answers from 1 to 5, with a tendency of each person to agree."""
    rng = randomness("survey")
    kind = kinds(rng, n, [0.35, 0.3, 0.2, 0.15])
    means = rng.normal(3.2, 0.9, (4, 20))
    tendency = rng.normal(0, 0.5, (n, 1))
    answers = np.rint(means[kind] + tendency + rng.normal(0, 0.8, (n, 20)))
    return answers, [(1, 5)] * 20


def meters(n: int) -> Table:
    """Electricity used in each hour of a day: five daily courses, of log-normal size."""
    rng = randomness("meters")
    kind = kinds(rng, n, [0.35, 0.25, 0.2, 0.12, 0.08])
    peak = each(kind, 19, 8, 13, 2, 20)[:, None]
    width = each(kind, 2.5, 2, 4, 2.5, 6)[:, None]
    from_peak = (np.arange(24) - peak + 12) % 24 - 12
    course = 0.3 + np.exp(-((from_peak / width) ** 2) / 2)
    amount = rng.lognormal(each(kind, 0, 0.2, 0.8, 0.4, 1.4), 0.5)[:, None]
    return amount * course * rng.lognormal(0, 0.25, (n, 24)), [(0, 50)] * 24


def connections(n: int) -> Table:
    """Network traffic over many magnitudes; two of its eight counts are mostly zero."""
    rng = randomness("connections")
    kind = kinds(rng, n, [0.5, 0.2, 0.15, 0.1, 0.05])
    counts = rng.lognormal(5 + rng.normal(0, 1.2, (5, 8))[kind], 1.6)
    counts[:, 3:5] *= rng.random((n, 2)) < 0.3
    largest = [1e6, 1e5, 1e4, 1e6, 1e5, 1e5, 1e4, 1e6]
    return counts, [(0, each) for each in largest]


def donors(n: int) -> Table:
    """Months since the last donation, and two multiples of how many there were."""
    rng = randomness("donors")
    kind = kinds(rng, n, [0.55, 0.3, 0.15])
    number = rng.geometric(each(kind, 0.5, 0.2, 0.07))
    columns = [
        rng.exponential(each(kind, 14, 7, 3)),
        number,
        4 * number + rng.exponential(each(kind, 5, 25, 50)),
        250 * number,
    ]
    return np.column_stack(columns), [(0, 120), (0, 100), (0, 150), (0, 20_000)]


def deliveries(n: int) -> Table:
    """Places in one city, in the bounds of a country, and the amount of each order."""
    rng = randomness("deliveries")
    places = np.column_stack([rng.uniform(2.2, 2.5, 12), rng.uniform(48.8, 48.95, 12)])
    kind = kinds(rng, n, 1 / np.arange(1, 13))
    where = rng.normal(places[kind], 0.008)
    return np.column_stack([where, rng.lognormal(3, 0.6, n)]), [(-10, 10), (40, 52), (0, 1000)]


def claims(n: int) -> Table:
    """Insured cars: nine in ten without a claim."""
    rng = randomness("claims")
    without = rng.random(n) < 0.9
    columns = [
        np.where(without, 0, rng.lognormal(7, 1.3, n)),
        np.where(without, 0, 1 + rng.poisson(0.3, n)),
        rng.uniform(18, 80, n),
        rng.gamma(2, 4, n),
        rng.lognormal(9.3, 0.5, n),
    ]
    declared: Declared = [(0, 100_000), (0, 20), (0, 120), (0, 50), (0, 200_000)]
    return np.column_stack(columns), declared


TABLES: dict[str, tuple[int, Callable[[], Table]]] = {
    "visits 20k": (6, partial(visits, 20_000)),
    "customers 1.5k": (4, partial(customers, 1500)),
    "customers 20k": (5, partial(customers, 20_000)),
    "households 50k": (5, partial(households, 50_000)),
    "towns 20k, island": (25, partial(towns, 20_000, 25, ISLAND)),
    "towns 20k, world": (25, partial(towns, 20_000, 25, WORLD)),
    "survey 2k": (4, partial(survey, 2000)),
    "meters 20k": (5, partial(meters, 20_000)),
    "connections 100k": (8, partial(connections, 100_000)),
    "donors 20k": (4, partial(donors, 20_000)),
    "deliveries 20k": (12, partial(deliveries, 20_000)),
    "claims 50k": (4, partial(claims, 50_000)),
}
"""The number of clusters, and the table with its bounds; names give the records."""


def declared_points(make: Callable[[], Table]) -> FloatArray:
    """The table in the unit box of its bounds."""
    values, declared = make()
    low, high = np.array(declared, dtype=np.float64).T
    points: FloatArray = 2 * (np.clip(values, low, high) - low) / (high - low) - 1
    return points


EVERYDAY = {name: (k, partial(declared_points, make)) for name, (k, make) in TABLES.items()}
"""The same as points of the unit box."""
