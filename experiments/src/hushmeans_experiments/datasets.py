"""The paper's six datasets: where they are found, and what the paper does with each."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from hushmeans.curator.readers.files import stored_batches, stored_columns
from hushmeans.curator.readers.folders import find_files
from hushmeans.curator.readers.numbers import parse_numbers
from hushmeans.curator.source import open_store
from hushmeans.curator.store import Store
from hushmeans.errors import InputError
from hushmeans.schema import Bounds


@dataclass(frozen=True)
class Dataset:
    """One of the paper's datasets.

    Attributes
    ----------
    file
        The name of its file.
    n_records, n_features
        Its size, which is published.
    n_clusters
        The paper's k in the figures against epsilon.
    epsilon
        The paper's epsilon in the figures against k.
    """

    name: str
    file: str
    n_records: int
    n_features: int
    n_clusters: int
    epsilon: float


DATASETS: Mapping[str, Dataset] = {
    dataset.name: dataset
    for dataset in (
        Dataset("blood", "blood.csv", 748, 5, 4, 0.6),
        Dataset("adult", "adult.csv.gz", 32561, 6, 5, 0.2),
        Dataset("tripadvisor", "tripadvisor.csv", 980, 10, 4, 0.6),
        Dataset("electrical", "electrical.csv.gz", 10000, 13, 5, 0.2),
        Dataset("ratings", "ratings.csv.gz", 5454, 24, 4, 0.2),
        Dataset("credit", "credit.csv.gz", 30000, 24, 5, 0.2),
    )
}


def data_folder() -> Path | None:
    """The folder that HUSHMEANS_DATA names, else ../shared/data where it is; else None."""
    if named := os.environ.get("HUSHMEANS_DATA"):
        return Path(named)
    beside = Path("../shared/data")
    return beside if beside.is_dir() else None


def chosen_datasets(names: Sequence[str]) -> list[Dataset]:
    """Datasets by their names."""
    if unknown := [name for name in names if name not in DATASETS]:
        raise InputError(f"there is no dataset {unknown[0]!r}; choose from {', '.join(DATASETS)}")
    return [dataset for name, dataset in DATASETS.items() if name in names]


def load_dataset(dataset: Dataset, folder: Path) -> Store:
    """The records of a dataset, encoded.

    The bounds are the dataset's own smallest and largest values, as in the paper. For these
    public datasets they are published; for data about people that would leak.
    """
    table = _read(folder / dataset.file)
    shape = (table.num_rows, table.num_columns)
    if shape != (dataset.n_records, dataset.n_features):
        raise InputError(
            f"{folder / dataset.file} has {shape[0]} rows and {shape[1]} columns, not "
            f"{dataset.n_records} and {dataset.n_features}: it is not the {dataset.name} dataset"
        )
    return encoded(table)


def _read(path: Path) -> pa.Table:
    """A whole CSV file, plain or gzip, in which every field is a number."""
    (file,) = find_files(path)
    schema = pa.schema([(name, pa.float64()) for name in stored_columns(file).names])
    batches = (
        pa.record_batch([parse_numbers(column) for column in batch.columns], schema=schema)
        for batch, _ in stored_batches(file, schema.names)
    )
    table = pa.Table.from_batches(batches, schema)
    for name in table.column_names:
        if table[name].null_count:
            raise InputError(
                f"{path}: column {name!r} has missing values or text, which the paper's datasets "
                "do not have; get the file again"
            )
    return table


def encoded(table: pa.Table) -> Store:
    """A public table with its own smallest and largest values as bounds."""
    columns = np.column_stack([column.to_numpy() for column in table.columns])
    return open_store(table, Bounds((columns.min(axis=0), columns.max(axis=0))))
