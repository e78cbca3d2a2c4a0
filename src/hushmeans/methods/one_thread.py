"""Linear algebra on one thread: it gives the same bits everywhere, and no idle thread spins."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """A context in which the libraries for linear algebra use a single thread."""
    pools: Any = _thread_pools("sklearn.cluster" in sys.modules)
    limited: AbstractContextManager[object] = pools.limit(limits=1)
    return limited


@cache
def _thread_pools(with_scikit_learn: bool) -> ThreadpoolController:
    """The thread pools of NumPy and, if it is loaded, of scikit-learn; finding them takes long."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
