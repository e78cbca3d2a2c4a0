"""The comparison as a command: reading its words, preparing peers, telling the outcome."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, replace
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from hushmeans.arguments import exact_amount, whole_number
from hushmeans.curator.kernel import available_threads
from hushmeans.documents import written_whole
from hushmeans.errors import InputError
from hushmeans.version import versions
from hushmeans_experiments.commands import found_data
from hushmeans_experiments.compare import METHODS, Bench, Request, Result, measure, own_number
from hushmeans_experiments.compare_page import draw, page
from hushmeans_experiments.compare_tables import Row, columns, spending, table
from hushmeans_experiments.datasets import DATASETS, chosen_datasets
from hushmeans_experiments.families import FAMILIES
from hushmeans_experiments.long_work import kept_when_stopped
from hushmeans_experiments.peers import PEERS, PeerError, environment
from hushmeans_experiments.trials import Materials


def request(
    *,
    datasets: str = ",".join(DATASETS),
    families: bool = False,
    methods: str = ",".join(METHODS),
    epsilons: str = "0.2,1",
    delta: str = "0",
    clusters: str = "",
    runs: int = 30,
) -> Request:
    """What the words of the command line ask for; the peers come later."""
    names = _words(datasets) + [each.name for each in FAMILIES if families]
    for name in names:
        own_number(name)
    amounts = tuple(float(exact_amount("an epsilon", word)) for word in _words(epsilons))
    if any(amount <= 0 for amount in amounts):
        raise InputError(f"epsilons are {epsilons!r}; they must be above 0")
    chance = float(exact_amount("delta", delta))
    if not 0 <= chance < 1:
        raise InputError(f"delta is {delta}; it must be at least 0 and below 1")
    return Request(
        datasets=tuple(dict.fromkeys(names)),
        methods=tuple(_words(methods)),
        epsilons=amounts,
        delta=chance,
        cluster_numbers=tuple(_whole("a number of clusters", word) for word in _words(clusters)),
        runs=whole_number("runs", runs),
    )


def compare(
    wanted: Request,
    out: Path,
    *,
    jobs: int | None = None,
    peers: bool = True,
    synthetic: bool = False,
    as_json: bool = False,
) -> None:
    """Run, write the page, and print what came of it."""
    started = time.monotonic()
    data = None if synthetic else _data(wanted)
    pythons = _peer_pythons() if peers else {}
    wanted = replace(wanted, peers=tuple(pythons))
    bench = Bench(out, Materials(data, tuple(pythons.items())))
    with kept_when_stopped(out):
        results = _measured(wanted, bench, jobs or available_threads())
        path = write_page(wanted, bench, results)
    if as_json:
        typer.echo(json.dumps([asdict(result) for result in results]))
        return
    show(wanted, results, Console())
    if synthetic:
        typer.echo("Made-up stand-ins: these figures are not about the paper's data.")
    minutes, seconds = divmod(round(time.monotonic() - started), 60)
    typer.echo(f"Done in {minutes} min {seconds} s. Look at {path}.")


def write_page(wanted: Request, bench: Bench, results: list[Result]) -> Path:
    """The figures and the page; the path of the page."""
    made_up = bench.materials.data is None and any(name in DATASETS for name in wanted.datasets)
    facts = {
        "runs per cell": f"{wanted.runs:,}",
        "promise": f"(ε, δ = {wanted.delta:g}), peers pure ε" if wanted.delta else "pure ε",
        "bounds": "the paper's and scikit-learn's datasets: their own smallest and largest values, "
        "which are public; made-up ones: known",
        "noise": "simulated, from seeds: reproducible and not private",
        "software": ", ".join(f"{name} {version}" for name, version in versions().items()),
    }
    if made_up:
        facts["datasets"] = "generated stand-ins for the paper's"
    drawn = draw(results, bench.out)
    path = bench.out / "index.html"
    with written_whole(path) as beside:
        beside.write_text(page(facts, results, drawn), encoding="utf-8")
    return path


def show(wanted: Request, results: list[Result], console: Console) -> None:
    """Print the means, how the targets fared, and what peers spend."""
    promise = f"δ = {wanted.delta:g}" if wanted.delta else "pure ε"
    rows = table(results)
    means = Table(title=f"NICV, {promise}, mean of {wanted.runs} runs (errors are on the page)")
    for name in ("dataset", "k", "ε", *columns(results)):
        means.add_column(name, justify="left" if name == "dataset" else "right")
    for row in rows:
        dataset, k, epsilon = row.place
        plain = [cell.partition(" ± ")[0] for cell in row.cells]
        means.add_row(dataset, str(k), f"{epsilon:g}", *plain)
    console.print(means)
    _show_targets([row for row in rows if row.mark], columns(results)[0], console)
    if spends := spending(results):
        spent = Table(*spends[0], title="What peers claim and what they spend")
        for each in spends:
            spent.add_row(*each.values())
        console.print(spent)


def _show_targets(rows: list[Row], method: str, console: Console) -> None:
    if not rows:
        return
    shown = Table("dataset", "ε", method, "target", "", "best peer", title="Against the targets")
    for row in rows:
        dataset, _, epsilon = row.place
        colour = "green" if row.mark and row.mark.hit else "red"
        reached = f"[{colour}]{row.mark}[/]"
        shown.add_row(dataset, f"{epsilon:g}", row.cells[0], row.target, reached, row.best_peer)
    console.print(shown)
    hit = sum(row.mark.hit for row in rows if row.mark)
    console.print(f"{method}: {hit} of {len(rows)} targets hit.")


def _measured(wanted: Request, bench: Bench, jobs: int) -> list[Result]:
    todo = len(bench.missing(wanted.trials))
    console = Console(stderr=True)
    bars = (TextColumn("Running"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*bars, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("Running", total=todo)
        return measure(wanted, bench, jobs, lambda: bar.advance(task))


def _peer_pythons() -> dict[str, Path]:
    """The Python of every peer that can be installed; of the others it is said why not."""
    folder = Path(typer.get_app_dir("hushmeans")) / "peers"
    found = {}
    for label, peer in PEERS.items():
        try:
            found[label] = environment(peer, folder)
        except PeerError as error:
            typer.echo(
                f"hushmeans: warning: {error}; its figures are quoted instead (--no-peers stops "
                "the attempt)",
                err=True,
            )
    return found


def _data(wanted: Request) -> Path | None:
    """A folder that has all the paper's datasets that are wanted, checked."""
    datasets = chosen_datasets([name for name in wanted.datasets if name in DATASETS])
    return found_data(datasets) if datasets else None


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")] if text else []


def _whole(name: str, word: str) -> int:
    try:
        return whole_number(name, int(word))
    except ValueError:
        raise InputError(f"{name} is {word!r}; it must be a whole number, 1 or more") from None
