"""A client of a Spark Connect server: fits, and prints what came of them as JSON.

A process can have Spark sessions of one kind only, so the tests start another one.
"""

from __future__ import annotations

import json
import sys
import warnings

from pyspark.sql import DataFrame, SparkSession

from hushmeans import DPKMeans
from hushmeans.commands.main import main
from hushmeans.curator.spark.cluster import SparkSource
from hushmeans.errors import HushmeansError, HushmeansWarning, SimulationWarning

BOUNDS = {"age": (0, 100), "visits": (0, 8)}


def fitted(frame: DataFrame) -> object:
    """The centres of a seeded fit, or the error."""
    model = DPKMeans(3, 2.0, bounds=BOUNDS, random_state=5)
    try:
        return model.fit(frame).cluster_centers_.tolist()
    except HushmeansError as error:
        return str(error)


def watch_what_is_kept() -> list[bool]:
    """Whether the cluster keeps the pieces, before and after each source is closed."""
    seen: list[bool] = []
    close = SparkSource.close

    def watched(self: SparkSource) -> None:
        seen.append(self.pieces.storageLevel.useMemory)
        close(self)
        seen.append(self.pieces.storageLevel.useMemory)

    SparkSource.close = watched  # type: ignore[method-assign]
    return seen


def refuse(self: DataFrame, *_: object) -> DataFrame:
    """As serverless clusters do."""
    raise RuntimeError("[NOT_SUPPORTED_WITH_SERVERLESS] PERSIST TABLE is not supported")


def run(path: str, address: str) -> dict[str, object]:
    """All that the tests want to know."""
    warnings.simplefilter("ignore", SimulationWarning)
    session = SparkSession.builder.remote(address).getOrCreate()
    frame = session.read.parquet(path)
    while_open = watch_what_is_kept()
    found: dict[str, object] = {"kind": type(frame).__module__, "kept": fitted(frame)}
    found["on the cluster"] = while_open[:2]
    found["random"] = fitted(frame.selectExpr("age + rand() AS age", "visits"))
    found["text"] = fitted(frame.selectExpr("age", "'73.123456789' AS visits"))
    found["broken"] = fitted(
        frame.selectExpr("age", "CAST(assert_true(age < 0, '73.123456789') AS INT) AS visits")
    )
    kept = type(frame).persist
    type(frame).persist = refuse  # type: ignore[method-assign, assignment]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", HushmeansWarning)
        warnings.simplefilter("ignore", SimulationWarning)
        found["not kept"] = fitted(frame)
    found["warnings"] = [str(each.message) for each in seen]
    type(frame).persist = kept  # type: ignore[method-assign]
    return found


if __name__ == "__main__":
    folder, address = sys.argv[1:3]
    print(json.dumps(run(f"{folder}/people.parquet", address)), flush=True)  # noqa: T201
    main(
        [
            *("fit", f"{folder}/people.csv", "--k", "3", "--epsilon", "2", "--seed", "5"),
            *("--schema", f"{folder}/people.toml", "--out", f"{folder}/release.json"),
            *("--no-ledger", "--spark", address),
        ]
    )
