"""How good centroids are for records that are encoded already. NOT PRIVATE."""

from __future__ import annotations

from hushmeans.curator.owner import encoded_squares
from hushmeans.evaluate import Score
from hushmeans.schema import Grid
from hushmeans.types import FloatArray, GridArray


def score_encoded(records: GridArray, grid: Grid, centroids: FloatArray) -> Score:
    """Both scores, for encoded records and centroids in the unit box."""
    return Score.of(encoded_squares(records, grid, centroids))
