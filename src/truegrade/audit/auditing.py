"""An audit from beginning to end: open, plan, run, judge, collect."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from truegrade.audit.choosing import Wishes, plan
from truegrade.audit.journal import open_journal
from truegrade.audit.material import Material
from truegrade.audit.opening import open_materials
from truegrade.audit.run import Task, run_tasks
from truegrade.audit.standings import recommend, standings
from truegrade.audit.suites import Suite, get_suites
from truegrade.codec import plain
from truegrade.embedders import Embedder
from truegrade.errors import InputError
from truegrade.grading import Progress, choose
from truegrade.metrics import Choice, resolve
from truegrade.metrics.base import Metric, check_whole
from truegrade.result import Provenance
from truegrade.result.audit import AuditedMetric, AuditReport, ScenarioOutcome
from truegrade.session import versions


def run_audit(
    real: object,
    *,
    suite: str | Suite | Sequence[str | Suite],
    metrics: Choice | Iterable[Choice] | None,
    k: int | None,
    quick: bool,
    seed: int,
    n: int | None,
    repeats: int | None,
    embed: str | Embedder | Iterable[str | Embedder] | None,
    reading: Mapping[str, Any],
    threads: int | None,
    resume: str | os.PathLike[str] | None,
    progress: Progress | None,
) -> AuditReport:
    """See `truegrade.audit`; reading: how the real samples are read."""
    start, created = time.perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
    suites = _suites(suite)
    sizes = _some("n", n, 60), _some("repeats", repeats, 2)
    wishes = Wishes(*_chosen(metrics, k), quick, _whole("seed", seed, 0), *sizes)
    threads = _some("threads", threads, 1)
    materials = open_materials(real, embed=embed, seed=wishes.seed, threads=threads, **reading)
    steps, named = plan(suites, materials, wishes)
    journal = open_journal(resume, _about(materials, wishes))
    tasks = [step for step in steps if isinstance(step, Task)]
    done = iter(run_tasks(tasks, journal, threads=threads, progress=progress))
    outcomes = tuple(next(done) if isinstance(step, Task) else step for step in steps)
    found = standings(outcomes)
    return AuditReport(
        metrics=tuple(_facts(name, metric) for name, metric in named.items()),
        scenarios=outcomes,
        standings=found,
        recommendation=recommend(found, {name: metric.info.family for name, metric in named.items()}),
        agreement=tuple(a for one in suites if one.agreement for a in one.agreement(_of(one, outcomes))),
        data=_data(materials),
        settings=_settings(suites, wishes, k),
        provenance=Provenance(versions(), wishes.seed, threads, created, round(time.perf_counter() - start, 3)),
    )


def _suites(given: str | Suite | Sequence[str | Suite]) -> tuple[Suite, ...]:
    several = [given] if isinstance(given, (str, Suite)) else list(given)
    found = [one for s in several for one in ((s,) if isinstance(s, Suite) else get_suites(s))]
    if not found:
        raise InputError("No suite was chosen; name at least one, or 'all'.")
    return tuple({one.key: one for one in found}.values())


def _chosen(
    metrics: Choice | Iterable[Choice] | None, k: int | None
) -> tuple[Mapping[str, Metric] | None, frozenset[str]]:
    """The metrics that were asked for, and which of them by name alone."""
    if metrics is None:
        if k is not None:
            raise InputError(f"k={k} given without metrics; name the metrics that it is for. Suites have their own.")
        return None, frozenset()
    single = isinstance(metrics, (str, Metric, type))
    items: list[Any] = [metrics] if single else list(metrics)  # type: ignore[arg-type]
    names = [item for item in items if isinstance(item, str)]
    found = choose(items, k)[0]
    return found, frozenset(m.info.key for m in resolve(names)) if names and k is None else frozenset()


def _whole(name: str, value: object, least: int) -> int:
    check_whole(name, value, least)
    return int(value)  # type: ignore[call-overload, no-any-return]


def _some(name: str, value: object, least: int) -> int | None:
    return None if value is None else _whole(name, value, least)


def _about(materials: Sequence[Material], wishes: Wishes) -> dict[str, Any]:
    """What a journal is about: draws depend on nothing else."""
    return {
        "version": versions()["truegrade"],
        "seed": wishes.seed,
        "data": [[material.space, material.real.fingerprint] for material in materials],
    }


def _of(suite: Suite, outcomes: Sequence[ScenarioOutcome]) -> tuple[ScenarioOutcome, ...]:
    return tuple(outcome for outcome in outcomes if outcome.suite == suite.key)


def _facts(name: str, metric: Metric) -> AuditedMetric:
    info = metric.info
    parameters = {key: plain(value) for key, value in metric.parameters().items()}
    return AuditedMetric(name, info.title, info.family, info.direction, info.range, parameters)


def _data(materials: Sequence[Material]) -> dict[str, Any]:
    real = materials[0].real
    return {
        "name": real.name,
        "source": real.source,
        "law": materials[0].law,
        "n": real.n,
        "d": [material.real.d for material in materials],
        "spaces": [material.space for material in materials],
        "fingerprints": [material.real.fingerprint for material in materials],
    }


def _settings(suites: Sequence[Suite], wishes: Wishes, k: int | None) -> dict[str, Any]:
    return {
        "suites": [one.key for one in suites],
        "metrics": None if wishes.metrics is None else list(wishes.metrics),
        "k": k,
        "quick": wishes.quick,
        "n": wishes.n,
        "repeats": wishes.repeats,
    }
