"""Synthetic records: clusters of normal distributions."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from hushmeans.types import IntArray

Float = TypeVar("Float", np.float32, np.float64)


def scattered(
    generator: np.random.Generator,
    centres: np.ndarray[Any, np.dtype[Float]],
    widths: Any,
    labels: IntArray,
) -> np.ndarray[Any, np.dtype[Float]]:
    """A record for each label, normally distributed about the centre of that cluster.

    Parameters
    ----------
    centres
        One row per cluster; the records have the same dtype.
    widths
        Standard deviations, of a shape that broadcasts to that of the records.

    Examples
    --------
    >>> centres = np.array([[1.0, 2.0], [5.0, 6.0]])
    >>> scattered(np.random.default_rng(0), centres, 0.1, np.array([0, 1])).round(1)
    array([[1. , 2. ],
           [5.1, 6. ]])
    """
    shape = (len(labels), centres.shape[1])
    records: Any = generator.standard_normal(shape, dtype=centres.dtype.type)
    records *= widths
    records += centres[labels]
    return records  # type: ignore[no-any-return]
