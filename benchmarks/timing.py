"""How benchmarks take time: tasks take turns, and the best of several rounds counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


def best_times(tasks: Mapping[str, Callable[[], object]], repeats: int = 7) -> dict[str, float]:
    """The shortest time of each task in seconds, after one round to warm up."""
    for task in tasks.values():
        task()
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(repeats):
        for name, task in tasks.items():
            begun = time.perf_counter()
            task()
            best[name] = min(best[name], time.perf_counter() - begun)
    return best
