"""What a benchmark found: a table with a sentence, for the terminal and for the docs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Section:
    """A heading, a sentence on how to read it, and a table of text."""

    title: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def show(self) -> None:
        """Print it."""
        table = Table(title=self.title, caption=self.note)
        for column in self.columns:
            table.add_column(column, justify="right")
        for row in self.rows:
            table.add_row(*row)
        Console().print(table)

    def as_markdown(self) -> str:
        """The section of a document."""
        lines = [self.columns, ["---:"] * len(self.columns), *self.rows]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"## {self.title}\n{self.note}\n\n{table}\n"
