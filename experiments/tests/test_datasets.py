"""The paper's datasets: found where they are said to be, and refused when they are not."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hushmeans.errors import InputError
from hushmeans_experiments.datasets import (
    DATASETS,
    Dataset,
    chosen_datasets,
    data_folder,
    load_dataset,
)
from hushmeans_experiments.standins import stand_in

SMALL = Dataset("small", "small.csv", n_records=3, n_features=2, n_clusters=2, epsilon=1.0)
SMALL_ZIPPED = Dataset("small", "small.csv.gz", 3, 2, 2, 1.0)
TEXT = "a,b\n0,10\n4,20\n8,30\n"


def real_data() -> Path | None:
    """The folder of the real datasets, if this machine has it."""
    folder = data_folder()
    return folder.resolve() if folder is not None and folder.is_dir() else None


REAL_DATA = real_data()


def test_a_dataset_is_loaded_with_its_own_smallest_and_largest_values_as_bounds(
    tmp_path: Path,
) -> None:
    (tmp_path / "small.csv").write_text(TEXT)
    source = load_dataset(SMALL, tmp_path)
    assert source.box.low == (0.0, 10.0)
    assert source.box.high == (8.0, 30.0)
    unit = source.records / source.box.grid.unit
    assert unit == pytest.approx(np.array([[-1, -1], [0, 0], [1, 1]]))


def test_a_compressed_dataset_gives_the_same_records(tmp_path: Path) -> None:
    (tmp_path / "small.csv").write_text(TEXT)
    (tmp_path / "small.csv.gz").write_bytes(gzip.compress(TEXT.encode()))
    plain, zipped = load_dataset(SMALL, tmp_path), load_dataset(SMALL_ZIPPED, tmp_path)
    assert (plain.records == zipped.records).all()


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        (TEXT + "8,30\n", "4 rows and 2 columns"),
        ("a,b\n0,10\n8,30\n", "2 rows and 2 columns"),
        ("a,b,c\n0,10,1\n4,20,2\n8,30,3\n", "3 rows and 3 columns"),
        ("a\n0\n4\n8\n", "3 rows and 1 columns"),
    ],
)
def test_a_table_of_another_shape_is_not_the_dataset(tmp_path: Path, text: str, shape: str) -> None:
    (tmp_path / "small.csv").write_text(text)
    with pytest.raises(InputError, match="it is not the small dataset") as fault:
        load_dataset(SMALL, tmp_path)
    assert shape in str(fault.value)
    assert "not 3 and 2" in str(fault.value)
    assert str(tmp_path / "small.csv") in str(fault.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"blood\.csv: no such file or folder"):
        load_dataset(DATASETS["blood"], tmp_path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the file is empty; a CSV file needs a header row"),
        (b"\xff\xfe\x00", "the first row is not text in the encoding of the file"),
        (b"a,b\n0,10\n4\n8,30\n", "some rows do not have as many fields as the header"),
        (b"a,b\n0,10\n4,twenty\n8,30\n", "column 'b' has missing values or text"),
        (b'a,b\n0,10\n4,"20\n8,30\n', "column 'b' has a line break or a stray quote"),
        (b"0,10\n4,20\n8,30\n", "first row looks like a record"),
    ],
)
def test_a_corrupt_file_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "small.csv").write_bytes(content)
    with pytest.raises(InputError, match=says) as fault:
        load_dataset(SMALL, tmp_path)
    assert "small.csv" in str(fault.value)


def garbled(packed: bytes) -> bytes:
    """The same, with a few bytes in the middle turned over."""
    middle = len(packed) // 2
    turned = bytes(255 - byte for byte in packed[middle : middle + 8])
    return packed[:middle] + turned + packed[middle + 8 :]


@pytest.mark.parametrize("spoil", [lambda packed: packed[:-20], lambda packed: b"x", garbled])
def test_a_compressed_file_that_is_damaged_is_refused(
    tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "small.csv.gz").write_bytes(spoil(gzip.compress(TEXT.encode() * 20)))
    with pytest.raises(InputError, match=r"small\.csv\.gz"):
        load_dataset(SMALL_ZIPPED, tmp_path)


def test_a_missing_value_is_refused(tmp_path: Path) -> None:
    (tmp_path / "small.csv").write_text("a,b\n0,10\n4,\n8,30\n")
    with pytest.raises(InputError, match="column 'b' has missing values or text"):
        load_dataset(SMALL, tmp_path)


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named, beside = tmp_path / "named", tmp_path / "shared/data"
    beside.mkdir(parents=True)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HUSHMEANS_DATA", str(named))
    assert data_folder() == named


def test_without_the_environment_the_folder_is_the_shared_one_if_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.delenv("HUSHMEANS_DATA", raising=False)
    assert data_folder() is None
    (tmp_path / "shared/data").mkdir(parents=True)
    found = data_folder()
    assert found is not None
    assert found.resolve() == (tmp_path / "shared/data").resolve()
    monkeypatch.setenv("HUSHMEANS_DATA", "")
    assert data_folder() == found


def test_an_unknown_dataset_is_named_with_those_there_are() -> None:
    with pytest.raises(InputError, match="there is no dataset 'iris'; choose from blood, adult,"):
        chosen_datasets(["blood", "iris"])


def test_datasets_are_chosen_once_each_in_the_order_of_the_paper() -> None:
    chosen = chosen_datasets(["credit", "blood", "credit"])
    assert [dataset.name for dataset in chosen] == ["blood", "credit"]


@pytest.mark.parametrize("name", DATASETS)
def test_a_stand_in_has_the_shape_of_its_dataset_and_is_always_the_same(name: str) -> None:
    dataset = DATASETS[name]
    source = stand_in(dataset)
    assert source.records.shape == (dataset.n_records, dataset.n_features)
    assert (source.records == stand_in(dataset).records).all()


@pytest.mark.skipif(
    REAL_DATA is None, reason="the paper's datasets are not here: set HUSHMEANS_DATA"
)
@pytest.mark.parametrize("name", DATASETS)
def test_the_real_datasets_load(name: str) -> None:
    assert REAL_DATA is not None
    dataset = DATASETS[name]
    source = load_dataset(dataset, REAL_DATA)
    assert source.records.shape == (dataset.n_records, dataset.n_features)
    unit = source.records / source.box.grid.unit
    assert unit.min(axis=0) == pytest.approx(np.full(dataset.n_features, -1.0))
    assert unit.max(axis=0) == pytest.approx(np.full(dataset.n_features, 1.0))
