"""The commands for the ledger: set limits, show what was spent, verify integrity."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushmeans.commands import options
from hushmeans.errors import InputError, LedgerWarning, warn

if TYPE_CHECKING:
    from hushmeans.budget import Budget
    from hushmeans.ledger import Ledger
    from hushmeans.ledger.entries import Entry
    from hushmeans.ledger.standing import Amounts, Standing

budget_app = typer.Typer(rich_markup_mode=None)

DatasetName = Annotated[str, typer.Argument(help="The dataset's name.")]


@budget_app.callback(invoke_without_command=True)
def budget(context: typer.Context) -> None:
    """Limit, show and verify the privacy budget that each dataset has spent."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@budget_app.command("set", short_help="Limit the total budget of a dataset.")
def set_limit(
    name: DatasetName,
    epsilon: Annotated[str, typer.Option(help="The limit on the total epsilon.")],
    delta: Annotated[str, typer.Option(help="The limit on the total delta.")] = "0",
    rows_per_person: Annotated[
        int | None,
        options.whole_option(
            help="The privacy unit of the budget; by default that of the first fit."
        ),
    ] = None,
    per_person: Annotated[
        bool,
        typer.Option(
            "--per-person",
            help="Count the budget for whole people, for fits with a person column.",
        ),
    ] = False,
    raises: Annotated[
        bool, typer.Option("--raise", help="Raise an existing limit; needs --reason.")
    ] = False,
    reason: Annotated[
        str | None, typer.Option(help="Why the limit is raised; stored in the ledger.")
    ] = None,
    ledger: options.LedgerAddress = None,
    json: options.AsJson = False,
) -> None:
    """Limit the total budget of a dataset; fits that would exceed it are refused.

    A limit can be lowered later, but not below what is already spent. Raising it requires --raise
    and --reason.
    """
    if raises != (reason is not None):
        raise InputError("--raise and --reason belong together; give both to raise a limit")
    if per_person and rows_per_person is not None:
        raise InputError(
            "--per-person and --rows-per-person are different privacy units; give one of them"
        )
    account = _ledger_at(ledger)
    news = account.news(name)
    from hushmeans.budget import WHOLE_PERSON

    unit = WHOLE_PERSON if per_person else rows_per_person
    account.set_limit(name, epsilon, delta, rows_per_person=unit, reason=reason)
    for sentence in news:
        warn(sentence, LedgerWarning)
    _show_standing(account.standing(name), as_json=json)


@budget_app.command("strict", short_help="Refuse datasets without a limit.")
def make_strict(
    off: Annotated[bool, typer.Option("--off", help="Accept new datasets again.")] = False,
    ledger: options.LedgerAddress = None,
) -> None:
    """Make a ledger strict for all its users: only datasets with a limit can be debited."""
    account = _ledger_at(ledger)
    news = account.news()
    account.make_strict(not off)
    for sentence in news:  # a mistyped address would leave the ledger that was meant as it is
        warn(sentence, LedgerWarning)
    typer.echo("New datasets are accepted." if off else "Only datasets with a limit are accepted.")


@budget_app.command("grants", short_help="Print SQL that lets a PostgreSQL role fit only.")
def print_grants(
    role: Annotated[str, typer.Argument(help="The PostgreSQL role of the people who fit.")],
) -> None:
    """Print SQL that lets a PostgreSQL role fit, but not set or raise limits.

    Run it as the owner of the ledger, who keeps the right to set limits.
    """
    from hushmeans.ledger.grants import grants_for

    typer.echo(grants_for(role))


@budget_app.command("show")
def show_budget(
    name: Annotated[str | None, typer.Argument(help="The dataset's name; by default all.")] = None,
    ledger: options.LedgerAddress = None,
    json: options.AsJson = False,
) -> None:
    """Show how much budget is spent and left."""
    accounts = _ledger_at(ledger)
    if name is not None:
        _show_standing(accounts.standing(name), as_json=json)
        return
    standings = accounts.datasets()
    if json:
        _print_json([_as_json(standing) for standing in standings])
        return
    rows = [
        (
            each.dataset,
            str(each.proven),
            _or_none(each.limit),
            "" if each.left is None else str(each.left),
            each.debits,
        )
        for each in standings
    ]
    _print_table(("dataset", "spent", "limit", "left", "debits"), rows)


