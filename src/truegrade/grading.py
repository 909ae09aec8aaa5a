"""Choosing metrics and grading samples by them: one engine run for all; a failure costs only its metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from truegrade.codec import plain
from truegrade.engine.cache import AnswerCache
from truegrade.engine.needs import Answers, Direct, Need, Part, Side
from truegrade.errors import InputError, TruegradeError
from truegrade.metrics import METRICS, Choice, resolve
from truegrade.metrics.base import Metric, Outcome, check_k, undefined
from truegrade.samples import Samples
from truegrade.space import Space

Progress = Callable[[int, int, str], None]
"""Called as progress(done, total, what) while the samples are swept."""


@dataclass(frozen=True)
class Run:
    """How the engine is to work: threads, cache and progress as `truegrade.engine.run.answer` takes them."""

    threads: int | None = None
    cache: AnswerCache | None = None
    progress: Progress | None = None

    def answer(self, needs: tuple[Need, ...], sides: Mapping[str, Samples]) -> Answers:
        """The answers to all needs (the engine and its compiler are imported here, at first use)."""
        from truegrade.engine import run

        return run.answer(needs, sides, threads=self.threads, cache=self.cache, progress=self.progress)

    def labelled(self, what: str) -> Run:
        """The same, with progress reported as `what: ...`."""
        tell = self.progress
        if tell is None:
            return self
        return replace(self, progress=lambda done, total, text: tell(done, total, f"{what}: {text}"))


@dataclass(frozen=True)
class Grade:
    """What became of one metric; `outcome.value` is a finite number if and only if status is "ok"."""

    status: Literal["ok", "undefined", "failed"]
    outcome: Outcome
    reason: str | None = None

    @staticmethod
    def without(reason: str) -> Grade:
        """The grade of a metric that this input does not allow."""
        return Grade("undefined", undefined(reason), reason)


def choose(
    metrics: Choice | Iterable[Choice] | None,
    k: int | None = None,
    compat: str | None = None,
    holdout: bool = False,
) -> tuple[dict[str, Metric], frozenset[str]]:
    """The metrics by a key that is unique in the evaluation, and which of them were asked for one by one.

    With `holdout`, those chosen by name that can use a hold-out set do.
    """
    if k is not None:
        check_k(k)
    whole = ("default",) if metrics is None else metrics
    if not isinstance(whole, (str, Metric, type, Iterable)):
        raise InputError(f"metrics={whole!r} given; keys, family names or metrics are accepted.")
    items = [whole] if isinstance(whole, (str, Metric, type)) else list(whole)
    single = [i for i in items if not isinstance(i, str) or i in METRICS]
    found = {metric: metric in (resolve(single, k) if single else ()) for metric in resolve(items, k)}
    given = [i for i in items if isinstance(i, Metric)]
    wishes = {"holdout": holdout or None, "compat": compat}
    found = {m if m in given else _adapted(m, wishes): named for m, named in found.items()}
    if compat is not None and not any(m.parameters().get("compat") == compat for m in found):
        raise InputError(f"compat={compat!r} given; none of the chosen metrics offers it.")
    out: dict[str, Metric] = {}
    for metric in found:
        out[_unique_key(metric, out)] = metric
    return out, frozenset(key for key, metric in out.items() if found[metric])


def _adapted(metric: Metric, wishes: Mapping[str, object]) -> Metric:
    """The metric with those wishes that it has a parameter for and accepts."""
    for name, wish in wishes.items():
        if wish is not None and name in metric.parameters():
            try:
                metric = replace(metric, **{name: wish})  # type: ignore[type-var]
            except InputError:
                continue
    return metric


def _unique_key(metric: Metric, taken: Mapping[str, Metric]) -> str:
    """The metric's key, followed by what sets it apart when the key is taken: precision(k=3)."""
    key = metric.info.key
    if key not in taken:
        return key
    first = taken[key].parameters()
    differ = [f"{k}={plain(v)}" for k, v in metric.parameters().items() if v != first.get(k)]
    return f"{key}({', '.join(differ)})"


