"""What is public about a table: the range of every feature, the box they span, the grid in it."""

from hushmeans.schema.bounds import Bounds
from hushmeans.schema.box import Box
from hushmeans.schema.grid import Grid

__all__ = ["Bounds", "Box", "Grid"]
