"""Target scores on the paper's datasets, and what others report there.

NICV at epsilon 0.2 and 1, with the paper's number of clusters and published ranges as bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TARGET_EPSILONS = (0.2, 1.0)
TARGET_DATASETS = ("blood", "adult", "tripadvisor", "electrical", "ratings", "credit")
APPROXIMATE = 1e-6
"""The delta of the targets that are not for pure epsilon."""

ReportedValues = tuple[tuple[float, float], ...]
"""A pair per dataset: at epsilon 0.2 and at 1."""

TARGETS: Mapping[float, ReportedValues] = {
    0.0: ((0.50, 0.39), (0.38, 0.38), (0.88, 0.74), (1.804, 1.791), (2.42, 2.28), (0.80, 0.776)),
    APPROXIMATE: (
        (0.51, 0.38),
        (0.377, 0.376),
        (0.81, 0.725),
        (1.798, 1.790),
        (2.32, 2.265),
        (0.79, 0.782),
    ),
}
"""By delta."""


@dataclass(frozen=True)
class Quoted:
    """A peer's NICV as measured elsewhere, from a few runs each.

    Attributes
    ----------
    promise
        What it claims to keep.
    """

    method: str
    promise: str
    values: ReportedValues


QUOTED = (
    Quoted(
        "diffprivlib 0.6.6",
        "claims ε",
        (
            (1.195, 0.714),
            (0.526, 0.463),
            (1.485, 1.002),
            (1.921, 1.803),
            (2.916, 2.514),
            (1.292, 1.193),
        ),
    ),
    Quoted(
        "DPLloyd (Su et al.), few rounds",
        "ε",
        (
            (0.779, 0.557),
            (0.491, 0.437),
            (1.086, 0.873),
            (1.813, 1.796),
            (2.654, 2.441),
            (1.242, 1.165),
        ),
    ),
    Quoted(
        "FastLloyd, Laplace",
        "ε",
        (
            (0.922, 0.561),
            (0.493, 0.428),
            (1.300, 0.909),
            (1.865, 1.797),
            (2.879, 2.493),
            (1.273, 1.179),
        ),
    ),
    Quoted(
        "FastLloyd, Gaussian",
        "ε, δ = 1/(N ln N)",
        (
            (0.613, 0.516),
            (0.455, 0.412),
            (0.919, 0.806),
            (1.797, 1.796),
            (2.465, 2.404),
            (1.176, 1.100),
        ),
    ),
    Quoted(
        "Google LSH clustering",
        "ε, δ = 1e-6",
        (
            (1.236, 0.793),
            (0.495, 0.434),
            (1.269, 0.875),
            (1.824, 1.825),
            (2.585, 2.459),
            (0.989, 0.885),
        ),
    ),
    Quoted(
        "PE-means",
        "ε, δ = N^-1.1",
        (
            (0.617, 0.501),
            (0.429, 0.407),
            (0.945, 0.805),
            (1.824, 1.805),
            (2.644, 2.601),
            (0.892, 0.852),
        ),
    ),
)


def reported_value(values: ReportedValues, dataset: str, epsilon: float) -> float | None:
    """The value for a dataset and an epsilon; None where there is none.

    Examples
    --------
    >>> reported_value(TARGETS[0.0], "blood", 1.0)
    0.39
    """
    if dataset not in TARGET_DATASETS or epsilon not in TARGET_EPSILONS:
        return None
    return values[TARGET_DATASETS.index(dataset)][TARGET_EPSILONS.index(epsilon)]


@dataclass(frozen=True)
class TargetResult:
    """A mean compared with its target.

    Attributes
    ----------
    gap
        The mean less the target, relative to the target: below zero is better than wanted.
    error
        The standard error of the gap.
    """

    target: float
    gap: float
    error: float

    @property
    def hit(self) -> bool:
        return self.gap <= 0

    def __str__(self) -> str:
        """Such as "missed by 3.2 ± 0.4 %"; the standard error tells luck from merit."""
        word = "hit" if self.hit else "missed"
        return f"{word} by {100 * abs(self.gap):.1f} ± {100 * self.error:.1f} %"


def against_target(
    dataset: str, epsilon: float, delta: float, mean: float, error: float
) -> TargetResult | None:
    """A mean compared with its target; None where there is no target.

    Examples
    --------
    >>> str(against_target("adult", 0.2, 0.0, 0.399, 0.001))
    'missed by 5.0 ± 0.3 %'
    """
    target = reported_value(TARGETS[delta], dataset, epsilon) if delta in TARGETS else None
    return None if target is None else TargetResult(target, mean / target - 1, error / target)
