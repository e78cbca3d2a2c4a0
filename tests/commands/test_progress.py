"""Progress says how far a fit is, and nothing exact about the records unless asked."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from rich.console import Console
from rich.progress import Progress, TextColumn

from helpers.told import Told
from hushmeans.commands.progress import Bar
from hushmeans.curator.watching import Watch
from hushmeans.errors import SimulationWarning
from hushmeans.fitting import fit_release
from hushmeans.settings import Settings

N_RECORDS = 123_457


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / "people.parquet"
    values = np.random.default_rng(0).random((2, N_RECORDS))
    parquet.write_table(pa.table({"age": values[0], "visits": values[1]}), path)
    return path


def fit(people: Path, watch: Watch, method: str, cache: Path | None = None) -> None:
    with pytest.warns(SimulationWarning):
        fit_release(
            people,
            Settings.of(2, 1, method=method),
            bounds=(0, 1),
            seed=0,
            cache=cache,
            watch=watch,
        )


@pytest.mark.parametrize("method", ["refined", "allocation_nk", "average_k"])
@pytest.mark.parametrize("cached", [False, True])
def test_a_watch_hears_of_every_question_and_record(
    people: Path, tmp_path: Path, method: str, cached: bool
) -> None:
    told = Told()
    fit(people, told, method, tmp_path if cached else None)
    assert told.spent[-1] == 1
    assert told.spent == sorted(told.spent)
    assert len(told.spent) <= told.most
    assert told.passes == [N_RECORDS] * len(told.spent) + [0]


def shown(people: Path, *, show_nonprivate: bool) -> str:
    """What the terminal shows, every state of it."""
    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=160)
    columns = (
        TextColumn("{task.description}"),
        TextColumn("{task.fields[nonprivate]}"),
    )
    with Progress(*columns, console=console, auto_refresh=False) as progress:
        bar = Bar(progress, show_nonprivate=show_nonprivate)
        update = progress.update

        def refreshed(*arguments: object, **fields: object) -> None:
            update(*arguments, **fields)  # type: ignore[arg-type]
            progress.refresh()

        progress.update = refreshed  # type: ignore[method-assign]
        fit(people, bar, "refined")
    return text.getvalue()


def test_the_bar_shows_questions_and_not_how_many_records_there_are(people: Path) -> None:
    text = shown(people, show_nonprivate=False)
    assert "Question 1 of at most 38" in text
    assert "Budget spent" in text
    assert "records" not in text
    assert not any(number in text for number in (f"{N_RECORDS:,}", str(N_RECORDS)))


def test_on_demand_the_bar_shows_records_and_says_that_this_is_not_private(people: Path) -> None:
    text = shown(people, show_nonprivate=True)
    assert f"NOT PRIVATE: {N_RECORDS:,} records" in text
