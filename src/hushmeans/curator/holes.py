"""Missing values that are to be ignored: holes, which are filled before a question is answered.

A hole is filled from the question's own public points: with the value of the point that is nearest
in all other columns. Then it adds nothing to the distance from that point, and nothing to a shift.
Proof: ``proofs/holes.md``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushmeans.curator.questions import Cells, Histograms, Question, Size
from hushmeans.curator.questions.levels import Present, Profiles
from hushmeans.types import IntArray

READ_AS_THEY_ARE: tuple[type[Question], ...] = (Size, Profiles, Present, Histograms)
"""Questions whose kernels read holes as they are, or, as histograms do, values without holes."""


def filling_points(question: Question) -> IntArray | None:
    """The public points that fill the holes; None if holes are left to the question's kernel.

    Cells have no centroids: in each column the middle one of the borders stands in, 0 if there
    are none.
    """
    if isinstance(question, READ_AS_THEY_ARE):
        return None
    if isinstance(question, Cells):
        middle = [each[len(each) // 2] if each else 0 for each in question.borders]
        return np.array([middle], dtype=np.int64)
    about: Any = question
    points: IntArray = about.centre if hasattr(about, "centre") else about.centroids
    return points