@budget_app.command()
def history(
    name: DatasetName, ledger: options.LedgerAddress = None, json: options.AsJson = False
) -> None:
    """List the limits, debits and releases of a dataset, oldest first.

    The noisy answers of a fit are counted with its release; --json lists each of them.
    """
    from hushmeans.ledger.standing import Amounts

    entries = _ledger_at(ledger).history(name)
    if json:
        _print_json([_entry_as_json(entry) for entry in entries])
        return
    answers = Counter(entry.release_id for entry in entries if entry.kind == "answer")
    ended = {entry.release_id for entry in entries if entry.kind == "release"}
    _print_table(
        ("", "time (UTC)", "user", "entry", "epsilon", "details"),
        [
            (
                entry.number,
                entry.time[:16].replace("T", " "),
                entry.user,
                entry.kind,
                "" if entry.budget is None else str(Amounts.of(entry.budget)),
                _details(entry, answers[entry.release_id], ended=entry.release_id in ended),
            )
            for entry in entries
            if entry.kind != "answer"
        ],
    )


@budget_app.command("verify")
def verify_ledger(
    seen: Annotated[
        str | None, typer.Option(help="The digest printed by an earlier verify.")
    ] = None,
    ledger: options.LedgerAddress = None,
    json: options.AsJson = False,
) -> None:
    """Check that no entry was changed or removed.

    Store the printed digest elsewhere: passed as --seen to a later check, it also detects a
    rewritten ledger.
    """
    seal = _ledger_at(ledger).verify(seen)
    if json:
        _print_json(vars(seal))
    else:
        typer.echo(f"The ledger is intact; entries: {seal.entries}, digest: {seal.digest}")


def _ledger_at(place: str | None) -> Ledger:
    from hushmeans.ledger import Ledger

    return Ledger(place)


def _show_standing(standing: Standing, *, as_json: bool) -> None:
    if as_json:
        _print_json(_as_json(standing))
    elif standing.left is None:
        typer.echo(f"{standing}")
    else:
        typer.echo(f"{standing}; {standing.left} left")


def _or_none(value: object) -> str:
    return "none" if value is None else str(value)


def _answers(number: int) -> str:
    return "1 answer" if number == 1 else f"{number} answers"


def _as_json(standing: Standing) -> dict[str, Any]:
    from hushmeans.budget import WHOLE_PERSON

    per_person = standing.unit == WHOLE_PERSON
    return {
        "dataset": standing.dataset,
        "spent": _exact(standing.proven),
        "limit": _exact(standing.limit),
        "left": _exact(standing.left),
        "debits": standing.debits,
        "rows_per_person": None if per_person else standing.unit,
        "per_person": per_person,
    }


def _entry_as_json(entry: Entry) -> dict[str, Any]:
    from json import loads

    parameters = None if entry.parameters is None else loads(entry.parameters)
    return {**vars(entry), "parameters": parameters, "budget": _exact(entry.budget)}


WITHOUT_RELEASE = ("ranges", "person rows")
"""The methods whose answers are the result; no release follows."""


def _details(entry: Entry, answers: int, *, ended: bool) -> str:
    """What an entry is about: the reason for a limit, or a release and how far its fit came."""
    from json import loads

    if entry.kind == "limit":
        return str(loads(entry.parameters or "{}").get("reason", ""))
    if entry.kind == "debit":
        awaited = "" if entry.method in WITHOUT_RELEASE else ", no release yet"
        unfinished = "" if ended else f"{awaited}, {_answers(answers)} kept"
        return f"{entry.method or ''} {entry.release_id}{unfinished}".strip()
    return f"{entry.release_id}, {_answers(answers)}" if entry.kind == "release" else ""


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
