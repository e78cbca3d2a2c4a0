"""The layout of the unit box: which columns of an encoded record make up which feature."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from hushmeans.schema.grid import ABSENT

BlockKind = Literal["number", "flag", "category", "cycle"]


@dataclass(frozen=True)
class Block:
    """The neighbouring columns of an encoded record that come from one feature.

    Attributes
    ----------
    kind
        "number": one column with any value between `low` and `high` (numbers, dates, ordinals).
        "flag": one column that is either `low` or `high`.
        "category": one column per level, of which exactly one is `high` and the others are 0.
        "cycle": two columns, a point on a circle of radius `high` around 0.
    first, width
        The first column, and the number of columns.
    low, high
        The ends of what a column can hold, in the unit box.
    hole
        What every column holds where the value is missing, and no present value leaves there:
        `ABSENT` where missing values are ignored, 0 where they count as the middle. None where
        a missing value cannot be told from others.
    has_levels
        Whether a number is one of a few levels, as those of ordinals are: then its range is not
        wider than its values.
    """

    kind: BlockKind
    first: int
    width: int = 1
    low: float = -1.0
    high: float = 1.0
    hole: int | None = None
    has_levels: bool = False

    @property
    def columns(self) -> slice:
        """Where the columns are."""
        return slice(self.first, self.first + self.width)

    @property
    def ignores_missing(self) -> bool:
        """Whether a missing value adds nothing to distances and shifts."""
        return self.hole == ABSENT


@dataclass(frozen=True)
class Layout:
    """The blocks of all features, in the order of their columns."""

    blocks: tuple[Block, ...]

    @classmethod
    def of_numbers(cls, n_columns: int) -> Layout:
        """Numbers alone, each with its whole range."""
        return cls(tuple(Block("number", column) for column in range(n_columns)))

    @property
    def n_columns(self) -> int:
        return sum(block.width for block in self.blocks)

    def of_kind(self, kind: BlockKind) -> tuple[Block, ...]:
        """The blocks of one kind."""
        return tuple(block for block in self.blocks if block.kind == kind)

    @property
    def n_directions(self) -> int:
        """About how many directions records spread in: a category counts as at most four."""
        return sum(min(block.width, 4) for block in self.blocks)

    @property
    def may_be_missing(self) -> tuple[Block, ...]:
        """The features whose missing values can be counted."""
        return tuple(block for block in self.blocks if block.hole is not None)

    @property
    def has_holes(self) -> bool:
        """Whether records may have holes: missing values that are to be ignored."""
        return any(block.ignores_missing for block in self.blocks)

    @property
    def is_numeric(self) -> bool:
        """Whether all features are numbers with the whole range, and none ignores what is missing.

        Methods then do exactly what they do without a layout.
        """
        if self.has_holes:
            return False
        blocks = tuple(replace(block, hole=None) for block in self.blocks)
        return blocks == Layout.of_numbers(self.n_columns).blocks
