"""A small Spark cluster on this machine."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from os import pathsep
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import hushmeans

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER = "local-cluster[2,1,1024]"

FOR_SHORT_LIVES = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of Java: tests end before its second compiler and parallel collector pay off."""

DAEMON = "helpers.spark_daemon"
"""The module from which executors start Python."""

PYTHONPATH = pathsep.join(
    map(str, (Path(hushmeans.__file__).parents[1], Path(__file__).parents[1]))
)
"""Where executors find this package and these helpers."""


@contextmanager
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Two executors in processes of their own; skipped where Spark cannot run."""
    pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        # Executors write their logs below SPARK_HOME: a folder of links keeps them out of ours.
        home = tmp_path_factory.mktemp("spark")
        for entry in Path(pyspark.__file__).parent.iterdir():
            (home / entry.name).symlink_to(entry)
        patch.setenv("SPARK_HOME", str(home))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        settings: dict[str, Any] = {
            "spark.driver.extraJavaOptions": FOR_SHORT_LIVES,
            "spark.executor.extraJavaOptions": FOR_SHORT_LIVES,
            "spark.executorEnv.PYTHONPATH": PYTHONPATH,
            "spark.python.daemon.module": DAEMON,
            "spark.log.level": "OFF",
            "spark.sql.shuffle.partitions": "2",
            "spark.task.maxFailures": "2",
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        builder = SparkSession.builder.appName("tests").master(MASTER)
        started = builder.config(map=settings).getOrCreate()
        yield started
        started.stop()
