"""The command that opens the studio."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushmeans.commands import options
from hushmeans.errors import InputError

PATIENTS = 40_000
"""In the demo's table."""


def studio(
    file: Annotated[
        str | None,
        typer.Argument(
            help="A CSV, Parquet or Arrow file, or a folder; by default the demo's patients."
        ),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option(help="The schema, a TOML file; it is created if it does not exist."),
    ] = None,
    dataset: options.LedgerDataset = None,
    ledger: options.LedgerAddress = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    port: Annotated[
        int, options.whole_option(help="The port to listen on; by default any free one.")
    ] = 0,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the address, but do not open a browser.")
    ] = False,
) -> None:
    """Plan, spend and publish in your browser, on this computer.

    The page shows what each choice would give before anything is spent. It listens on this computer
    only, and the printed address works once.
    """
    try:
        from hushmeans.studio.server import serve
    except ModuleNotFoundError:
        raise InputError(
            "the studio needs Starlette and uvicorn; install them with "
            "pip install 'hushmeans[studio]'"
        ) from None
    from hushmeans.commands.booking import named_after
    from hushmeans.curator.owner import declared_types, named
    from hushmeans.ledger import Ledger
    from hushmeans.studio.session import Session, Table, check_replaceable

    guess = ""
    if file is None:
        file, schema = _demonstration(schema)
        guess = f"{PATIENTS}"
    place = options.file_at(file, delimiter, encoding)
    table = Table(
        place=place,
        label=Path(named(file)).name,
        dataset=dataset or named_after(file),
        columns=tuple(declared_types(place).items()),
        rows=guess,
    )
    schema_file = schema or Path(f"{named_after(file)}.toml")
    check_replaceable(schema_file, [name for name, _ in table.columns])
    session = Session(table, schema_file, Ledger(ledger))

    def ready(address: str) -> None:
        typer.echo(f"The studio is at {address}\nPress Ctrl+C to stop it.")
        if not no_open:
            from webbrowser import open as open_in_browser

            open_in_browser(address)

    serve(session, port, ready)


def _demonstration(schema: Path | None) -> tuple[str, Path]:
    """The demo's table and its schema, in the demo's folder, where they are made if need be."""
    from pyarrow import csv

    from hushmeans.commands.patients import BOUNDS, patients
    from hushmeans.documents import write_text_file, written_whole
    from hushmeans.schema import Schema

    folder = Path("demo")
    folder.mkdir(exist_ok=True)
    table, declared = folder / "patients.csv", schema or folder / "patients.toml"
    if not table.exists():
        with written_whole(table) as beside:
            csv.write_csv(patients(PATIENTS), beside)
    if not declared.exists():
        write_text_file(declared, Schema(BOUNDS).to_toml())
    return str(table), declared
