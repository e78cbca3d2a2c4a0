"""What was measured for each cell of a comparison: means, standard errors, budget spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from hushmeans_experiments.baselines import NOT_PRIVATE, ONE_POINT
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.peers import PEERS
from hushmeans_experiments.targets import TargetResult, against_target


@dataclass(frozen=True)
class CellResult:
    """A cell with what was measured there.

    Attributes
    ----------
    nicv_error, nicv_squared_error
        Standard errors of the means; 0 for the references, which have nothing random.
    ratio
        The mean NICV over that of k-means without privacy.
    spent, spent_as_declared
        The epsilon that the noise amounts to: for one record added or removed, and with the
        method's own idea of sensitivity. Ours are checked in every fit and equal the claim.
    """

    dataset: str
    n_clusters: int
    method: str
    epsilon: float
    delta: float
    runs: int
    nicv: float
    nicv_error: float
    nicv_squared: float
    nicv_squared_error: float
    ratio: float
    spent: float | None
    spent_as_declared: float | None

    @property
    def is_ours(self) -> bool:
        return self.method not in (*PEERS, NOT_PRIVATE, ONE_POINT)

    @property
    def against_target(self) -> TargetResult | None:
        """The mean compared with its target, which only our methods have, at the paper's k."""
        known = DATASETS.get(self.dataset)
        if known is None or known.n_clusters != self.n_clusters or not self.is_ours:
            return None
        return against_target(self.dataset, self.epsilon, self.delta, self.nicv, self.nicv_error)


def summed_up(rows: pa.Table) -> list[CellResult]:
    """A result for every cell, in the order of the rows."""
    groups: dict[tuple[str, int, str, float, float], list[dict[str, float]]] = {}
    for row in rows.to_pylist():
        key = (row["dataset"], row["n_clusters"], row["method"], row["epsilon"], row["delta"])
        groups.setdefault(key, []).append(row)
    plain = {key[:2]: found[0]["nicv"] for key, found in groups.items() if key[2] == NOT_PRIVATE}
    results = []
    for (dataset, k, method, epsilon, delta), found in groups.items():
        nicv, nicv_error = _mean([row["nicv"] for row in found])
        squared, squared_error = _mean([row["nicv_squared"] for row in found])
        spents = [row["spent"] for row in found if row["spent"] is not None]
        declared = [row["spent_as_declared"] for row in found if row["spent"] is not None]
        results.append(
            CellResult(
                dataset=dataset,
                n_clusters=k,
                method=method,
                epsilon=epsilon,
                delta=delta,
                runs=len(found),
                nicv=nicv,
                nicv_error=nicv_error,
                nicv_squared=squared,
                nicv_squared_error=squared_error,
                ratio=nicv / plain[dataset, k] if plain[dataset, k] else float("nan"),
                spent=max(spents, default=None),
                spent_as_declared=max(declared, default=None),
            )
        )
    return results


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    array = np.array(values)
    error = array.std(ddof=1) / len(array) ** 0.5 if len(array) > 1 else 0.0
    return float(array.mean()), float(error)
