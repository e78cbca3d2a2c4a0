"""Work on a stream, a few items at a time: reading goes on while earlier items are worked on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from hushmeans.curator import kernel
from hushmeans.curator.questions import Question
from hushmeans.types import IntArray

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int | None = None
) -> Iterator[Result]:
    """The results for all items, in their order.

    Never more items are held than twice the number of threads, however many there are.

    Parameters
    ----------
    threads
        How many threads work; None for as many as there are processors.
    """
    threads = threads or kernel.available_threads()
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for item in items:
            if len(waiting) == 2 * threads - 1:
                yield waiting.popleft().result()
            waiting.append(pool.submit(work, item))
        while waiting:
            yield waiting.popleft().result()


def add_up(question: Question, parts: Iterable[IntArray]) -> IntArray:
    """The answer to a question, from the answers for parts of the records."""
    total = np.zeros(question.shape, dtype=np.int64)
    for part in parts:
        total += part
    return total
