"""The commands `reproduce` and `compare`, offered to `hushmeans` by entry point."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushmeans.commands import options


def reproduce(
    out: Annotated[Path, typer.Option(help="The folder for results; it can be continued.")] = Path(
        "reproduction"
    ),
    runs: Annotated[int, typer.Option(help="Runs per point of a curve.")] = 1000,
    ablation_runs: Annotated[
        int, typer.Option(help="Runs per point of the ablations; 0 for none.")
    ] = 200,
    quick: Annotated[
        bool, typer.Option("--quick", help="60 runs a point, no ablations: about two minutes.")
    ] = False,
    datasets: Annotated[
        str, typer.Option(help="Which datasets, separated by commas.")
    ] = "blood,adult,tripadvisor,electrical,ratings,credit",
    figures: Annotated[str, typer.Option(help="Which figures, such as 1-6,8.")] = "1-12",
    jobs: Annotated[
        int | None, typer.Option(help="Processes to use; all processors if not given.")
    ] = None,
    synthetic: Annotated[
        bool, typer.Option("--synthetic", help="Use made-up stand-ins for the datasets.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
) -> None:
    """Run the paper's experiments and say which of its observations hold.

    Stopped or killed, it continues where it was when called again with the same folder.
    """
    from hushmeans.arguments import whole_number
    from hushmeans_experiments import commands

    request = commands.request(
        datasets=datasets,
        figures=figures,
        runs=60 if quick else whole_number("runs", runs),
        ablation_runs=0 if quick else whole_number("ablation-runs", ablation_runs, at_least=0),
    )
    jobs = None if jobs is None else whole_number("jobs", jobs)
    commands.reproduce(request, out, jobs, synthetic=synthetic, as_json=json)


def compare(
    out: Annotated[Path, typer.Option(help="The folder for results; it can be continued.")] = Path(
        "comparison"
    ),
    runs: Annotated[int, typer.Option(help="Runs per cell.")] = 30,
    datasets: Annotated[
        str,
        typer.Option(help="Datasets, separated by commas: the paper's, iris, s-style-1, ..."),
    ] = "blood,adult,tripadvisor,electrical,ratings,credit",
    families: Annotated[
        bool, typer.Option("--families", help="Also scikit-learn's datasets and made-up ones.")
    ] = False,
    methods: Annotated[
        str, typer.Option(help="Methods, separated by commas; targets are held to the first.")
    ] = "refined,allocation_nk,average_k",
    epsilons: Annotated[str, typer.Option(help="Privacy budgets, separated by commas.")] = "0.2,1",
    delta: options.Delta = "0",
    k: Annotated[
        str, typer.Option("--k", help="Numbers of clusters; each dataset's own if not given.")
    ] = "",
    peers: Annotated[bool, typer.Option(help="Install other packages apart and run them.")] = True,
    jobs: Annotated[
        int | None, typer.Option(help="Processes to use; all processors if not given.")
    ] = None,
    synthetic: Annotated[
        bool, typer.Option("--synthetic", help="Use made-up stand-ins for the paper's datasets.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Compare our methods with others and with k-means without privacy, and draw the result.

    Stopped or killed, it continues where it was when called again with the same folder.
    """
    from hushmeans.arguments import whole_number
    from hushmeans_experiments import compare_command

    wanted = compare_command.request(
        datasets=datasets,
        families=families,
        methods=methods,
        epsilons=epsilons,
        delta=delta,
        clusters=k,
        runs=runs,
    )
    jobs = None if jobs is None else whole_number("jobs", jobs)
    compare_command.compare(wanted, out, jobs=jobs, peers=peers, synthetic=synthetic, as_json=json)
