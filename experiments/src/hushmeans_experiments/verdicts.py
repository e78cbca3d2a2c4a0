"""The paper's observations, each put to the test on each dataset. No softening.

An observation says that some difference of scores is below zero. The difference is taken start by
start; the observation holds on a dataset where the 95 % interval of its mean lies below zero,
fails where it lies above, and is undecided where it contains zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from scipy import stats

from hushmeans.methods.merge import RULES
from hushmeans.methods.paper import PAPER_METHODS
from hushmeans.types import FloatArray
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.protocol import CLUSTER_NUMBERS, EPSILONS
from hushmeans_experiments.runs import UNMERGED
from hushmeans_experiments.summary import MeanInterval, interval

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"

ALL = "all six"
"""The place of a verdict that compares datasets with each other."""


@dataclass(frozen=True)
class ClaimVerdict:
    """What became of one observation on one dataset under one merging rule.

    Attributes
    ----------
    claim
        The number of the observation in `CLAIMS`.
    difference
        What the claim says is below zero.
    note
        What the difference is about, where the claim has several.
    """

    claim: int
    merge: str
    dataset: str
    difference: MeanInterval
    verdict: str
    note: str = ""


class Scores:
    """The mean score of each start, by dataset, method, merging rule, k and epsilon."""

    def __init__(self, starts: pa.Table) -> None:
        self._values: dict[tuple[str, str, str, int, float], list[float]] = {}
        for row in starts.to_pylist():
            key = (row["dataset"], row["method"], row["merge"], row["n_clusters"], row["epsilon"])
            self._values.setdefault(key, []).append(row["nicv"])

    def curve(self, case: Case, method: str) -> FloatArray:
        """One row per point of the case's axis, one column per start."""
        rule = case.merge if method.endswith("nk") else UNMERGED
        rows = [self._values[case.dataset, method, rule, *point] for point in case.points]
        return np.array(rows)

    def has(self, case: Case) -> bool:
        keys = ((case.dataset, "average_k", UNMERGED, *point) for point in case.points)
        return all(key in self._values for key in keys)


@dataclass(frozen=True)
class Case:
    """A dataset, a merging rule, and the points (k, epsilon) of a figure."""

    dataset: str
    merge: str
    axis: str

    @property
    def points(self) -> list[tuple[int, float]]:
        dataset = DATASETS[self.dataset]
        if self.axis == "epsilon":
            return [(dataset.n_clusters, epsilon) for epsilon in EPSILONS]
        return [(n_clusters, dataset.epsilon) for n_clusters in CLUSTER_NUMBERS]


Finding = tuple[MeanInterval, str]


def better(first: str, second: str) -> Callable[[Scores, Case], Finding]:
    """The test that one method scores lower than another, on average over the figure's points."""

    def test(scores: Scores, case: Case) -> Finding:
        gap = scores.curve(case, first) - scores.curve(case, second)
        return interval(gap.mean(axis=0)), ""

    return test


def improves(scores: Scores, case: Case) -> Finding:
    """Each method scores lower at the largest epsilon than at the smallest; the weakest counts."""
    findings = []
    for method in PAPER_METHODS:
        curve = scores.curve(case, method)
        findings.append((interval(curve[-1] - curve[0]), method))
    return _weakest(findings)


def ranks(scores: Scores, case: Case) -> Finding:
    """The order of the four methods; the weakest of its three links counts."""
    return _weakest(
        [
            (better(first, second)(scores, case)[0], f"{first} against {second}")
            for first, second in pairwise(RANKING)
        ]
    )


def peaks(scores: Scores, case: Case) -> Finding:
    """One k gains most from merging and allocation: chosen on half the starts, tested on the rest.

    That k must gain at all, and the runner-up must gain less; the weaker of the two counts.
    """
    gains = scores.curve(case, "average_k") - scores.curve(case, "allocation_nk")
    half = gains.shape[1] // 2
    order = np.argsort(gains[:, :half].mean(axis=1)) if half else np.argsort(gains.mean(axis=1))
    best, runner_up = int(order[-1]), int(order[-2])
    note = f"k = {case.points[best][0]}, the paper uses {DATASETS[case.dataset].n_clusters}"
    loses, less = -gains[best][half:], (gains[runner_up] - gains[best])[half:]
    return _weakest([(interval(loses), f"{note}; gain"), (interval(less), f"{note}; lead")])


