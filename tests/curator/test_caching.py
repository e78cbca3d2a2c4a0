"""Compiled code on disk: used again by the next process, and never after a source has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hushmeans
from hushmeans.curator.compiled.caching import sources_digest

CLIPPED = """
import numpy as np
from hushmeans.curator import compiled

sums = np.zeros(2, np.int64)
centre, records = np.array([[100, 100]]), np.array([[400, 0]], np.int32)
compiled.add_up_spread(records, centre, 0, 2000, True, sums)
[(signature, hits)] = compiled.add_up_spread.stats.cache_hits.items() or [(None, 0)]
print(sums.tolist(), "kept" if hits else "compiled")
"""
"""Squares of 90,000 and 10,000: beyond the clip, so that their sum becomes 2,000."""

DIGEST = "from hushmeans.curator.compiled.caching import sources_digest as of; print(of())"

RIGHT, FIVE_TIMES = "[1800, 200]", "[9000, 1000]"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package without anything compiled."""
    copy = tmp_path / "installed" / "hushmeans"
    original = Path(hushmeans.__file__).parent
    shutil.copytree(original, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.fixture(params=["beside the sources", "in a folder of its own"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Where Numba keeps compiled code."""
    own = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    return own if request.param == "in a folder of its own" else {}


def run(package: Path, place: dict[str, str], code: str = CLIPPED) -> str:
    """What a new process prints that imports this copy of the package."""
    environment = {name: os.environ[name] for name in os.environ if name != "NUMBA_CACHE_DIR"}
    environment |= {"PYTHONPATH": str(package.parent)} | place
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def kept(tmp_path: Path) -> set[str]:
    """The files of compiled code below a folder."""
    return {path.name for path in tmp_path.rglob("*.nb*")}


def test_code_compiled_from_a_wrong_source_is_gone_with_it(
    package: Path, place: dict[str, str], tmp_path: Path
) -> None:
    """As in an upgrade that corrects `multiplied`, and leaves the file that calls it as it was."""
    [vectors] = package.rglob("vectors.py")
    right = vectors.read_text()
    product = "builder.fmul(builder.sitofp(vector, wide), times)"
    five_times = f"builder.fmul({product}, ir.Constant(wide, [5.0] * vector.type.count))"
    assert right.count(product) == 1
    vectors.write_text(right.replace(product, five_times))
    assert run(package, place) == f"{FIVE_TIMES} compiled"
    stale = kept(tmp_path)
    vectors.write_text(right)
    assert run(package, place) == f"{RIGHT} compiled"
    assert run(package, place) == f"{RIGHT} kept"
    assert len(kept(tmp_path)) == len(stale)
    assert not kept(tmp_path) & stale


@pytest.mark.parametrize("source", ["clipping.py", "scoring.py", "sums.py", "loops.py"])
def test_every_source_of_the_folder_counts(package: Path, source: str, tmp_path: Path) -> None:
    with (package / "curator" / "compiled" / source).open("a") as file:
        file.write("#\n")
    assert run(package, {}, DIGEST) != sources_digest()


def test_the_same_sources_have_the_same_digest_elsewhere(package: Path) -> None:
    assert run(package, {}, DIGEST) == sources_digest()


def test_another_version_of_the_package_counts(package: Path) -> None:
    (package / "version.py").write_text('__version__ = "0.1.1"\n')
    assert run(package, {}, DIGEST) != sources_digest()
