"""Settings for every test."""

from __future__ import annotations

import pytest
from hypothesis import settings

from hushmeans.budget import Budget, Spend, allocation
from hushmeans.domain import Box
from hushmeans.release import Release

# The first call of a compiled function takes long, and these machines are noisy.
settings.register_profile("hushmeans", deadline=None)
settings.load_profile("hushmeans")


@pytest.fixture(scope="session")
def release() -> Release:
    """Two clusters of two named features, written by hand; no record was involved."""
    return Release(
        centres=((25.0, 2.0), (75.0, 8.0)),
        standard_errors=((1.0, 0.1), (2.0, 0.2)),
        sizes=(100.0, 50.5),
        size_standard_errors=(3.0, 4.0),
        box=Box((0.0, 0.0), (100.0, 10.0), ("age", "visits")),
        budget=Budget.of(1),
        rows_per_person=1,
        simulated=False,
        spends=tuple(Spend("totals", share, float(share)) for share in allocation(12).shares),
        method="allocation_nk",
        method_options=(("n", 3), ("rounds", 12), ("merge", "ward")),
        versions=(("hushmeans", "0.1.0"), ("opendp", "0.14.1")),
    )
