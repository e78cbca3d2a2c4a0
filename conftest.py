"""Settings for every process of a test run, and a folder of their own for examples in documents."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from _pytest.doctest import DoctestItem

# Processes share the processors; OpenMP's threads would wait for one another by spinning.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Without bytecode on disk, every process that a test starts would compile the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

MEMORY, ENOUGH = Path("/dev/shm"), 4 * 2**30  # noqa: S108
"""A file system in memory, and the free bytes with which all tests can do."""

# Tests make thousands of folders and many commits, and a disk may take milliseconds for each. No
# test takes the machine's power away, so nothing needs to reach one.
if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH:
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None  # what was found before counts no longer

collect_ignore_glob = ["docs/conf.py", "docs/_build/*", "docs/gallery/*", "docs/reference/*"]
"""The site's settings, and what building it leaves behind."""


@pytest.fixture(autouse=True)
def _examples_elsewhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples in documents may write files."""
    if isinstance(request.node, DoctestItem):
        monkeypatch.chdir(request.getfixturevalue("tmp_path"))


def pytest_xdist_auto_num_workers() -> int:
    """One process more than cores, as many tests wait for a process or a server they started."""
    return len(os.sched_getaffinity(0)) + 1
