"""Quality scores from a release, held against scikit-learn's on the records."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import calinski_harabasz_score

from helpers.groups import fitted, groups
from helpers.releases import made
from hushmeans import InputError


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_scores_are_those_of_the_records_within_their_errors(delta: float) -> None:
    release = fitted(4, 3, 4, 1, delta)
    records = groups(4, 3, 0)
    labels = release.predict(records)
    scores = release.quality()
    true = calinski_harabasz_score(records, labels)
    found = scores.calinski_harabasz
    assert abs(found.value - true) < 4 * found.standard_error
    own = np.linalg.norm(records - np.array(release.centres)[labels], axis=1)
    to_all = np.linalg.norm(records[:, None] - np.array(release.centres), axis=2)
    to_all[np.arange(len(labels)), labels] = np.inf
    other = to_all.min(axis=1)
    silhouette = ((other - own) / np.maximum(other, own)).mean()
    assert scores.silhouette.value == pytest.approx(silhouette, abs=0.05)
    assert 0 < scores.davies_bouldin.value < 1
    assert "±" in str(scores.silhouette)
    assert str(scores).startswith("Calinski-Harabasz ")


def test_scores_need_widths_and_two_clusters_beyond_noise() -> None:
    with pytest.raises(InputError, match="has no widths"):
        made(3, 2, sizes=(900.0,) * 3).quality()
    with pytest.raises(InputError, match="fewer than two"):
        made(3, 2, sizes=(900.0, 1.0, 1.0)).quality()
