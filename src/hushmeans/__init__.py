"""hushmeans: differentially private k-means clustering.

The public names are loaded when they are first used, so that ``hushmeans --help`` and
programs that need only some of them start quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hushmeans.version import __version__

if TYPE_CHECKING:
    from hushmeans.errors import (
        BudgetError,
        DataError,
        HushmeansError,
        HushmeansWarning,
        InputError,
        InputTypeError,
        LedgerError,
        LedgerWarning,
        PrivacyError,
        RepeatedSpendingWarning,
        SimulationWarning,
        WeakGuaranteeWarning,
    )
    from hushmeans.estimator import DPKMeans
    from hushmeans.evaluate import nicv, nicv_squared
    from hushmeans.forecasting import Forecast, forecast
    from hushmeans.ledger import Ledger
    from hushmeans.release import Release
    from hushmeans.schema import (
        CSV,
        SQL,
        Bounds,
        Category,
        Cycle,
        Date,
        Flag,
        Number,
        Ordinal,
        Schema,
    )

_HOMES = {
    "CSV": "schema",
    "SQL": "schema",
    "Bounds": "schema",
    "BudgetError": "errors",
    "Category": "schema",
    "Cycle": "schema",
    "DPKMeans": "estimator",
    "DataError": "errors",
    "Date": "schema",
    "Flag": "schema",
    "Forecast": "forecasting",
    "HushmeansError": "errors",
    "HushmeansWarning": "errors",
    "InputError": "errors",
    "InputTypeError": "errors",
    "Ledger": "ledger",
    "LedgerError": "errors",
    "LedgerWarning": "errors",
    "Number": "schema",
    "Ordinal": "schema",
    "PrivacyError": "errors",
    "Release": "release",
    "RepeatedSpendingWarning": "errors",
    "Schema": "schema",
    "SimulationWarning": "errors",
    "WeakGuaranteeWarning": "errors",
    "forecast": "forecasting",
    "nicv": "evaluate",
    "nicv_squared": "evaluate",
}

__all__ = [
    "CSV",
    "SQL",
    "Bounds",
    "BudgetError",
    "Category",
    "Cycle",
    "DPKMeans",
    "DataError",
    "Date",
    "Flag",
    "Forecast",
    "HushmeansError",
    "HushmeansWarning",
    "InputError",
    "InputTypeError",
    "Ledger",
    "LedgerError",
    "LedgerWarning",
    "Number",
    "Ordinal",
    "PrivacyError",
    "Release",
    "RepeatedSpendingWarning",
    "Schema",
    "SimulationWarning",
    "WeakGuaranteeWarning",
    "__version__",
    "forecast",
    "nicv",
    "nicv_squared",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hushmeans' has no attribute {name!r}")
    return getattr(import_module(f"hushmeans.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
