"""Which clusters may be nothing but noise: the one place that decides it."""

from __future__ import annotations

import math
from collections.abc import Sequence

CERTAIN = 3.0
"""Standard errors by which a size must exceed 0 for its cluster to count.

Noise alone exceeds that in 0.7% of empty clusters with Laplace noise, in 0.13% with Gaussian.
"""


def distinguishable(sizes: Sequence[float], errors: Sequence[float]) -> tuple[int, ...]:
    """The clusters whose size differs from 0 by more than noise; none if the total does not."""
    if sum(sizes) <= CERTAIN * math.hypot(*errors):
        return ()
    pairs = zip(sizes, errors, strict=True)
    return tuple(cluster for cluster, (size, error) in enumerate(pairs) if size > CERTAIN * error)


def indistinguishable(sizes: Sequence[float], errors: Sequence[float]) -> tuple[int, ...]:
    """The clusters whose size cannot be distinguished from 0: noise alone could explain them."""
    real = set(distinguishable(sizes, errors))
    return tuple(cluster for cluster in range(len(sizes)) if cluster not in real)
