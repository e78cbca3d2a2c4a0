"""No record leaves but through noise: a planted value is looked for in all that comes out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import hushmeans
from helpers.canary import BOX, VALUE, found_below, found_in, grid_value
from hushmeans.curator import compiled
from hushmeans.curator.spark import files as spark_files
from hushmeans.estimator import DPKMeans

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORKER = Path(__file__).parents[1] / "helpers" / "canary_worker.py"
BOUNDS = {"age": (0, 100), "visits": (0, 10)}


@pytest.mark.parametrize(
    "leak",
    [
        f"invalid value '{VALUE!r}'",
        f"array([{VALUE:.8f}])",
        str(np.float32(VALUE)),
        VALUE.hex(),
        np.array([VALUE]).tobytes(),
        np.array([VALUE]).tobytes().hex(),
        repr(np.array([VALUE]).tobytes()),
        np.array([VALUE], dtype=">f4").tobytes(),
        f"total = {grid_value()},",
        np.array([grid_value()], dtype=np.int32).tobytes(),
    ],
)
def test_the_search_finds_the_value_in_any_form(leak: bytes | str) -> None:
    assert found_in(leak) is not None


def test_the_search_finds_nothing_where_there_is_nothing() -> None:
    assert found_in(f"{BOX} {VALUE + 0.01:.7f} {grid_value() + 1} 1{grid_value()}") is None


@pytest.mark.parametrize("flags", [(), ("-X", "dev", "-W", "error")], ids=" ".join)
def test_nothing_that_a_process_prints_writes_or_pickles_holds_a_record(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    """Noise has the digits or the four bytes of the value once in 2,000 runs, a leak every time."""
    if told_by_a_process(tmp_path / "first", flags):
        assert told_by_a_process(tmp_path / "second", flags) == {}


def told_by_a_process(folder: Path, flags: tuple[str, ...]) -> dict[str, str]:
    """Where a process of its own told the value in any form, and what it told."""
    temporary = folder / "temporary"
    temporary.mkdir(parents=True)
    places = {"XDG_DATA_HOME": str(folder / "data"), "TMPDIR": str(temporary)}
    sources = [str(Path(hushmeans.__file__).parents[1]), *sys.path]
    done = subprocess.run(
        [sys.executable, *flags, str(WORKER)],
        cwd=folder,
        env={**os.environ, **places, "PYTHONPATH": os.pathsep.join(sources)},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count(b"Traceback") > 80
    assert done.stdout.count(b"SystemExit") > 20
    assert list(temporary.iterdir()) == []
    assert list((folder / "cache").iterdir()) == []
    (folder / "stdout").write_bytes(done.stdout)
    (folder / "stderr").write_bytes(done.stderr)
    return found_below(folder, but=(folder / "records").rglob("*"))


def test_compiled_code_on_disk_holds_no_record() -> None:
    DPKMeans(2, bounds=BOUNDS["age"]).fit(np.full((100, 2), VALUE))
    folder = Path(compiled.__file__).parent / "__pycache__"
    packed = np.array([VALUE]).tobytes()
    assert [path for path in folder.glob("*.nb*") if packed in path.read_bytes()] == []


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets of Py4J's
def test_what_we_run_on_sparks_executors_says_nothing_of_a_record(
    session: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text(f"age,visits\n{VALUE!r},1\n" + "20,2\n" * 20)
    bad.write_text(f"age,visits\n{VALUE!r},1\nx{VALUE!r},1\n")
    said = [
        repr(DPKMeans(2, bounds=BOUNDS).fit(spark_files._read(session, str(path), None)).release_)
        for path in (good, bad)
    ]
    said += capfd.readouterr()
    logs = [log.read_text() for log in Path(os.environ["SPARK_HOME"], "work").rglob("std*")]
    assert logs
    said += logs
    assert [found_in(each) for each in said] == [None] * len(said)
