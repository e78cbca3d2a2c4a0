"""Settings for every test."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from contextlib import suppress
from fcntl import LOCK_EX, flock
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from helpers.browser import Browser
from helpers.postgres import Server
from helpers.spark_cluster import cluster
from hushmeans.budget import Budget, Spend, allocation
from hushmeans.curator.kernel import chosen_kernel
from hushmeans.errors import PrivacyError
from hushmeans.ledger.address import LEDGER_VARIABLE, default_file
from hushmeans.ledger.ledger import STRICT_VARIABLE
from hushmeans.release import Release
from hushmeans.schema import Box

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The first call of a compiled function takes long, and these machines are noisy.
settings.register_profile("hushmeans", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("hushmeans")


SHARED = {"session": "spark", "postgres": "postgres", "browser": "browser"}
"""Fixtures that start a server, and the group of tests that one process runs for its sake."""

SLOW = (
    "experiments/tests",
    "tests/audit",
    "tests/commands/test_main.py::test_a_binary_file",
    "tests/commands/test_main.py::test_a_terminal",
    "tests/commands/test_main.py::test_the_installed_command",
    "tests/curator/test_caching.py",
    "tests/curator/test_compiled.py::test_a_processor",
    "tests/curator/test_compiled.py::test_nothing_behind",
    "tests/curator/test_compiled.py::test_single_precision",
    "tests/curator/test_compiled.py::test_the_filter",
    "tests/curator/test_compiled.py::test_without_a_place",
    "tests/curator/test_conformance.py",
    "tests/curator/test_connect.py",
    "tests/curator/test_databases.py",
    "tests/curator/test_mechanisms.py::test_the_estimate",
    "tests/curator/test_people.py::test_files",
    "tests/curator/test_people.py::test_neither_the_order",
    "tests/curator/test_readers.py",
    "tests/curator/test_selftest.py::test_a_fit",
    "tests/curator/test_shifts.py::test_clipping_is_exact",
    "tests/curator/test_spark.py",
    "tests/curator/test_sources.py::test_text_in_a_column",
    "tests/curator/test_texts.py::test_a_value_is_read_alike",
    "tests/curator/test_texts.py::test_an_id_is_the_same_beside",
    "tests/forecasting",
    "tests/hostile",
    "tests/ledger/test_chain.py::test_a_debit_costs",
    "tests/ledger/test_composition.py",
    "tests/ledger/test_faults.py",
    "tests/ledger/test_ledger.py::test_a_thousand",
    "tests/ledger/test_processes.py",
    "tests/methods/test_refined.py::test_the_stated_errors",
    "tests/report/test_browser.py",
    "tests/report/test_page.py::test_every_release",
    "tests/report/test_page.py::test_the_page_is_well_formed",
    "tests/studio/test_app.py",
    "tests/studio/test_browser.py",
    "tests/test_imports.py::test_a_fit",
)
"""What `make quick` leaves out, beside the tests that need a server."""


def leaves_out_slow(config: pytest.Config) -> bool:
    """Whether this is `make quick`."""
    return bool(config.getoption("markexpr") == "not slow")


def pytest_configure(config: pytest.Config) -> None:
    """Do not even import what `make quick` leaves out whole."""
    if leaves_out_slow(config):
        whole = [str(config.rootpath / place) for place in SLOW if "::" not in place]
        config.option.ignore = [*(config.option.ignore or ()), *whole]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Where nothing is compiled yet, one process compiles the kernel and the others wait for it.

    Collection already needs it: parameters of some tests are encoded records.
    """
    if hasattr(session.config, "workerinput"):
        with open(__file__) as lock, suppress(PrivacyError):
            flock(lock, LOCK_EX)
            chosen_kernel()  # one that gives wrong answers is for the tests to report


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among half a million objects that stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process more than there are processors: tests of a server mostly wait for it.

    `make quick` has none of these, and every process has to import and collect everything.
    """
    return (os.cpu_count() or 1) + (0 if leaves_out_slow(config) else 1)


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks for the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests of one server in one process, begin with these, and mark what is slow.

    Begun last, the tests of a server would go on in one process when the others have ended.
    """
    for item in items:
        wanted = set(getattr(item, "fixturenames", ()))
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        if any(isinstance(each, str) and each == "postgresql" for each in parameters.values()):
            wanted.add("postgres")  # asked for by its parameter
        if "spark" in item.name.partition("[")[2]:
            wanted.add("session")
        groups = [group for fixture, group in SHARED.items() if fixture in wanted]
        if groups:
            item.add_marker(pytest.mark.xdist_group(groups[0]))
        if groups or item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders for data, as many as are wanted.

    Counted here: `mktemp` looks through all folders that there are to number the next one.
    """
    folder = tmp_path_factory.mktemp("data")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def own_ledger(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test writes into the ledger of the person who runs it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(next(homes)))
    for variable in (LEDGER_VARIABLE, STRICT_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    return default_file()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of our own."""
    if (reason := Server.missing()) is not None:
        pytest.skip(reason)
    with Server.running() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A path and a URL where no ledger is yet."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.sqlite")
    server: Server = request.getfixturevalue("postgres")
    return server.new_place()


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium, one for all tests."""
    if (reason := Browser.missing()) is not None:
        pytest.skip(reason)
    with Browser.running() as browser:
        yield browser


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A Spark cluster for the tests that want one."""
    with cluster(tmp_path_factory) as started:
        yield started