@dataclass(frozen=True)
class Claim:
    """One of the paper's observations, and the test it is put to."""

    number: int
    axis: str
    text: str
    test: Callable[[Scores, Case], Finding]


RANKING = ("allocation_nk", "average_nk", "average_k", "allocation_k")

CLAIMS: Sequence[Claim] = (
    Claim(
        1,
        "epsilon",
        "Without merging, equal shares beat growing shares: average_k below allocation_k.",
        better("average_k", "allocation_k"),
    ),
    Claim(
        2,
        "epsilon",
        "Merging helps: average_nk below average_k.",
        better("average_nk", "average_k"),
    ),
    Claim(
        3,
        "epsilon",
        "With merging, growing shares help: allocation_nk below average_nk.",
        better("allocation_nk", "average_nk"),
    ),
    Claim(4, "epsilon", "Every method improves as epsilon grows from 0.2 to 1.", improves),
    Claim(
        6,
        "n_clusters",
        "For every k the order is allocation_nk, average_nk, average_k, allocation_k.",
        ranks,
    ),
    Claim(
        7,
        "n_clusters",
        "One k gains most from merging and growing shares: its loss (minus the gain), and the "
        "runner-up's gain less its own, are below zero.",
        peaks,
    ),
)

DIMENSION_CLAIM = 5
DIMENSION_TEXT = (
    "The gain of allocation_nk over average_k does not depend on the number of features: the rank "
    "correlation of the two over the datasets, which six datasets can refute but not prove."
)


def judge(starts: pa.Table) -> list[ClaimVerdict]:
    """All verdicts that the runs allow."""
    scores = Scores(starts)
    verdicts = []
    for merge in RULES:
        for claim in CLAIMS:
            for dataset in DATASETS:
                case = Case(dataset, merge, claim.axis)
                if scores.has(case):
                    difference, note = claim.test(scores, case)
                    verdicts.append(
                        ClaimVerdict(
                            claim.number, merge, dataset, difference, decide(difference), note
                        )
                    )
        verdicts.extend(_dimension_verdict(scores, merge))
    return sorted(verdicts, key=lambda verdict: verdict.claim)


def decide(difference: MeanInterval) -> str:
    """Below zero, above zero, or neither for sure; a single start is sure of nothing."""
    if difference.low == difference.high:
        return UNDECIDED
    if difference.high < 0:
        return HOLDS
    return FAILS if difference.low > 0 else UNDECIDED


def overall(verdicts: Sequence[ClaimVerdict]) -> str:
    """The paper speaks of all cases: one failure fails it."""
    found = {verdict.verdict for verdict in verdicts} or {UNDECIDED}
    if FAILS in found:
        return FAILS
    return UNDECIDED if UNDECIDED in found else HOLDS


def claim_texts() -> dict[int, str]:
    """The observations by their numbers."""
    texts = {claim.number: claim.text for claim in CLAIMS}
    return dict(sorted({**texts, DIMENSION_CLAIM: DIMENSION_TEXT}.items()))


def _dimension_verdict(scores: Scores, merge: str) -> list[ClaimVerdict]:
    cases = [Case(dataset, merge, "epsilon") for dataset in DATASETS]
    if not all(scores.has(case) for case in cases):
        return []
    gains = []
    for case in cases:
        plain = scores.curve(case, "average_k")
        gains.append(float(1 - (scores.curve(case, "allocation_nk") / plain).mean()))
    n_features = [DATASETS[case.dataset].n_features for case in cases]
    correlation = float(stats.spearmanr(n_features, gains).statistic)
    centre, reach = np.arctanh(correlation * 0.999), 1.96 / np.sqrt(len(cases) - 3)
    low, high = float(np.tanh(centre - reach)), float(np.tanh(centre + reach))
    verdict = UNDECIDED if low < 0 < high else FAILS
    gained = ", ".join(
        f"{case.dataset} {100 * gain:+.0f} %" for case, gain in zip(cases, gains, strict=True)
    )
    note = f"gain: {gained}"
    return [
        ClaimVerdict(
            DIMENSION_CLAIM, merge, ALL, MeanInterval(correlation, low, high), verdict, note
        )
    ]


def _weakest(findings: Sequence[Finding]) -> Finding:
    """A failure for sure counts before anything undecided."""
    return max(findings, key=lambda finding: (finding[0].low > 0, finding[0].high))
