"""Missing values that can be told from present ones: marked in a record, and filled if ignored.

A missing value that counts as the middle is 0 in every column. No present value of such a feature
is: it keeps a step off.

One that is to be ignored is a hole, which is filled before a question is answered, from the
question's own public points: with the value of the point that is nearest in all other columns.
Then it adds nothing to the distance from that point, and nothing to a shift.
Proof: ``proofs/holes.md``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushmeans.curator.questions import Cells, Histograms, Question, Size
from hushmeans.curator.questions.levels import Present, Profiles
from hushmeans.schema import Block
from hushmeans.schema.grid import ABSENT
from hushmeans.types import BoolArray, GridArray, IntArray

READ_AS_THEY_ARE: tuple[type[Question], ...] = (Size, Profiles, Present, Histograms)
"""Questions whose kernels read holes as they are, or, as histograms do, values without holes."""


def mark_missing(columns: GridArray, missing: BoolArray, block: Block) -> None:
    """Make the columns of a feature, encoded, show where its value is missing.

    A step of the grid is a millionth of half a range.
    """
    if block.ignores_missing:
        columns[missing] = ABSENT
    elif block.hole is not None:
        columns[~missing & (columns == block.hole).all(axis=1), 0] += 1


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
