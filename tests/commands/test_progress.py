"""Progress says how far a fit is, in bytes of files and in questions, and never in records."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet
from rich.console import Console
from rich.filesize import decimal
from rich.progress import Progress, TextColumn

from helpers.told import Told
from hushmeans.commands.progress import Bar
from hushmeans.curator.watching import Watch
from hushmeans.errors import SimulationWarning
from hushmeans.fitting import fit_release
from hushmeans.methods.refined import RefinedMethod
from hushmeans.settings import Settings

N_RECORDS = 123_457


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / "people.parquet"
    values = np.random.default_rng(0).random((2, N_RECORDS))
    parquet.write_table(pa.table({"age": values[0], "visits": values[1]}), path)
    return path


def fit(people: Path, watch: Watch, method: str) -> None:
    with pytest.warns(SimulationWarning):
        fit_release(people, Settings.of(2, 1, method=method), bounds=(0, 1), seed=0, watch=watch)


@pytest.mark.parametrize("method", ["refined", "allocation_nk", "average_k"])
def test_a_watch_hears_of_every_question(people: Path, method: str) -> None:
    told = Told()
    fit(people, told, method)
    assert told.spent[-1] == 1
    assert told.spent == sorted(told.spent)
    assert len(told.spent) <= told.most


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet", "a.arrow", "folder"])
def test_a_watch_hears_of_the_bytes_of_files_once(tmp_path: Path, name: str) -> None:
    values = np.random.default_rng(0).random((2, N_RECORDS))
    table = pa.table({"age": values[0], "visits": values[1]})
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
        parquet.write_table(table[:1000], path / "a.parquet")
        parquet.write_table(table[1000:], path / "b.parquet")
    elif "csv" in name:
        with pa.output_stream(path, compression="detect") as stream:
            csv.write_csv(table, stream)
    else:
        write = parquet.write_table if name == "a.parquet" else feather.write_feather
        write(table, path)
    size = sum(each.stat().st_size for each in tmp_path.rglob("*") if each.is_file())
    told = Told()
    fit(path, told, "average_k")
    assert len(told.reading) > 1
    assert told.reading == sorted(told.reading)
    assert told.reading[-1] == (size, size)
    assert {total for _, total in told.reading} == {size}


def test_the_bar_shows_bytes_and_questions_and_not_how_many_records_there_are(
    people: Path,
) -> None:
    output = io.StringIO()
    console = Console(file=output, force_terminal=True, width=160)
    columns = (TextColumn("{task.description}"), TextColumn("{task.completed} {task.total}"))
    with Progress(*columns, console=console, auto_refresh=False) as progress:
        bar = Bar(progress)
        update = progress.update

        def refreshed(*arguments: object, **fields: object) -> None:
            update(*arguments, **fields)  # type: ignore[arg-type]
            progress.refresh()

        progress.update = refreshed  # type: ignore[method-assign]
        fit(people, bar, "refined")
    text = output.getvalue()
    size = decimal(people.stat().st_size)
    assert f"Reading {size} of {size}" in text
    assert f"Question 1 of at most {RefinedMethod().most_questions}" in text
    assert "Budget spent" in text
    assert not any(number in text for number in (f"{N_RECORDS:,}", str(N_RECORDS)))
