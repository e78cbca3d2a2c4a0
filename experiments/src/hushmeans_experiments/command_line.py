"""The commands `reproduce` and `compare`, offered to `hushmeans` by entry point.

`hushmeans --help` imports this module: whatever takes long to import is imported in the functions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushmeans.commands import options

ResultsFolder = Annotated[
    Path, typer.Option("--out", help="Folder for the results; an interrupted run resumes there.")
]
Jobs = Annotated[
    int | None, typer.Option(help="Number of processes. By default, one per processor.")
]
Synthetic = Annotated[
    bool,
    typer.Option("--synthetic", help="Use synthetic stand-ins instead of the paper's datasets."),
]


def reproduce(
    out: ResultsFolder = Path("reproduction"),
    runs: Annotated[int, typer.Option(help="Runs per point of a curve.")] = 1000,
    ablation_runs: Annotated[
        int, typer.Option(help="Runs per point of the ablations; 0 skips them.")
    ] = 200,
    quick: Annotated[
        bool, typer.Option("--quick", help="60 runs per point, no ablations: about two minutes.")
    ] = False,
    datasets: Annotated[
        str, typer.Option(help="Datasets, separated by commas.")
    ] = "blood,adult,tripadvisor,electrical,ratings,credit",
    figures: Annotated[str, typer.Option(help="Figures, such as 1-6,8.")] = "1-12",
    jobs: Jobs = None,
    synthetic: Synthetic = False,
    json: options.AsJson = False,
) -> None:
    """Repeat the experiments of the DP-KCCM paper and test its observations.

    An interrupted run continues if the command is repeated with the same folder.
    """
    from hushmeans_experiments import commands

    plan = commands.reproduction_plan(
        datasets=datasets,
        figures=figures,
        runs=60 if quick else runs,
        ablation_runs=0 if quick else ablation_runs,
    )
    commands.run_reproduction(plan, out, jobs=jobs, synthetic=synthetic, as_json=json)


def compare(
    out: ResultsFolder = Path("comparison"),
    runs: Annotated[int, typer.Option(help="Runs per cell.")] = 30,
    datasets: Annotated[
        str,
        typer.Option(help="Datasets, separated by commas: the paper's, iris, s-style-1, ..."),
    ] = "blood,adult,tripadvisor,electrical,ratings,credit",
    families: Annotated[
        bool,
        typer.Option("--families", help="Add scikit-learn's datasets and synthetic ones."),
    ] = False,
    methods: Annotated[
        str, typer.Option(help="Methods, separated by commas; targets apply to the first.")
    ] = "refined,allocation_nk,average_k",
    epsilons: Annotated[str, typer.Option(help="Privacy budgets, separated by commas.")] = "0.2,1",
    delta: options.Delta = "0",
    k: Annotated[
        str,
        typer.Option(
            "--k", help="Numbers of clusters, separated by commas. By default, each dataset's own."
        ),
    ] = "",
    peers: Annotated[
        bool, typer.Option(help="Install other packages in their own environments and run them.")
    ] = True,
    jobs: Jobs = None,
    synthetic: Synthetic = False,
    json: options.AsJson = False,
) -> None:
    """Compare methods for private k-means with each other and with k-means without privacy.

    An interrupted run continues if the command is repeated with the same folder.
    """
    from hushmeans_experiments import commands

    plan = commands.comparison_plan(
        datasets=datasets,
        families=families,
        methods=methods,
        epsilons=epsilons,
        delta=delta,
        clusters=k,
        runs=runs,
    )
    commands.run_comparison(plan, out, jobs=jobs, peers=peers, synthetic=synthetic, as_json=json)
