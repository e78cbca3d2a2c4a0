"""What may be asked of the records, and how far one record can move the exact answer.

A question is public: it is made of noisy answers to earlier questions and of the caller's
settings, never of records. Its answer is a sum over records of a bounded integer contribution.
"""

from hushmeans.curator.checks import Norm
from hushmeans.curator.questions.among import Among
from hushmeans.curator.questions.cells import LARGEST_CELL_COUNT, Cells, Lengths, Size, Spread
from hushmeans.curator.questions.centroids import (
    LONGEST_EDGE,
    Distances,
    Shifts,
    Sizes,
    Spreads,
    Totals,
)
from hushmeans.curator.questions.levels import Present, Profiles
from hushmeans.curator.questions.question import LARGEST_COUNT, Question, made_anew
from hushmeans.curator.questions.ranging import Histograms

__all__ = [
    "LARGEST_CELL_COUNT",
    "LARGEST_COUNT",
    "LONGEST_EDGE",
    "Among",
    "Cells",
    "Distances",
    "Histograms",
    "Lengths",
    "Norm",
    "Present",
    "Profiles",
    "Question",
    "Shifts",
    "Size",
    "Sizes",
    "Spread",
    "Spreads",
    "Totals",
    "made_anew",
]
