"""The public facts about a table: the range of each feature, their box and the grid in it."""

from hushmeans.schema.bounds import Bounds
from hushmeans.schema.box import Box
from hushmeans.schema.grid import Grid

__all__ = ["Bounds", "Box", "Grid"]
