"""Running tasks: ordered merge, no shared resource, and a failure that stops everything and is raised once."""

from __future__ import annotations

import os
import threading

import pytest

from truegrade.cores import usable_cores
from truegrade.engine import executors
from truegrade.engine.executors import Task, run_tasks

THREADS = [1, 2, 4, 9]


def no_tick():
    pass


def tasks_of(run, resources):
    return [Task(lambda i=i: run(i), frozenset(names)) for i, names in enumerate(resources)]


@pytest.mark.parametrize("threads", THREADS)
def test_results_are_merged_in_the_order_of_the_tasks(threads):
    merged, ticks = [], []
    tasks = tasks_of(lambda i: i, [{i % 3, ("x", i % 5)} for i in range(60)])
    run_tasks(tasks, merged.append, threads, lambda: ticks.append(len(merged)))
    assert merged == list(range(60))
    assert len(ticks) == 60
    assert ticks == sorted(ticks)


@pytest.mark.parametrize("threads", [0, *THREADS])
def test_nothing_to_do(threads):
    run_tasks([], pytest.fail, threads, pytest.fail)


def test_a_task_that_ends_early_is_merged_late():
    """The first task waits until the second is done: the second's result is held back."""
    second_done = threading.Event()

    def run(i):
        if i == 0:
            assert second_done.wait(20)
        else:
            second_done.set()
        return i

    merged = []
    run_tasks(tasks_of(run, [{0}, {1}]), merged.append, 2, no_tick)
    assert merged == [0, 1]


def test_two_threads_work_at_the_same_time():
    together = threading.Barrier(2, timeout=20)
    run_tasks(tasks_of(lambda _: together.wait(), [{0}, {1}, {0}, {1}]), lambda _: None, 2, no_tick)
    assert not together.broken


@pytest.mark.parametrize("threads", THREADS)
def test_no_resource_is_ever_used_by_two_tasks(threads):
    """As in a sweep: task (i, j) uses block i and block j."""
    resources = [{i, j} for i in range(12) for j in range(i, 12)]
    in_use, lock, clashes = set(), threading.Lock(), []

    def run(number):
        mine = resources[number]
        with lock:
            clashes.extend(mine & in_use)
            in_use.update(mine)
        sum(range(2000))
        with lock:
            in_use.difference_update(mine)

    done = []
    run_tasks(tasks_of(run, resources), done.append, threads, no_tick)
    assert clashes == []
    assert len(done) == len(resources)


def test_tasks_that_share_everything_run_one_by_one_in_order():
    order = []
    run_tasks(tasks_of(order.append, [{"one"}] * 20), lambda _: None, 4, no_tick)
    assert order == list(range(20))


def failing(where, error):
    def run(i):
        if i == where:
            raise error
        return i

    return run


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("where", [0, 7, 29])
@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), MemoryError()], ids=repr)
def test_a_failure_is_raised_once_and_stops_the_rest(error, where, threads):
    merged, started, before = [], [], threading.active_count()
    run = failing(where, error)

    def counted(i):
        started.append(i)
        return run(i)

    with pytest.raises(type(error)) as raised:
        run_tasks(tasks_of(counted, [{"one"}] * 30), merged.append, threads, no_tick)
    assert raised.value is error
    assert merged == list(range(where))
    assert started == list(range(where + 1))
    assert threading.active_count() == before


@pytest.mark.parametrize("threads", THREADS)
def test_every_task_fails(threads):
    def run(i):
        raise ValueError(i)

    with pytest.raises(ValueError, match=r"^\d+$"):
        run_tasks(tasks_of(run, [{i} for i in range(20)]), pytest.fail, threads, no_tick)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("who", ["merge", "tick"])
def test_a_failure_of_merge_or_tick_is_raised_too(who, threads):
    def fail(*_):
        raise RuntimeError(who)

    calls = {"merge": lambda _: None, "tick": no_tick, who: fail}
    with pytest.raises(RuntimeError, match=who):
        run_tasks(tasks_of(int, [{i % 4} for i in range(20)]), calls["merge"], threads, calls["tick"])


def test_an_interrupt_of_the_main_thread_stops_the_workers(monkeypatch):
    """The main thread is interrupted while it waits; no task is started after that, and no thread is left."""
    interrupted, started = threading.Event(), []

    class Interrupted(threading.Thread):
        def join(self, timeout=None):
            if not interrupted.is_set():
                interrupted.set()
                raise KeyboardInterrupt
            super().join(timeout)

    def run(i):
        assert interrupted.wait(20)
        started.append(i)

    monkeypatch.setattr(executors.threading, "Thread", Interrupted)
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        run_tasks(tasks_of(run, [{"one"}] * 1000), lambda _: None, 2, no_tick)
    assert len(started) < 1000
    assert threading.active_count() == before


def test_usable_cores_are_those_this_process_may_use(monkeypatch):
    assert 1 <= usable_cores() <= os.cpu_count()
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 7}, raising=False)
    assert usable_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cores() == 1
