"""The quality of a clustering. NOT PRIVATE: scores are exact functions of the records.

Use them for experiments on data that is not sensitive. Publishing a score next to a release
voids the release's privacy guarantee.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hushmeans.curator.owner import nearest_squares
from hushmeans.errors import InputError
from hushmeans.release import Release
from hushmeans.schema import Bounds
from hushmeans.types import FloatArray


@dataclass(frozen=True)
class Score:
    """The average distance from records to their nearest centres, in the unit box.

    Attributes
    ----------
    nicv
        The mean distance, as defined in the paper.
    nicv_squared
        The mean squared distance, which k-means minimises.
    """

    nicv: float
    nicv_squared: float

    @classmethod
    def of(cls, squares: FloatArray) -> Score:
        """From the squared distance of each record to its nearest centre."""
        return cls(float(np.sqrt(squares).mean()), float(squares.mean()))


def nicv(data: Any, centres: Any, bounds: Any = None) -> float:
    """Normalised intra-cluster variance as defined in the paper. NOT PRIVATE.

    This is the mean distance (not squared) from a record to its nearest centre, in the unit
    box, where every feature's range is [-1, 1].

    Parameters
    ----------
    data
        The records, in original units.
    centres
        A release, or an array of centres in original units.
    bounds
        The public range of every feature; not needed if `centres` is a release.

    Examples
    --------
    >>> round(nicv([[0.0], [2.0], [10.0]], [[1.0], [10.0]], bounds=(0, 10)), 4)
    0.1333
    """
    return _evaluate(data, centres, bounds).nicv


def nicv_squared(data: Any, centres: Any, bounds: Any = None) -> float:
    """The mean squared distance to the nearest centre, which k-means minimises. NOT PRIVATE.

    Takes the same parameters as `nicv`.

    Examples
    --------
    >>> round(nicv_squared([[0.0], [2.0], [10.0]], [[1.0], [10.0]], bounds=(0, 10)), 4)
    0.0267
    """
    return _evaluate(data, centres, bounds).nicv_squared


def _evaluate(data: Any, centres: Any, bounds: Any) -> Score:
    if isinstance(centres, Release):
        squares = nearest_squares(data, centres.box, centres.centres)
    else:
        squares = nearest_squares(data, Bounds(bounds), centres)
    if not len(squares):
        raise InputError("the data has no records; a score needs at least one")
    return Score.of(squares)
