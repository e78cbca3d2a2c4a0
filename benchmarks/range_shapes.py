"""Ranges that are found, of synthetic shapes at several strengths of noise.

    python -m benchmarks.range_shapes [--runs 8] [--first-seed 0]

The constants of the search were chosen here. Prints, for each strength of noise (the standard
deviation of a count if the whole share was spent on one look, as a part of the records), how many
ranges hold less than 98 % of their column, and how many are wider than 4 times the span from the
1st to the 99th percentile; and the shapes that fail most.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.random import Generator

from hushmeans.curator.door import Door, Noise, NoisyTotals
from hushmeans.curator.questions import Histograms, Norm, Question
from hushmeans.methods.ranges import find_ranges
from hushmeans.schema import Grid, Layout
from hushmeans.types import FloatArray

SHARE = Fraction(1, 10)
ROWS, TABLES = 20_000, 4
NOISES: tuple[tuple[Norm, float], ...] = (
    ("l1", 0.0026),
    ("l1", 0.0113),
    ("l1", 0.018),
    ("l2", 0.0011),
    ("l2", 0.0023),
    ("l2", 0.0052),
)
"""Those of adult, credit and electrical with a tenth of epsilon = 1; Gaussian with a delta."""

Shape = Callable[[Generator, int], FloatArray]


def beside_zeros(part: float, draw: Shape) -> Shape:
    """Values of which a part is zero."""
    return lambda rng, n: np.where(rng.random(n) < part, 0.0, draw(rng, n))


def log_normal(mean: float, deviation: float) -> Shape:
    """Values whose logarithms are normal."""
    return lambda rng, n: np.exp(rng.normal(mean, deviation, n))


def either(part: float, one: Shape, other: Shape) -> Shape:
    """A mixture of two shapes."""
    return lambda rng, n: np.where(rng.random(n) < part, one(rng, n), other(rng, n))


SHAPES: dict[str, Shape] = {
    "evenly spread": lambda rng, n: rng.uniform(0.5, 10, n),
    "from 0 to 1": lambda rng, n: rng.uniform(0, 1, n),
    "from -1 to 1": lambda rng, n: rng.uniform(-1, 1, n),
    "normal": lambda rng, n: rng.normal(0, 1, n),
    "normal, above zero": lambda rng, n: rng.normal(3, 1, n),
    "temperatures": lambda rng, n: rng.normal(290, 6, n),
    "years": lambda rng, n: rng.integers(1955, 2021, n).astype(float),
    "times": lambda rng, n: 1.6e9 + rng.uniform(0, 3e7, n),
    "incomes": log_normal(10.3, 0.8),
    "log-normal, wide": log_normal(8, 1.2),
    "log-normal, very wide": log_normal(3, 2),
    "negative": lambda rng, n: -np.exp(rng.normal(2, 1, n)),
    "a flag": lambda rng, n: (rng.random(n) < 0.2).astype(float),
    "a rare flag": lambda rng, n: (rng.random(n) < 0.05).astype(float),
    "codes 1 and 2": lambda rng, n: 1 + (rng.random(n) < 0.6).astype(float),
    "codes 1 to 4": lambda rng, n: rng.choice(
        np.arange(1, 5.0), n, p=np.array([0.35, 0.47, 0.16, 0.02])
    ),
    "codes 1 to 16": lambda rng, n: np.clip(np.rint(rng.normal(10, 2.5, n)), 1, 16),
    "delays": lambda rng, n: rng.choice(
        np.arange(-2, 9.0),
        n,
        p=np.array([130, 200, 500, 100, 50, 10, 4, 2, 2, 1, 1]) / 1000,
    ),
    "counts beside zeros": beside_zeros(0.6, lambda rng, n: rng.poisson(3, n).astype(float)),
    "tiny": lambda rng, n: rng.normal(2e-5, 4e-6, n),
    "two groups": either(
        0.3, lambda rng, n: rng.normal(100, 5, n), lambda rng, n: rng.normal(20, 4, n)
    ),
    "two groups around zero": either(
        0.5, lambda rng, n: rng.normal(-30, 8, n), lambda rng, n: rng.normal(45, 8, n)
    ),
    "exponential": lambda rng, n: rng.exponential(50, n),
    "exponential, far away": lambda rng, n: 1e6 + rng.exponential(2e4, n),
    "exponential, downwards": lambda rng, n: 100 - rng.exponential(8, n),
    "gamma": lambda rng, n: rng.gamma(3, 6e4, n),
    "some zeros": beside_zeros(0.18, log_normal(7.6, 1.4)),
    "half zeros": beside_zeros(0.5, log_normal(5, 1)),
    "nearly all zeros": beside_zeros(0.9, log_normal(8.9, 0.8)),
    "payments": beside_zeros(0.2, lambda rng, n: np.exp(7.6 + rng.standard_t(5, n))),
    "claims": beside_zeros(0.5, lambda rng, n: np.exp(6 + 1.2 * rng.standard_t(6, n))),
    "spending": lambda rng, n: np.exp(4 + 0.8 * rng.standard_t(4, n)),
    "ages": lambda rng, n: np.clip(np.rint(17 + rng.gamma(2.6, 8.5, n)), 17, 90),
    "hours": lambda rng, n: np.where(
        rng.random(n) < 0.5, 40.0, np.clip(np.rint(rng.normal(41, 14, n)), 1, 99)
    ),
    "balances": either(0.07, lambda rng, n: -rng.exponential(1500, n), log_normal(9.6, 1.5)),
    "bills": either(
        0.02,
        lambda rng, n: -rng.exponential(1000, n),
        beside_zeros(0.09, lambda rng, n: rng.gamma(0.55, 90000, n)),
    ),
    "limits": lambda rng, n: np.clip(np.rint(rng.gamma(1.7, 10, n)) * 1e4, 1e4, 1e6),
    "heavy tails": lambda rng, n: rng.standard_t(3, n),
    "heavy tails, above zero": lambda rng, n: 50 + 5 * rng.standard_t(3, n),
    "at both ends": lambda rng, n: rng.beta(0.4, 0.4, n),
    "rates": lambda rng, n: rng.beta(2, 5, n),
    "Pareto": lambda rng, n: 100 * (rng.random(n) ** -0.5 - 1),
    "geometric": lambda rng, n: rng.geometric(0.3, n).astype(float) - 1,
}


def door_to(columns: list[FloatArray], norm: Norm, relative: float, rng: Generator) -> Door:
    """A door to sorted columns, with noise of this strength."""
    n_features = len(columns)
    moved = n_features if norm == "l1" else math.sqrt(n_features)
    noise = Noise(norm, relative * ROWS / Noise(norm, 1.0).deviation(moved, float(SHARE)))

    def ask(question: Question, share: Fraction) -> NoisyTotals:
        assert isinstance(question, Histograms)
        deviation = noise.deviation(question.sensitivity(norm), float(share))
        below = [
            np.searchsorted(column, np.array(borders), side="right")
            for column, borders in zip(columns, question.borders, strict=True)
            if borders
        ]
        exact = np.concatenate([np.diff(each, prepend=0, append=ROWS) for each in below])
        scale = deviation if norm == "l2" else deviation / math.sqrt(2)
        draw = rng.normal if norm == "l2" else rng.laplace
        noisy = exact * question.unit + draw(0, scale, len(exact))
        return NoisyTotals(np.rint(noisy).astype(np.int64), deviation**2)

    return Door(ask, noise, Grid(20), n_features, Layout.of_numbers(n_features))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--first-seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    columns = {name: np.sort(draw(rng, ROWS)) for name, draw in SHAPES.items()}
    names = list(SHAPES)
    print("| noise | of a count | hold less than 98 % | wider than 4 spans | most often |")
    print("|---|--:|--:|--:|---|")
    for norm, relative in NOISES:
        short: Counter[str] = Counter()
        wide: Counter[str] = Counter()
        for seed in range(options.first_seed, options.first_seed + options.runs):
            rng = np.random.default_rng(seed)
            for first in range(TABLES):
                part = names[first::TABLES]
                door = door_to([columns[name] for name in part], norm, relative, rng)
                found = find_ranges(door, [False] * len(part), SHARE)
                for name, each in zip(part, found, strict=True):
                    column = columns[name]
                    low, high = np.percentile(column, [1, 99])
                    held = np.mean((column >= each.low) & (column <= each.high))
                    short[name] += int(held < 0.98)
                    wide[name] += int(each.high - each.low > 4 * (high - low))
        searches = options.runs * len(names)
        worst = "; ".join(name for name, _ in (short + wide).most_common(3))
        kind = "Laplace" if norm == "l1" else "Gaussian"
        failed = " | ".join(f"{each.total() / searches:.1%}" for each in (short, wide))
        print(f"| {kind} | {relative:.2%} | {failed} | {worst} |", flush=True)


if __name__ == "__main__":
    main()
