"""Options that several commands share, each said once."""

from __future__ import annotations

from typing import Annotated

import typer

Clusters = Annotated[int, typer.Option("--k", help="How many clusters to release.")]
Epsilon = Annotated[
    str, typer.Option(help="The privacy budget: smaller is more private and noisier.")
]
Delta = Annotated[str, typer.Option(help="Above 0: Gaussian noise.")]
Method = Annotated[
    str,
    typer.Option(help="refined, or allocation_nk (kccm), average_nk, allocation_k, average_k."),
]
MethodOption = Annotated[
    list[str] | None,
    typer.Option(help="A setting of the method, such as rounds=12, n=3 or merge=nearest."),
]
RowsPerPerson = Annotated[int, typer.Option(help="At most how many rows belong to one person.")]
