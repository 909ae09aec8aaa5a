"""Runs scenarios: draws every level, grades it by all metrics in one engine run, and has the curves judged.

What is drawn depends on the seed, the scenario, the repeat and (where a scenario is not `paired`) the level, and on
nothing else: not on threads, on the other metrics, nor on what a journal already holds.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np

from truegrade.audit.journal import Journal, Measured
from truegrade.audit.judging import findings_of
from truegrade.audit.material import Material, tied
from truegrade.audit.scenario import Ask, Draw, Scenario, Seen, Side
from truegrade.codec import plain
from truegrade.cores import usable_cores
from truegrade.engine.blas import thread_for
from truegrade.engine.cache import AnswerCache
from truegrade.errors import InputError
from truegrade.grading import Progress, Run, grade, refused
from truegrade.metrics.base import Metric
from truegrade.result.audit import AuditCurve, ScenarioOutcome
from truegrade.samples import Samples


@dataclass(frozen=True, eq=False)
class Task:
    """One scenario on one material, with everything that decides what is run."""

    scenario: Scenario
    material: Material
    metrics: Mapping[str, Metric]
    levels: tuple[float, ...]
    n: int
    repeats: int
    seed: int
    problems: list[str] = field(default_factory=list)

    @property
    def units(self) -> int:
        """How many draws are graded."""
        return len(self.levels) * len(self.scenario.arms) * self.repeats

    @property
    def space(self) -> str:
        """The feature space of the data; laws have none."""
        return "" if self.scenario.data == "law" else self.material.space

    @property
    def curved(self) -> dict[str, Metric]:
        """The metrics that have a curve: where a parameter is varied, those that have it."""
        vary = self.scenario.vary
        return {k: m for k, m in self.metrics.items() if vary is None or vary in m.parameters()}

    def unit(self, level: float, arm: str, repeat: int) -> str:
        """The name of one draw."""
        return f"{self.scenario.key} | {self.space} | n {self.n} | {level!r} | {arm} | repeat {repeat}"

    def rng(self, level: float, arm: str, repeat: int) -> np.random.Generator:
        """What the draw is made with."""
        parts = [self.scenario.key] if self.scenario.paired else [self.scenario.key, repr(level), arm]
        return np.random.default_rng([self.seed, repeat, *(zlib.crc32(part.encode()) for part in parts)])

    def at(self, level: float) -> dict[str, Metric]:
        """The metrics of one level: with the level as a parameter where the scenario varies one.

        A metric that does not take the value is not there.
        """
        name = self.scenario.vary
        if name is None:
            return dict(self.metrics)
        value = int(level) if float(level).is_integer() else level
        found = {key: _varied(metric, name, value) for key, metric in self.curved.items()}
        return {key: metric for key, metric in found.items() if metric is not None}


def _varied(metric: Metric, name: str, value: float) -> Metric | None:
    """The metric with another value of a parameter, None where it refuses that."""
    try:
        return replace(metric, **{name: value})  # type: ignore[type-var]
    except InputError:
        return None


def make_task(
    scenario: Scenario,
    material: Material,
    metrics: Mapping[str, Metric],
    *,
    quick: bool = False,
    seed: int = 0,
    n: int | None = None,
    repeats: int | None = None,
) -> Task:
    """A task with the scenario's own sizes where none are given; `n` concerns laws only."""
    size = n if n is not None and scenario.data == "law" else scenario.sizes[quick]
    times = scenario.repeats[quick] if repeats is None else repeats
    return Task(scenario, material, metrics, scenario.axis.chosen(quick), size, times, seed)


def run_scenario(
    scenario: Scenario,
    material: Material,
    metrics: Mapping[str, Metric],
    *,
    quick: bool = False,
    seed: int = 0,
    n: int | None = None,
    repeats: int | None = None,
    threads: int | None = None,
) -> ScenarioOutcome:
    """One scenario alone."""
    task = make_task(scenario, material, metrics, quick=quick, seed=seed, n=n, repeats=repeats)
    (outcome,) = run_tasks([task], Journal(), threads=threads)
    return outcome


