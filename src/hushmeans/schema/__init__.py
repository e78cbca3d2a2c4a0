"""The public facts about a table: where it is, the range of each feature, their box and grid."""

from hushmeans.schema.bounds import Bounds
from hushmeans.schema.box import Box
from hushmeans.schema.grid import Grid
from hushmeans.schema.layout import Block, Layout
from hushmeans.schema.places import CSV, SQL

__all__ = ["CSV", "SQL", "Block", "Bounds", "Box", "Grid", "Layout"]
