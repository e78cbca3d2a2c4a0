"""What several tests of experiments need."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FAKE = """
import numpy as np

class GeometricFolded:
    def __init__(self, *, epsilon, sensitivity):
        self.epsilon, self.sensitivity = epsilon, sensitivity

class LaplaceBoundedDomain:
    def __init__(self, *, epsilon, sensitivity, lower, upper):
        self.epsilon, self.sensitivity, self.lower, self.upper = epsilon, sensitivity, lower, upper
        self._scale = sensitivity / epsilon
    def randomise(self, value):
        return value

class KMeans:
    def __init__(self, n_clusters, *, epsilon, bounds, random_state):
        if n_clusters == 13:
            raise ValueError("thirteen is too many")
        self.n_clusters, self.epsilon, self.seed = n_clusters, epsilon, random_state
    def fit(self, points):
        for _ in range(2):
            GeometricFolded(epsilon=self.epsilon / 10, sensitivity=1)
            for _ in range(self.n_clusters * points.shape[1]):
                LaplaceBoundedDomain(
                    epsilon=self.epsilon / 5, sensitivity=2, lower=-1e9, upper=1e9
                ).randomise(0)
        kept = 1 if self.n_clusters == 12 else self.n_clusters
        self.cluster_centers_ = np.full((kept, points.shape[1]), self.seed / 2**33)
        return self
"""


@pytest.fixture(scope="session")
def fake_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python in whose world diffprivlib is a few lines that draw no noise."""
    home = tmp_path_factory.mktemp("fake")
    package = home / "diffprivlib" / "models"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package.parent / "__init__.py").touch()
    (package / "k_means.py").write_text(FAKE)
    start = f"import runpy, sys; sys.path.insert(0, {str(home)!r}); "
    start += "runpy.run_path(sys.argv[1], run_name='__main__')"
    script = home / "python"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -c "{start}" "$2"\n')
    script.chmod(0o755)
    return script


@pytest.fixture(scope="module")
def no_worker_stays() -> Iterator[None]:
    """The processes that joblib keeps for the next call end with these tests."""
    yield
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True)
