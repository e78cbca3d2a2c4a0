"""Linear algebra on one thread: the same bits on every machine, and no thread that spins."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """While it lasts, the libraries that are loaded use no further thread."""
    pools: Any = _thread_pools("sklearn.cluster" in sys.modules)
    limited: AbstractContextManager[object] = pools.limit(limits=1)
    return limited


@cache
def _thread_pools(with_scikit_learn: bool) -> ThreadpoolController:
    """The thread pools of NumPy and, if it is loaded, of scikit-learn: the search takes long."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
