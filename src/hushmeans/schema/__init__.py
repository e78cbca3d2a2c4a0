"""The public facts about a table: where it is, its features and their kinds, box and grid."""

from hushmeans.schema.bounds import Bounds, declared_schema, schema_of
from hushmeans.schema.box import Axes, Box
from hushmeans.schema.contributions import Contribution, contributions
from hushmeans.schema.draft import draft
from hushmeans.schema.feature_kind import FeatureKind
from hushmeans.schema.grid import Grid
from hushmeans.schema.kinds import Category, Cycle, Date, Flag, Number, Ordinal
from hushmeans.schema.layout import Block, Layout
from hushmeans.schema.places import CSV, SQL
from hushmeans.schema.schema import Schema

__all__ = [
    "CSV",
    "SQL",
    "Axes",
    "Block",
    "Bounds",
    "Box",
    "Category",
    "Contribution",
    "Cycle",
    "Date",
    "FeatureKind",
    "Flag",
    "Grid",
    "Layout",
    "Number",
    "Ordinal",
    "Schema",
    "contributions",
    "declared_schema",
    "draft",
    "schema_of",
]
