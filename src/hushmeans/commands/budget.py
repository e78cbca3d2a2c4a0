"""The commands about the ledger: limits, what was spent, and whether it is intact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushmeans.commands import options

if TYPE_CHECKING:
    from hushmeans.budget import Budget
    from hushmeans.ledger import Ledger
    from hushmeans.ledger.chain import Entry
    from hushmeans.ledger.standing import Amounts, Standing

app = typer.Typer(rich_markup_mode=None)

Name = Annotated[str, typer.Argument(help="The dataset's name.")]


@app.callback(invoke_without_command=True)
def budget(context: typer.Context) -> None:
    """Limit and show what each dataset has spent."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("set")
def set_limit(
    name: Name,
    epsilon: Annotated[str, typer.Option(help="What may be spent in all.")],
    delta: Annotated[str, typer.Option(help="The same for delta.")] = "0",
    ledger: options.LedgerPlace = None,
    json: options.AsJson = False,
) -> None:
    """Limit what may be spent on a dataset, in all; fits above that are refused.

    A limit can be raised and lowered, not below what is spent already.
    """
    books = _opened(ledger)
    books.set_limit(name, epsilon, delta)
    _say(books.standing(name), as_json=json)


@app.command()
def show(
    name: Annotated[str | None, typer.Argument(help="A dataset's name; all if not given.")] = None,
    ledger: options.LedgerPlace = None,
    json: options.AsJson = False,
) -> None:
    """Show what was spent and what is left."""
    books = _opened(ledger)
    if name is not None:
        _say(books.standing(name), as_json=json)
        return
    standings = books.datasets()
    if json:
        _print_json([_as_json(standing) for standing in standings])
        return
    rows = [
        (each.dataset, str(each.spent), _or_none(each.limit), _or_none(each.left), each.debits)
        for each in standings
    ]
    _print_table(("dataset", "spent", "of", "left", "debits"), rows)


@app.command()
def history(name: Name, ledger: options.LedgerPlace = None, json: options.AsJson = False) -> None:
    """Show every limit, debit and release of a dataset, oldest first."""
    from hushmeans.ledger.standing import Amounts

    entries = _opened(ledger).history(name)
    if json:
        _print_json([_entry_as_json(entry) for entry in entries])
        return
    rows = [
        (
            entry.number,
            entry.time[:19].replace("T", " "),
            entry.user,
            entry.kind,
            "" if entry.budget is None else str(Amounts.of(entry.budget)),
            entry.method or "",
            entry.release_id or "",
        )
        for entry in entries
    ]
    _print_table(("", "time (UTC)", "user", "what", "epsilon", "method", "release id"), rows)


@app.command()
def verify(
    seen: Annotated[
        str | None, typer.Option(help="A digest that an earlier verify has printed.")
    ] = None,
    ledger: options.LedgerPlace = None,
    json: options.AsJson = False,
) -> None:
    """Check that no entry was changed, removed or cut off.

    Keep the digest it prints somewhere else: with --seen, the next check also notices a ledger
    that was written anew.
    """
    seal = _opened(ledger).verify(seen)
    if json:
        _print_json(vars(seal))
    else:
        typer.echo(f"No entry changed or missing, of {seal.entries}; digest {seal.digest}")


def _opened(place: str | None) -> Ledger:
    from hushmeans.ledger import Ledger

    return Ledger(place)


def _say(standing: Standing, *, as_json: bool) -> None:
    if as_json:
        _print_json(_as_json(standing))
    elif standing.left is None:
        typer.echo(f"{standing}")
    else:
        typer.echo(f"{standing}; left {standing.left}")


def _or_none(value: object) -> str:
    return "" if value is None else str(value)


def _as_json(standing: Standing) -> dict[str, Any]:
    return {
        "dataset": standing.dataset,
        "spent": _exact(standing.spent),
        "limit": _exact(standing.limit),
        "left": _exact(standing.left),
        "debits": standing.debits,
    }


def _entry_as_json(entry: Entry) -> dict[str, Any]:
    from json import loads

    parameters = None if entry.parameters is None else loads(entry.parameters)
    return {**vars(entry), "parameters": parameters, "budget": _exact(entry.budget)}


def _exact(amounts: Amounts | Budget | None) -> dict[str, str] | None:
    from hushmeans.arguments import amount_text

    if amounts is None:
        return None
    return {"epsilon": amount_text(amounts.epsilon), "delta": amount_text(amounts.delta)}


def _print_json(content: object) -> None:
    from json import dumps

    typer.echo(dumps(content, indent=2))


def _print_table(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    Console().print(table)
