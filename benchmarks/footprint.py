"""Memory and start-up: what a process needs beyond its input, and before its first result."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sections import Section
from timing import best_times

FIT = """
import sys
from pathlib import Path
import numpy as np
from hushmeans import DPKMeans
n_records, n_features = int(sys.argv[1]), 24
def memory(what):
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(what))
few = np.zeros((20_000, n_features), dtype=np.float32)
DPKMeans(5, bounds=(0, 1), method=sys.argv[2]).fit(few)
points = np.random.default_rng(0).random((n_records, n_features), dtype=np.float32)
before = memory("VmRSS")
Path("/proc/self/clear_refs").write_text("5")  # forget the peak of what came before
DPKMeans(5, bounds=(0, 1), method=sys.argv[2]).fit(points)
print((memory("VmHWM") - before) / (4 * points.size))
"""
COMPILE = """
import time
import numpy as np
from hushmeans import DPKMeans
points = np.random.default_rng(0).random((1000, 3))
begun = time.perf_counter()
DPKMeans(2, bounds=(0, 1)).fit(points)
DPKMeans(2, bounds=(0, 1), method="kccm").fit(points)
print(time.perf_counter() - begun)
"""


def python(*arguments: object, **settings: str) -> str:
    """What a fresh interpreter prints."""
    command = [sys.executable, *map(str, arguments)]
    environment = {**os.environ, **settings}
    return subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, check=True, env=environment
    ).stdout


def memory() -> Section:
    """The peak above the input, in units of the encoded data."""
    rows = [
        (method, *(f"{float(python('-c', FIT, n, method)):.2f}" for n in (1_000_000, 4_000_000)))
        for method in ("refined", "allocation_nk")
    ]
    return Section(
        "Memory of a fit",
        "Peak memory above the input (n x 24 float32), as a multiple of the encoded data, which "
        "takes four bytes per value. Target: 1.2.",
        ("method", "1,000,000 records", "4,000,000 records"),
        rows,
    )


def start_up() -> Section:
    """Imports and help against those of the packages underneath; compiling once."""
    command = Path(sys.executable).parent / "hushmeans"
    tasks: dict[str, Callable[[], object]] = {
        "numpy": partial(python, "-c", "import numpy"),
        "help": partial(python, command, "--help"),
        "sklearn": partial(python, "-c", "import sklearn.cluster"),
        "hushmeans": partial(python, "-c", "import hushmeans; hushmeans.DPKMeans"),
    }
    best = best_times(tasks)
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = (float(python("-c", COMPILE, NUMBA_CACHE_DIR=folder)) for _ in range(2))
    rows = [
        ("hushmeans --help", "import numpy", f"{best['help'] / best['numpy']:.2f}", "2.5"),
        (
            "import hushmeans",
            "import sklearn.cluster",
            f"{best['hushmeans'] / best['sklearn']:.2f}",
            "2",
        ),
        ("compiling, once", "", f"{cold - warm:.1f} s", "10 s"),
    ]
    return Section(
        "Start-up",
        "Fresh interpreters, best of several runs.",
        ("what", "against", "ratio", "target"),
        rows,
    )


if __name__ == "__main__":
    memory().show()
    start_up().show()