def refused(metric: Metric, sides: Mapping[str, Samples]) -> str | None:
    """Why this metric cannot grade these sides (too few samples, no hold-out), None if it can."""
    absent = absent_sides(metric.needs(), sides)
    if absent or (metric.info.needs_holdout and "holdout" not in sides):
        names = {"holdout": "a hold-out set (real samples the generator never saw)"}
        return "needs " + " and ".join(names.get(a, f"the side {a!r}") for a in absent or ["holdout"])
    try:
        metric.check_sizes(sides["real"].n, sides["synthetic"].n)
        metric.check_samples(sides)
    except InputError as error:
        return str(error)
    return None


def grade(metrics: Mapping[str, Metric], sides: Mapping[str, Samples], run: Run) -> dict[str, Grade]:
    """Grade `sides` by all metrics, by key; a metric that fails costs only itself, whatever it raised.

    The metrics must fit the sides (see `refused`).
    """
    return grade_and_answer(metrics, sides, run, ())[0]


def grade_and_answer(
    metrics: Mapping[str, Metric], sides: Mapping[str, Samples], run: Run, more: tuple[Need, ...]
) -> tuple[dict[str, Grade], Answers]:
    """The same, and the answers to the needs of all metrics and to `more`, from one run of the engine."""
    needs = {key: metric.needs() for key, metric in metrics.items()}
    shared = dict.fromkeys(n for mine in (*needs.values(), more) for n in mine if not isinstance(n, Direct))
    sizes = {side: samples.n for side, samples in sides.items()}
    found = run.answer(tuple(shared), sides) if shared else Answers({}, sizes, sides["real"].d)
    direct: dict[Need, Any] = {}
    grades = {
        key: _attempt(metric, partial(_with_direct, found, needs[key], direct, sides, run))
        for key, metric in metrics.items()
    }
    return grades, found


def absent_sides(needs: tuple[Need, ...], sides: Mapping[str, Samples]) -> list[str]:
    """Names of the sides that `needs` read and that are not there."""
    named = {name for need in needs for side in need.sides() for name in _names(side)}
    return sorted(named - set(sides))


def _names(side: Side) -> tuple[str, ...]:
    return (side.side, side.like) if isinstance(side, Part) else (side,)


def _with_direct(
    found: Answers, needs: tuple[Need, ...], direct: dict[Need, Any], sides: Mapping[str, Samples], run: Run
) -> Answers:
    """`found` with the direct needs of one metric; each distinct one is computed once."""
    mine = [need for need in needs if isinstance(need, Direct)]
    for need in mine:
        if need not in direct:
            direct[need] = run.answer((need,), sides)[need]
    if not mine:
        return found
    return Answers({**found.values, **{n: direct[n] for n in mine}}, found.sizes, found.dimension)


def _attempt(metric: Metric, answers: Callable[[], Answers]) -> Grade:
    try:
        found = answers()
        with np.errstate(all="ignore"):  # what is not finite gets a status, not a line on stderr
            outcome = metric.compute(found)
    except Exception as error:  # also a defect in a metric of the user's must not cost the other metrics
        reason = str(error) if isinstance(error, TruegradeError) else f"{type(error).__name__}: {error}"
        return Grade("failed", undefined(reason), reason)
    if outcome.value is None:
        return Grade("undefined", outcome, outcome.reason or "the value is undefined")
    if not math.isfinite(outcome.value):
        return Grade("undefined", outcome, f"the value came out as {outcome.value}")
    return Grade("ok", outcome)


def title_in(spaces: tuple[Space | None, Space | None], metric: Metric) -> str:
    """A metric's title for real and synthetic samples in a feature space.

    A distance or a class score means nothing without naming its network, and its standard name (FID) belongs to the
    standard network and the standard definition alone. Both only where both sides are known to be in that space.
    """
    info, (ours, theirs) = metric.info, spaces
    if info.family not in ("distance", "classes") or ours is None or theirs is None:
        return info.title
    standard = info.title == type(metric).info.title and ours.official == theirs.official
    return (ours.official.get(info.key) if standard else None) or f"{info.title} ({ours.name})"
