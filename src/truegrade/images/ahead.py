"""Work on threads, in order, with bounded look-ahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from truegrade.cores import usable_cores

A = TypeVar("A")
B = TypeVar("B")
_MOST_THREADS = 8  # decoding does not gain from more


def decoding_threads() -> int:
    """As many threads as this process may use cores, at most 8."""
    return min(_MOST_THREADS, usable_cores())


def in_order(work: Callable[[A], B], items: Iterable[A], threads: int | None = None) -> Iterator[B]:
    """`work` of every item, in the order of the items, computed ahead on threads.

    At most 2 * threads + 1 results exist at a time. What `work` raises is raised when its turn comes; when the
    iterator is closed, work that has not begun is dropped, and what has begun is not waited for: the garbage
    collector may close it anywhere, even while a thread is being started, and then no other thread can end.
    """
    count = decoding_threads() if threads is None else max(1, threads)
    if count == 1:
        yield from map(work, items)
        return
    waiting, wait = iter(items), True
    pool = ThreadPoolExecutor(count, thread_name_prefix="truegrade-images")
    try:
        queue: deque[Future[B]] = deque(pool.submit(work, item) for item in islice(waiting, 2 * count))
        while queue:
            result = queue.popleft().result()
            queue.extend(pool.submit(work, item) for item in islice(waiting, 1))
            yield result
    except GeneratorExit:
        wait = False
        raise
    finally:
        pool.shutdown(wait=wait, cancel_futures=True)
