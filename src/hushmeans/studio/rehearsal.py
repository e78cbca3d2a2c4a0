"""A release of synthetic records, made from the schema alone: what a result will look like."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pyarrow as pa

from hushmeans.errors import SimulationWarning
from hushmeans.fitting import fit_release
from hushmeans.forecasting.population import Population
from hushmeans.methods.start import public_randomness
from hushmeans.release import Release
from hushmeans.release.about import About
from hushmeans.schema import Category, Cycle, Date, Flag, Number, Ordinal, Schema
from hushmeans.studio.planning import FitPlan
from hushmeans.types import FloatArray

MOST_MADE_UP = 200_000
"""More synthetic records take longer and look the same."""

SEED = 1

ABOUT = About(
    title="Rehearsal with synthetic records",
    description=(
        "The records were generated from the schema alone, as round clusters within the declared "
        "ranges. The real clusters will differ; the amount of detail and noise will be similar."
    ),
)


def rehearsed(schema: Schema, plan: FitPlan) -> Release:
    """The simulated release of a synthetic table with as many rows as were guessed."""
    table = synthetic_table(schema, min(plan.rows, MOST_MADE_UP), plan.k)
    alone = Schema(dict(schema.features))
    settings = plan.settings(alone)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # the report says it in large letters
        return fit_release(table, settings, schema=alone, seed=SEED, about=ABOUT)


def synthetic_table(schema: Schema, rows: int, k: int) -> pa.Table:
    """Records in k round clusters that fill what is public of each feature."""
    population = Population.assumed(rows, len(schema.kinds), k)
    chosen = public_randomness(SEED).integers(len(population.records), size=rows)
    places = (population.records[chosen] + 1) / 2
    columns = {
        name: _values(kind, places[:, index])
        for index, (name, kind) in enumerate(schema.features.items())
    }
    return pa.table(columns)


def _values(kind: Any, parts: FloatArray) -> pa.Array:
    """Values of a kind at these parts of what it can be, from 0 to 1."""
    match kind:
        case Number(is_found=True):  # nothing is public of its values
            return pa.array(1000.0**parts if kind.scale != "linear" else 100 * parts)
        case Number():
            knots = np.array(kind.ends) if kind.scale == "linear" else kind.curve.knots
            return pa.array(np.interp(parts, np.linspace(0, 1, len(knots)), knots))
        case Category() | Ordinal():
            levels = kind.levels if isinstance(kind, Category) else kind.order
            at = np.minimum((parts * len(levels)).astype(int), len(levels) - 1)
            return pa.array([levels[each] for each in at])
        case Date():
            first, last = kind.dates
            return pa.array([first + (last - first) * float(each) for each in parts])
        case Cycle():
            return pa.array(parts * kind.period)
        case Flag():
            return pa.array(parts > 0.5)
        case _:
            raise TypeError(f"no synthetic values for {type(kind).__name__}")
