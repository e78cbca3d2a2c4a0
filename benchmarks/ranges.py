"""Ranges that are found: how much they hold, how wide they are, and what a fit in them costs.

    python benchmarks/ranges.py [--runs 16] [--fits 8] [--ways ours]

All ranges of adult, electrical and credit are found with a tenth of epsilon = 1, and a fit spends
the rest. A found range should hold at least 98 % of its column, and be at most 4 times as wide as
the span from the 1st to the 99th percentile. The squared cost of the fit over that of k-means
without privacy, both in the found box, should be at most 1.05 times the same ratio with published
ranges in theirs. Beside it the ways of others, for the same share: powers of two alone (SmartNoise,
Google), written down here, and quantiles by OpenDP's exponential mechanism among candidates.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from statistics import fmean

import numpy as np
import opendp.prelude as dp
import pyarrow as pa
from pyarrow import csv
from sklearn.cluster import KMeans

from hushmeans import DPKMeans, Schema
from hushmeans.budget import Budget
from hushmeans.curator.curator import open_curator
from hushmeans.methods.search import FoundRange
from hushmeans.schema import Number
from hushmeans.surveys.range_finding import ranges_for
from hushmeans.types import FloatArray
from hushmeans_experiments.datasets import DATASETS, data_folder

NAMES = ("adult", "electrical", "credit")
SHARE = Fraction(1, 10)
HELD, WIDEST_ALLOWED, COST = 0.98, 4.0, 1.05

Ranges = list[tuple[float, float]]
Way = Callable[[FloatArray, float, int], Ranges]


def ours(values: FloatArray, delta: float, seed: int) -> Ranges:
    """As a fit finds them."""
    names = [f"f{index}" for index in range(values.shape[1])]
    table = pa.table(dict(zip(names, values.T, strict=True)))
    schema = Schema(dict.fromkeys(names, Number.find()))
    with open_curator(table, schema, Budget.of(1, delta), seed=seed) as curator:
        found: tuple[FoundRange, ...] = ranges_for(curator.door, curator.box, SHARE)
    return [(each.low, each.high) for each in found]


def powers_of_two(values: FloatArray, delta: float, seed: int) -> Ranges:
    """SmartNoise's way: the outermost powers of two whose noisy count exceeds what noise may reach.

    Per column an epsilon of its own, a threshold that noise exceeds once in 1e9 bins' lifetimes,
    and the whole domain where no bin does.
    """
    rng = np.random.default_rng(seed)
    epsilon = float(SHARE) / values.shape[1]
    powers = 2.0 ** np.arange(-32, 65)
    borders = np.concatenate([-powers[::-1], [0.0], powers])
    least = math.log(len(borders) / (2 * 1e-9)) / epsilon
    found = []
    for column in values.T:
        counts = np.bincount(np.searchsorted(borders, column), minlength=len(borders) + 1)
        noisy = counts + rng.laplace(0, 1 / epsilon, counts.shape)
        full = np.flatnonzero(noisy[1:-1] > least)
        ends = (0, len(borders) - 1) if not len(full) else (full[0], full[-1] + 1)
        found.append((float(borders[ends[0]]), float(borders[ends[1]])))
    return found


def quantiles(values: FloatArray, delta: float, seed: int) -> Ranges:
    """OpenDP's way: the 1st and the 99th percentile among candidates, its exponential mechanism.

    The candidates are powers of the square root of two, of either sign, and zero.
    """
    dp.enable_features("contrib")
    powers = 2.0 ** (np.arange(-20, 81) / 2)
    candidates = [*(-powers[::-1]).tolist(), 0.0, *powers.tolist()]
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    epsilon = float(SHARE) / values.shape[1] / 2
    found = []
    for column in values.T:
        data = column.tolist()
        ends = []
        for alpha in (0.01, 0.99):
            make = partial(
                dp.m.make_private_quantile, *space, dp.max_divergence(), candidates, alpha
            )
            scale = dp.binary_search_param(make, d_in=1, d_out=epsilon, T=float)
            ends.append(make(scale)(data))
        low, high = sorted(ends)
        found.append((low, high if high > low else low + max(abs(low), 1.0)))
    return found


WAYS: dict[str, Way] = {"ours": ours, "powers of two": powers_of_two, "quantiles": quantiles}


def judged(values: FloatArray, ranges: Ranges) -> tuple[FloatArray, FloatArray]:
    """What each range holds of its column, and its width in spans of percentiles."""
    lows, highs = np.array(ranges).T
    held = ((values >= lows) & (values <= highs)).mean(axis=0)
    first, last = np.percentile(values, [1, 99], axis=0)
    return held, (highs - lows) / (last - first)


def ratio(values: FloatArray, ranges: Ranges, k: int, model: DPKMeans) -> float:
    """The squared cost of a fit over that of k-means without privacy, in the same box."""
    lows, highs = np.array(ranges).T
    unit = np.clip(2 * (values - lows) / (highs - lows) - 1, -1, 1)
    best = KMeans(k, n_init=4, random_state=0).fit(unit).inertia_
    centres = 2 * (model.cluster_centers_ - lows) / (highs - lows) - 1
    squares = ((unit[:, None, :] - centres[None]) ** 2).sum(axis=2).min(axis=1).sum()
    return float(squares / best)


def fitted(values: FloatArray, ranges: Ranges, k: int, budget: Budget, seed: int) -> float:
    """The ratio of one fit with these ranges."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lows, highs = ([*each] for each in zip(*ranges, strict=True))
        model = DPKMeans(
            k,
            epsilon=budget.epsilon,
            delta=budget.delta,
            bounds=(lows, highs),
            random_state=seed,
        )
        return ratio(values, ranges, k, model.fit(values))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=16, help="searches per cell")
    parser.add_argument("--fits", type=int, default=4, help="fits per cell")
    parser.add_argument("--others", type=int, default=2, help="searches of other ways per cell")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=[*WAYS])
    options = parser.parse_args()
    folder = data_folder()
    if folder is None:
        raise SystemExit("the datasets are missing; see hushmeans reproduce")
    print("| table | δ | way | hold 98 % | at most 4 spans | worst held | widest | cost |")
    print("|---|---|---|--:|--:|--:|--:|--:|")
    for name in NAMES:
        table = csv.read_csv(folder / DATASETS[name].file)
        values = np.column_stack([each.to_numpy() for each in table.columns]).astype(np.float64)
        published = list(zip(values.min(axis=0), values.max(axis=0), strict=True))
        k = DATASETS[name].n_clusters
        for delta in (0.0, 1e-6):
            usual = fmean(
                fitted(values, published, k, Budget.of(1, delta), seed)
                for seed in range(options.fits)
            )
            for way in options.ways:
                search = WAYS[way]
                runs = options.runs if way == "ours" else options.others
                found = [search(values, delta, seed) for seed in range(runs)]
                held, widths = (
                    np.array(each) for each in zip(*(judged(values, r) for r in found), strict=True)
                )
                costs = [
                    fitted(values, ranges, k, Budget.of(0.9, delta), seed) / usual
                    for seed, ranges in enumerate(found[: options.fits])
                ]
                print(
                    f"| {name} | {delta:g} | {way} | {np.mean(held >= HELD):.1%} | "
                    f"{np.mean(widths <= WIDEST_ALLOWED):.1%} | {held.min():.1%} | "
                    f"{widths.max():.3g} | {fmean(costs):.3f} |",
                    flush=True,
                )
    print(f"\nTargets: 100 %, 100 %, cost at most {COST}, and no worse than the other ways.")


if __name__ == "__main__":
    main()
