"""Work on a stream: in order, a few items at a time, and nothing lost when it fails."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from hushmeans.curator.streaming import in_parallel


@pytest.mark.parametrize("threads", [1, 2, 5, None])
@pytest.mark.parametrize("n_items", [0, 1, 2, 100])
def test_results_come_in_the_order_of_the_items(n_items: int, threads: int | None) -> None:
    results = in_parallel(lambda item: item**2, range(n_items), threads)
    assert list(results) == [item**2 for item in range(n_items)]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_no_more_items_are_held_than_twice_the_threads(threads: int) -> None:
    lock, held, most = threading.Lock(), 0, 0

    def items() -> Iterator[int]:
        nonlocal held, most
        for item in range(100):
            with lock:
                held += 1
                most = max(most, held)
            yield item

    for _ in in_parallel(lambda item: item, items(), threads):
        with lock:
            held -= 1
    assert most == 2 * threads


def test_what_the_items_or_the_work_raise_is_raised() -> None:
    def items() -> Iterator[float]:
        yield from (1.0, 2.0)
        raise KeyError("items")

    with pytest.raises(KeyError, match="items"):
        list(in_parallel(lambda item: item, items(), 2))
    with pytest.raises(ZeroDivisionError):
        list(in_parallel(lambda item: 1 / item, [1.0, 0.0, 2.0], 2))
