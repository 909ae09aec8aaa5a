"""Running independent pieces of work on threads, with an ordered merge so that the number of threads never shows.

Knows nothing of tiles or metrics: a task names the resources it writes to, and no two tasks that share one run at
the same time. Results are merged in task order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Task(Generic[Result]):
    """`run` may write to `resources`; its result is handed to the merge in task order."""

    run: Callable[[], Result]
    resources: frozenset[Hashable]


def run_tasks(
    tasks: Sequence[Task[Result]], merge: Callable[[Result], None], threads: int, tick: Callable[[], None]
) -> None:
    """Run all tasks, merge their results in order, call `tick` once per finished task.

    An exception in a task stops the others and is raised here; so does an interrupt of the main thread.
    """
    if threads <= 1 or len(tasks) <= 1:
        for task in tasks:
            merge(task.run())
            tick()
        return
    board = _Board(list(range(len(tasks))), tasks, merge, tick)
    workers = [threading.Thread(target=board.work, daemon=True) for _ in range(min(threads, len(tasks)))]
    for worker in workers:
        worker.start()
    try:
        for worker in workers:
            worker.join()
    except BaseException:
        board.stop()
        for worker in workers:
            worker.join()
        raise
    if board.error is not None:
        raise board.error


@dataclass
class _Board(Generic[Result]):
    waiting: list[int]
    tasks: Sequence[Task[Result]]
    merge: Callable[[Result], None]
    tick: Callable[[], None]
    busy: set[Hashable] = field(default_factory=set)
    done: dict[int, Result] = field(default_factory=dict)
    merged: int = 0
    error: BaseException | None = None
    changed: threading.Condition = field(default_factory=threading.Condition)

    def stop(self) -> None:
        with self.changed:
            self.waiting.clear()
            self.changed.notify_all()

    def work(self) -> None:
        while (number := self._take()) is not None:
            task = self.tasks[number]
            try:
                result = task.run()
                self._finish(number, result)
            except BaseException as error:
                with self.changed:
                    self.error = self.error or error
                self.stop()

    def _take(self) -> int | None:
        with self.changed:
            while self.waiting:
                for at, number in enumerate(self.waiting):
                    if self.busy.isdisjoint(self.tasks[number].resources):
                        del self.waiting[at]
                        self.busy |= self.tasks[number].resources
                        return number
                self.changed.wait()
            return None

    def _finish(self, number: int, result: Result) -> None:
        with self.changed:
            self.busy -= self.tasks[number].resources
            self.done[number] = result
            while self.merged in self.done:
                self.merge(self.done.pop(self.merged))
                self.merged += 1
            self.tick()
            self.changed.notify_all()
