"""From the words of a command line to a plan, the data and the peers it needs, and its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import typer

from hushmeans.arguments import exact_amount, whole_number
from hushmeans.errors import InputError
from hushmeans_experiments.comparison import COMPARED_METHODS, ComparisonPlan, own_number
from hushmeans_experiments.datasets import (
    DATASETS,
    Dataset,
    chosen_datasets,
    data_folder,
    load_dataset,
)
from hushmeans_experiments.download import fetch_dataset
from hushmeans_experiments.experiment import perform, progress_bar
from hushmeans_experiments.families import FAMILIES
from hushmeans_experiments.materials import Materials
from hushmeans_experiments.peers import PEERS, PeerError, environment
from hushmeans_experiments.protocol import chosen_figures
from hushmeans_experiments.reproduction import ReproductionPlan
from hushmeans_experiments.workshop import Workshop


def reproduction_plan(
    *, datasets: str, figures: str, runs: int, ablation_runs: int
) -> ReproductionPlan:
    """What the options of `reproduce` ask for."""
    chosen = chosen_datasets(_words(datasets) or [""])
    return ReproductionPlan(
        chosen_figures(figures, chosen),
        whole_number("runs", runs),
        whole_number("ablation-runs", ablation_runs, at_least=0),
    )


def run_reproduction(
    plan: ReproductionPlan, out: Path, *, jobs: int | None, synthetic: bool, as_json: bool
) -> None:
    """Reproduce the paper and print the results."""
    jobs = _checked_jobs(jobs)
    materials = Materials(None if synthetic else found_data(plan.datasets))
    perform(plan, Workshop(out, materials), jobs=jobs, as_json=as_json)


def comparison_plan(
    *,
    datasets: str = ",".join(DATASETS),
    families: bool = False,
    methods: str = ",".join(COMPARED_METHODS),
    epsilons: str = "0.2,1",
    delta: str = "0",
    clusters: str = "",
    runs: int = 30,
) -> ComparisonPlan:
    """What the options of `compare` ask for; the peers come later."""
    names = _words(datasets) + [each.name for each in FAMILIES if families]
    for name in names:
        own_number(name)
    amounts = tuple(float(exact_amount("an epsilon", word)) for word in _words(epsilons))
    if any(amount <= 0 for amount in amounts):
        raise InputError(f"epsilons are {epsilons!r}; they must be above 0")
    chance = float(exact_amount("delta", delta))
    if not 0 <= chance < 1:
        raise InputError(f"delta is {delta}; it must be at least 0 and below 1")
    return ComparisonPlan(
        dataset_names=tuple(dict.fromkeys(names)),
        methods=tuple(_words(methods)),
        epsilons=amounts,
        delta=chance,
        cluster_numbers=tuple(_whole("a number of clusters", word) for word in _words(clusters)),
        runs=whole_number("runs", runs),
    )


def run_comparison(
    plan: ComparisonPlan,
    out: Path,
    *,
    jobs: int | None = None,
    peers: bool = True,
    synthetic: bool = False,
    as_json: bool = False,
) -> None:
    """Compare the methods, with the peers that can be installed, and print the results."""
    jobs = _checked_jobs(jobs)
    datasets = chosen_datasets([name for name in plan.dataset_names if name in DATASETS])
    data = None if synthetic or not datasets else found_data(datasets)
    pythons = _peer_pythons() if peers else {}
    plan = replace(plan, peers=tuple(pythons))
    workshop = Workshop(out, Materials(data, tuple(pythons.items())))
    perform(plan, workshop, jobs=jobs, as_json=as_json)


def found_data(datasets: Sequence[Dataset]) -> Path:
    """A folder that has all the datasets, checked; downloaded if they are nowhere."""
    folder = data_folder()
    if folder is None:
        folder = Path(typer.get_app_dir("hushmeans")) / "data"
        with progress_bar("Downloading", len(datasets)) as advance:
            for dataset in datasets:
                fetch_dataset(dataset, folder)
                advance()
    for dataset in datasets:
        load_dataset(dataset, folder)
    return folder


def _peer_pythons() -> Mapping[str, Path]:
    """The Python of every peer that can be installed; for the others, the reason is printed."""
    folder = Path(typer.get_app_dir("hushmeans")) / "peers"
    found = {}
    for label, peer in PEERS.items():
        try:
            found[label] = environment(peer, folder)
        except PeerError as error:
            typer.echo(
                f"hushmeans: warning: {error}; its published scores are quoted instead "
                "(--no-peers skips the installation)",
                err=True,
            )
    return found


def _checked_jobs(jobs: int | None) -> int | None:
    return None if jobs is None else whole_number("jobs", jobs)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")] if text else []


def _whole(name: str, word: str) -> int:
    try:
        return whole_number(name, int(word))
    except ValueError:
        raise InputError(f"{name} is {word!r}; it must be a whole number, 1 or more") from None