def run_tasks(
    tasks: Sequence[Task], journal: Journal, *, threads: int | None = None, progress: Progress | None = None
) -> list[ScenarioOutcome]:
    """The outcomes of all tasks, in order.

    Repeats of all scenarios are shared out among `threads` (default: all processors), each of which sweeps alone: at
    the sizes of an audit that is quicker than many threads for one sweep. What is timed is run afterwards, alone.
    """
    counter = _Counter(sum(task.units for task in tasks), progress)
    jobs = [_Job(task, repeat, journal, counter) for task in tasks for repeat in range(task.repeats)]
    with thread_for(1):
        _all_of((job for job in jobs if not job.task.scenario.timed), threads or usable_cores())
        _all_of((job for job in jobs if job.task.scenario.timed), 1)
    return [_outcome(task, journal) for task in tasks]


def _all_of(jobs: Iterable[_Job], workers: int) -> None:
    """Run the jobs; the first error stops all."""
    pool = ThreadPoolExecutor(workers)
    try:
        futures = [pool.submit(job) for job in jobs]
        for future in futures:
            future.result()
    except BaseException:
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()


@dataclass
class _Counter:
    """Tells how many units are done."""

    total: int
    progress: Progress | None
    done: int = 0

    def add(self, units: int, what: str) -> None:
        self.done += units
        if self.progress is not None:
            self.progress(self.done, self.total, what)


@dataclass(frozen=True, eq=False)
class _Job:
    """One repeat of one task. What concerns the real side is kept over its levels."""

    task: Task
    repeat: int
    journal: Journal
    counter: _Counter

    def __call__(self) -> None:
        task, run = self.task, Run(1, None if self.task.scenario.timed else AnswerCache())
        for level, arm in ((level, arm) for level in task.levels for arm in task.scenario.arms):
            if not task.problems:
                try:
                    with np.errstate(all="ignore"):  # what is not finite has a reason
                        self._unit(level, arm, run)
                except InputError as error:  # the data do not allow it; the other scenarios go on
                    task.problems.append(str(error))
            self.counter.add(1, task.scenario.title)

    def _unit(self, level: float, arm: str, run: Run) -> None:
        task, unit = self.task, self.task.unit(level, arm, self.repeat)
        metrics, known = task.at(level), self.journal.get(unit)
        lacking = {key: metric for key, metric in metrics.items() if _name(key, metric) not in known}
        if not lacking:
            return
        ask = Ask(level, task.n, task.rng(level, arm, self.repeat), task.material, arm)
        sides = _sides(task.scenario.make(ask))
        sizes = {"rows": sides["real"].n, "columns": sides["real"].d, "synthetic rows": sides["synthetic"].n}
        real = sides["real"]
        some = real.rows.take(np.unique(np.linspace(0, real.n - 1, min(real.n, 100)).astype(np.intp)))
        shape = {name: Measured(float(size)) for name, size in {**sizes, "tied": tied(some)}.items()}
        self.journal.put(unit, {**shape, **_measure(lacking, sides, run, task.scenario.timed)})


def _sides(draw: Draw) -> dict[str, Samples]:
    given = {"real": draw.real, "synthetic": draw.synthetic, "holdout": draw.holdout}
    return {name: _samples(side, name) for name, side in given.items() if side is not None}


def _samples(side: Side, name: str) -> Samples:
    return replace(side, name=name) if isinstance(side, Samples) else Samples.from_array(side, name=name)


def _measure(
    metrics: Mapping[str, Metric], sides: Mapping[str, Samples], run: Run, timed: bool
) -> dict[str, Measured]:
    """All metrics on one draw; each by itself where they are timed."""
    why = {key: refused(metric, sides) for key, metric in metrics.items()}
    fit = {key: metric for key, metric in metrics.items() if why[key] is None}
    out = {_name(key, metrics[key]): Measured(None, reason) for key, reason in why.items() if reason is not None}
    for group in [{key: metric} for key, metric in fit.items()] if timed else [fit]:
        started = time.process_time()  # of this process, whatever else the machine does
        grades = grade(group, sides, run)
        taken = time.process_time() - started if timed else None
        for key, found in grades.items():
            value = found.outcome.value if found.status == "ok" else None
            number = None if value is None else float(value)
            out[_name(key, metrics[key])] = Measured(number, None if found.status == "ok" else found.reason, taken)
    return out


