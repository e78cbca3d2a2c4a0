"""Runs a peer in the peer's own environment: a script that knows nothing of hushmeans.

It reads settings as JSON from its standard input and answers with JSON on its standard output:
the centres of every run, and what noise the first run drew.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from typing import Any

import numpy as np

Round = dict[str, Any]


def watched(module: Any, n_features: int) -> list[Round]:
    """What diffprivlib's k-means draws from now on: a list that fills, an entry a round.

    A round makes one mechanism for sizes, then one for every feature of every cluster that is
    not empty. Each is noted as made: epsilon and sensitivity, and for sums the scale and the
    width of the range that the noisy sum may take.
    """
    rounds: list[Round] = []
    sizes, sums = module.GeometricFolded, module.LaplaceBoundedDomain

    class Sizes(sizes):  # type: ignore[misc,valid-type]
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            size = [float(self.epsilon), float(self.sensitivity)]
            rounds.append({"n_features": n_features, "size": size, "sums": []})

    class Sums(sums):  # type: ignore[misc,valid-type]
        def randomise(self, value: Any) -> Any:
            noisy = super().randomise(value)
            noted = (self.epsilon, self.sensitivity, self._scale, self.upper - self.lower)
            rounds[-1]["sums"].append([float(number) for number in noted])
            return noisy

    module.GeometricFolded, module.LaplaceBoundedDomain = Sizes, Sums
    return rounds


def run_peer(settings: dict[str, Any]) -> dict[str, Any]:
    """The centres of every seed, and the rounds of the first."""
    points = np.load(settings["points"])
    module = importlib.import_module("diffprivlib.models.k_means")
    rounds = watched(module, points.shape[1])
    low, high = np.full(points.shape[1], -1.0), np.full(points.shape[1], 1.0)
    centres = []
    n_rounds = None
    for seed in settings["seeds"]:
        model = module.KMeans(
            settings["n_clusters"],
            epsilon=settings["epsilon"],
            bounds=(low, high),
            random_state=seed,
        )
        centres.append(np.asarray(model.fit(points).cluster_centers_).tolist())
        n_rounds = len(rounds) if n_rounds is None else n_rounds
    return {"centres": centres, "rounds": rounds[:n_rounds]}


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a peer's old habits; its errors still end the run
        sys.stdout.write(json.dumps(run_peer(json.load(sys.stdin))))
