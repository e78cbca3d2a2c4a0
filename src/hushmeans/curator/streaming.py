"""Parallel work on a stream: reading continues while earlier items are processed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TypeVar

from hushmeans.curator import kernel

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int | None = None
) -> Iterator[Result]:
    """The results for all items, in order.

    At most twice as many items as threads are held at a time.

    Parameters
    ----------
    threads
        The number of threads; None for one per processor.
    """
    items = iter(items)
    few = list(islice(items, 2))
    if len(few) < 2:  # not worth a thread
        yield from map(work, few)
        return
    threads = threads or kernel.available_threads()
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for item in chain(few, items):
            if len(waiting) == 2 * threads - 1:
                yield waiting.popleft().result()
            waiting.append(pool.submit(work, item))
        while waiting:
            yield waiting.popleft().result()