def _name(key: str, metric: Metric) -> str:
    """A metric with all its parameters, so that a journal never takes one for another."""
    kind = f"{type(metric).__module__}.{type(metric).__qualname__}"
    return f"{key} {kind} {json.dumps(plain(metric.parameters()), sort_keys=True)}"


# --- curves -----------------------------------------------------------------------------------------------


def _outcome(task: Task, journal: Journal) -> ScenarioOutcome:
    """The curves of a task and what is to be said of them; of one that was not possible, why."""
    units = (journal.get(task.unit(level, task.scenario.arms[0], 0)) for level in task.levels)
    told = _described(task, max(units, key=lambda unit: unit["rows"].value or 0 if "rows" in unit else 0))
    if task.problems:
        return replace(told, skipped=task.problems[0])
    curves, findings = [], []
    for key, metric in task.curved.items():
        seen, reasons = _seen(task, journal, key, metric)
        found, desired = findings_of(task.scenario, key, seen)
        taken = None if seen.seconds is None else tuple(map(float, seen.seconds))
        curves.append(AuditCurve(key, seen.curves, desired, reasons, taken))
        findings += found
    return replace(told, curves=tuple(curves), findings=tuple(findings))


def not_run(task: Task, why: str) -> ScenarioOutcome:
    """A scenario that is left out, with the reason."""
    return replace(_described(task, {}), skipped=why)


def _described(task: Task, shape: Mapping[str, Measured]) -> ScenarioOutcome:
    scenario = task.scenario
    n, d = (int(shape[name].value or 0) if name in shape else 0 for name in ("rows", "columns"))
    return ScenarioOutcome(
        key=scenario.key,
        title=scenario.title,
        suite=scenario.suite,
        question=scenario.question,
        source=scenario.source,
        axis=scenario.axis.name,
        levels=task.levels,
        labels=tuple(scenario.axis.label(level) for level in task.levels) if scenario.axis.labels else (),
        log=scenario.axis.log,
        reference=scenario.axis.reference,
        data=scenario.data,
        space=task.space,
        n=n,
        d=d,
        repeats=task.repeats,
    )


def _seen(task: Task, journal: Journal, key: str, metric: Metric) -> tuple[Seen, tuple[str, ...]]:
    shape = (len(task.levels), task.repeats)
    curves = {arm: np.full(shape, np.nan) for arm in task.scenario.arms}
    seconds, reasons = np.full(shape, np.nan), dict[str, None]()
    for i, level in enumerate(task.levels):
        varied = task.at(level).get(key)
        for arm in task.scenario.arms:
            for repeat in range(task.repeats):
                known = journal.get(task.unit(level, arm, repeat))
                one = _REFUSED if varied is None else known[_name(key, varied)]
                curves[arm][i, repeat] = np.nan if one.value is None else one.value
                seconds[i, repeat] = np.nan if one.seconds is None else one.seconds
                if one.reason:
                    reasons[one.reason] = None
    at = task.scenario.axis.reference
    first = journal.get(task.unit(task.levels[0], task.scenario.arms[0], 0))
    seen = Seen(
        levels=np.array(task.levels, np.float64),
        curves=curves,
        info=metric.info,
        reference=task.levels.index(at) if at is not None and at in task.levels else None,
        parameters=metric.parameters(),
        n=task.n,
        seconds=seconds.min(axis=1) if task.scenario.timed else None,
        tied=bool(first["tied"].value) if "tied" in first else False,
        sizes=np.array([_sizes(journal.get(task.unit(level, task.scenario.arms[0], 0))) for level in task.levels]),
    )
    return seen, tuple(reasons)[:3]


_REFUSED = Measured(None, "it does not take this value of its parameter")


def _sizes(unit: Mapping[str, Measured]) -> tuple[float, float]:
    """How many real and how many synthetic samples a draw has."""
    n, m = (unit[name].value for name in ("rows", "synthetic rows"))
    assert n is not None
    assert m is not None
    return n, m
