"""Fits and failures on records with the canary, telling all there is to tell.

Run as a script, in an empty folder: what a user, a log collector or a crash reporter could get is
printed or written there. The files of records are below ``records``.
"""

from __future__ import annotations

import logging
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import csv, feather, parquet

from helpers.canary import BOX, VALUE
from hushmeans import Bounds, DPKMeans, Ledger
from hushmeans.commands.main import main
from hushmeans.curator import kernel
from hushmeans.curator.curator import Curator
from hushmeans.curator.mechanisms import Laplace
from hushmeans.curator.source import open_source
from hushmeans.evaluate import nicv

RECORDS = Path("records")
BOUNDS = {"age": (0, 100), "visits": (0, 10)}
PEOPLE = pa.table({"age": [VALUE, *[20.0, 60.5] * 75], "visits": [1.0, *[2.0, 3.0] * 75]})


class Quoting:
    """An array that quotes itself when it fails."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise ValueError(f"no array of {VALUE!r}")


def write_records() -> None:
    text = f"age,visits\n{VALUE!r},1\n" + "20,2\n" * 20
    RECORDS.mkdir()
    csv.write_csv(PEOPLE, RECORDS / "people.csv")
    parquet.write_table(PEOPLE, RECORDS / "people.parquet")
    feather.write_feather(PEOPLE, RECORDS / "people.arrow")
    (RECORDS / "text.csv").write_text(f"{text}x{VALUE!r},2\n")
    (RECORDS / "late.csv").write_text(text + "20,2\n" * 400_000 + f"x{VALUE!r},2\n")
    (RECORDS / "ragged.csv").write_text(f"{text}{VALUE!r},2,3\n")
    (RECORDS / "headless.csv").write_text(f"{VALUE!r},2\n20,2\n")
    (RECORDS / "quoted.csv").write_text(f'{text}"{VALUE!r},2\n20,2\n')
    (RECORDS / "columns.csv").write_text(f"age,iq\n{VALUE!r},2\n")
    (RECORDS / "utf16.csv").write_bytes(text.encode("utf-16"))
    (RECORDS / "cut.parquet").write_bytes((RECORDS / "people.parquet").read_bytes()[:-9])
    texts = pa.table({"age": [repr(VALUE)], "visits": [1.0]})
    parquet.write_table(texts, RECORDS / "text.parquet")
    for folder, value in (("text_parts", f"x{VALUE!r}"), ("parts", f"{VALUE!r}")):
        part = RECORDS / folder / f"age={value}"
        part.mkdir(parents=True)
        parquet.write_table(PEOPLE.select(["visits"]), part / "part.parquet")


def holders() -> Iterator[tuple[Any, dict[str, Any]]]:
    """The records, however they may be held."""
    yield PEOPLE.to_pandas(), {}
    yield pl.DataFrame({name: PEOPLE[name].to_pylist() for name in PEOPLE.column_names}), {}
    yield PEOPLE, {}
    yield np.column_stack([PEOPLE["age"], PEOPLE["visits"]]), {"bounds": ([0, 0], [100, 10])}
    for name in ("people.csv", "people.parquet", "people.arrow", "parts"):
        yield RECORDS / name, {}
        yield str(RECORDS / name), {"cache": "cache"}


def good_fits() -> None:
    Path("cache").mkdir()
    for number, (data, settings) in enumerate(holders()):
        model = DPKMeans(2, **{"bounds": BOUNDS, **settings}).fit(data)
        tell(model, model.release_, open_source(data, Bounds(settings.get("bounds", BOUNDS))))
        model.release_.save(f"release-{number}.json")
        Path(f"model-{number}.pickle").write_bytes(pickle.dumps(model))
        Path(f"release-{number}.pickle").write_bytes(pickle.dumps(model.release_))
        tell(model.release_.statement(), vars(model), model.get_params())
    curator = Curator(open_source(PEOPLE, Bounds(BOUNDS)), Laplace(), model.release_.budget)
    tell(curator, curator.door, vars(curator))


def failures() -> Iterator[Callable[[], Any]]:
    """Ways to fail with the canary at hand."""
    fit = DPKMeans(2, bounds=BOUNDS).fit
    names = ("text", "late", "ragged", "headless", "quoted", "columns", "utf16")
    for name in [*(f"{each}.csv" for each in names), "cut.parquet", "text.parquet", "text_parts"]:
        yield partial(fit, RECORDS / name)
        yield partial(DPKMeans(2, bounds=BOUNDS, cache="cache").fit, RECORDS / name)
        yield partial(DPKMeans(2, bounds=(0, 100)).fit, RECORDS / name)
    rows = [[VALUE, 1.0], [20.0]]
    texts = [[repr(VALUE), "1"]]
    for data in (
        rows,
        texts,
        [VALUE],
        VALUE,
        Quoting(),
        np.array(texts),
        {VALUE: 1},
        [[VALUE, 1j]],
    ):
        yield partial(DPKMeans(2, bounds=(0, 100)).fit, data)
    frame = PEOPLE.to_pandas()
    for data in (frame.astype(object), frame.astype(str), frame["age"], frame.T):
        yield partial(fit, data)
    yield lambda: fit(pd.DataFrame({"age": [VALUE, "x"], "visits": [1, 2]}))
    yield lambda: fit(pl.DataFrame({"age": [repr(VALUE)], "visits": [1.0]}))
    yield lambda: fit(pa.table({"age": [[VALUE]], "visits": [1.0]}))
    yield lambda: fit(PEOPLE.rename_columns(["age", "iq"]))
    for wrong in ({"epsilon": 0}, {"n_clusters": 0}, {"bounds": None}, {"cache": "nowhere"}):
        model = DPKMeans(**{"bounds": BOUNDS, **wrong})  # type: ignore[arg-type]
        yield partial(model.fit, RECORDS / "people.csv")
    yield lambda: DPKMeans(2, 9.0, bounds=BOUNDS, ledger="books", dataset="people").fit(PEOPLE)
    yield lambda: DPKMeans(2, bounds=BOUNDS, random_state=1).fit(PEOPLE)
    yield lambda: DPKMeans(2, bounds=BOUNDS).fit(PEOPLE).predict([[VALUE]])
    yield lambda: nicv([[VALUE, "x"]], [[1.0, 2.0]], bounds=(0, 1))
    yield lambda: crash_in_the_middle(fit, RuntimeError("crash"))
    yield lambda: crash_in_the_middle(fit, KeyboardInterrupt())
    yield lambda: crash_in_the_middle(lambda _: fit(RECORDS / "people.csv"), MemoryError())


def crash_in_the_middle(fit: Callable[[Any], Any], crash: BaseException) -> None:
    with mock.patch.object(kernel, "answer", side_effect=crash):
        fit(PEOPLE)


def commands() -> Iterator[list[str]]:
    settings = ["--k", "2", "--epsilon", "5", "--bounds", "bounds.toml"]
    for name in sorted(path.name for path in RECORDS.iterdir()):
        out = ["--out", f"of-{name}.json"]
        yield ["fit", f"records/{name}", *settings, *out]
        yield ["fit", f"records/{name}", *settings, *out, "--cache", "cache", "--json"]
    yield ["report", "of-people.csv.json"]
    yield ["predict", "of-people.csv.json", "records/text.csv"]
    yield ["budget", "show"]
    yield ["budget", "history", "people"]


def tell(*things: object) -> None:
    for thing in things:
        sys.stdout.write(f"{thing} {thing!r}\n")


def tell_failure(failure: Callable[[], Any]) -> None:
    """All that an exception, and every one behind it, says and carries along."""
    try:
        failure()
    except BaseException as error:
        sys.stdout.writelines(traceback.format_exception(error))
        behind: BaseException | None = error
        while behind is not None:
            tell(behind, behind.args, vars(behind), pickle.dumps(behind))
            behind = behind.__context__
        logging.getLogger("canary").exception("a failure")
        return
    sys.stdout.write("no failure\n")


if __name__ == "__main__":
    logging.basicConfig(level=logging.DEBUG)
    warnings.simplefilter("error" if "error" in sys.warnoptions else "always")
    write_records()
    Path("bounds.toml").write_text("age = [0, 100]\nvisits = [0, 10]\n")
    Ledger("books").set_limit("people", 5)
    good_fits()
    for failure in failures():
        tell_failure(failure)
    for arguments in commands():
        tell_failure(partial(main, arguments))
    tell(BOX)
