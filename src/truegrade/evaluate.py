"""evaluate and compare: load, sweep once for all metrics, compute, add intervals and floors, collect."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TypedDict, Unpack

from truegrade.codec import plain
from truegrade.engine.cache import AnswerCache
from truegrade.engine.plan import make_plan
from truegrade.errors import InputError, Notice, notice
from truegrade.grading import Grade, Progress, Run, absent_sides, choose, grade, refused
from truegrade.load import as_samples
from truegrade.metrics import Choice
from truegrade.metrics.base import Metric, check_whole
from truegrade.result import About, Comparison, Evaluation, Interval, Provenance, Reference, Score, SetFacts
from truegrade.samples import Samples, align, check_pair
from truegrade.uncertainty.analytic import analytic_interval
from truegrade.uncertainty.bootstrap import bootstrap_intervals
from truegrade.uncertainty.floors import FloorPlan, alone, floor_references, plan_floor
from truegrade.uncertainty.halves import interval_of, spreads, unclipped, widened

_LIBRARIES = ("truegrade", "numpy", "scipy", "numba")


class Options(TypedDict, total=False):
    """What `evaluate` and `compare` accept beside the samples; see `evaluate`."""

    metrics: Choice | Iterable[Choice] | None
    k: int | None
    compat: str | None
    seed: int
    holdout: object
    intervals: bool
    floor: bool
    threads: int | None
    cache: AnswerCache | str | os.PathLike[str] | None
    progress: Progress | None


def evaluate(
    real: object,
    synthetic: object,
    *,
    metrics: Choice | Iterable[Choice] | None = None,
    k: int | None = None,
    compat: str | None = None,
    seed: int = 0,
    holdout: object = None,
    intervals: bool = True,
    floor: bool = True,
    threads: int | None = None,
    cache: AnswerCache | str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Grade a synthetic set against a real one.

    Args:
        real, synthetic: (n, d) and (m, d): arrays, tensors, data frames, paths or Samples.
        metrics: keys, family names or metric instances; None is the default set.
        k: neighbour count of the metrics that are chosen by name.
        compat: reproduce a published code's convention ("official") where a metric chosen by name offers it.
        seed: of everything that is drawn at random; equal seeds give equal results.
        holdout: real samples that the generator never saw; enables all copy checks and better floors.
        intervals, floor: add a 95 % interval, and the same metric of real against real, to every score.
        cache: a folder, or an AnswerCache, that keeps what concerns the real side alone for the next time.
        threads, progress: as for the engine. Neither these nor the cache ever change a number.

    Raises InputError for sets that cannot be compared, unknown metrics, and for metrics asked for by name
    that do not fit the sizes or lack a hold-out. A metric that fails later has a status and a reason instead.
    """
    session = _open(
        real,
        metrics=metrics,
        k=k,
        compat=compat,
        seed=seed,
        holdout=holdout,
        intervals=intervals,
        floor=floor,
        threads=threads,
        cache=cache,
        progress=progress,
    )
    return session.evaluate(_samples(synthetic, "synthetic"))


def compare(real: object, models: Mapping[str, object], **options: Unpack[Options]) -> Comparison:
    """Grade several synthetic sets, by name, against one real set; options as for `evaluate`.

    What concerns the real set alone (its floors, its neighbours) is computed once.
    Raises InputError as `evaluate` does, and for no models.
    """
    if not isinstance(models, Mapping) or not models:
        raise InputError("compare needs at least one synthetic set by name, such as {'model A': a}.")
    options["cache"] = options.get("cache") or AnswerCache()
    session = _open(real, **options)
    loaded = {str(name): as_samples(samples, str(name)) for name, samples in models.items()}
    return Comparison({name: session.evaluate(samples) for name, samples in loaded.items()})


def grade_one(metric: Metric, real: object, synthetic: object, **options: Unpack[Options]) -> Score:
    """One metric alone; what `metric(real, synthetic)` returns."""
    options["metrics"] = metric
    (score,) = evaluate(real, synthetic, **options).scores.values()
    return score


def explain(real: object, synthetic: object, **options: Unpack[Options]) -> str:
    """The plan of an evaluation in words, and what is computed besides; nothing is computed."""
    session = _open(real, **options)
    samples = align(session.real, _samples(synthetic, "synthetic"))
    check_pair(session.real, samples)
    fit = {k: m for k, m in session.metrics.items() if k not in session.unfit(samples)}
    besides = [
        *(["intervals, some from sweeps over halves of the sets"] if session.intervals else []),
        *(["the same metrics of real against real"] if session.floor else []),
    ]
    return "\n".join([_plan_text(fit, session.sides(samples)), *(f"besides: {text}" for text in besides)])


def _open(
    real: object,
    *,
    metrics: Choice | Iterable[Choice] | None = None,
    k: int | None = None,
    compat: str | None = None,
    seed: int = 0,
    holdout: object = None,
    intervals: bool = True,
    floor: bool = True,
    threads: int | None = None,
    cache: AnswerCache | str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> _Session:
    """Everything that concerns the real side and the choice of metrics, validated."""
    chosen, named = choose(metrics, k, compat, holdout is not None)
    check_whole("seed", seed, 0)
    if threads is not None:
        check_whole("threads", threads, 1)
        threads = int(threads)
    base = _samples(real, "real")
    fresh = None if holdout is None else _check_holdout(base, _samples(holdout, "holdout"))
    keep = cache if cache is None or isinstance(cache, AnswerCache) else _open_cache(cache)
    run = Run(threads, keep, progress)
    return _Session(base, fresh, chosen, named, k, int(seed), intervals, floor, run)


def _open_cache(folder: object) -> AnswerCache:
    """A cache in a folder, which is made if it is not there."""
    if not isinstance(folder, (str, os.PathLike)):
        raise InputError(f"cache={folder!r} given; a folder or an AnswerCache is accepted.")
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"The cache {os.fspath(folder)!r} is no folder and cannot be made one: {error.strerror or error}. "
            "Name another folder, or none."
        ) from error
    return AnswerCache(Path(folder))


def _samples(given: object, name: str) -> Samples:
    """Samples and files keep the names they have; `name` is for what has none."""
    return as_samples(given, None if isinstance(given, (Samples, str, os.PathLike)) else name)


def _check_holdout(real: Samples, holdout: Samples) -> Samples:
    if holdout.n < 2:
        raise InputError(f"The hold-out set ({holdout.name}) has {holdout.n} sample; at least 2 are needed.")
    holdout = align(real, holdout)
    if holdout.d != real.d:
        raise InputError(
            f"The hold-out set ({holdout.name}) has {holdout.d} features, the real set {real.d}; "
            "both must come from the same feature space."
        )
    if holdout.fingerprint == real.fingerprint:
        raise InputError("The hold-out set is the real set itself; give real samples that the generator never saw.")
    return holdout


@dataclass(frozen=True)
class _Session:
    """One real set and one choice of metrics; grades synthetic sets against it."""

    real: Samples
    holdout: Samples | None
    metrics: Mapping[str, Metric]
    named: frozenset[str]
    k: int | None
    seed: int
    intervals: bool
    floor: bool
    run: Run
    floors: dict[tuple[int, bool], tuple[FloorPlan | str, dict[str, Reference | str]]] = field(default_factory=dict)

    def sides(self, synthetic: Samples) -> dict[str, Samples]:
        sides = {"real": self.real, "synthetic": synthetic}
        return sides if self.holdout is None else {**sides, "holdout": self.holdout}

    def evaluate(self, synthetic: Samples) -> Evaluation:
        start, created = time.perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
        synthetic = align(self.real, synthetic)
        notices = check_pair(self.real, synthetic)
        if self.holdout is not None and self.holdout.fingerprint == synthetic.fingerprint:
            notices += (notice("holdout_graded"),)
        unfit, sides = self.unfit(synthetic), self.sides(synthetic)
        fit = {key: m for key, m in self.metrics.items() if key not in unfit}
        grades = unfit | grade(fit, sides, self.run)
        ok = {key: m for key, m in fit.items() if grades[key].status == "ok"}
        intervals = self._intervals(ok, grades, sides) if self.intervals else {}
        references, more = self._floors(ok, synthetic.n) if self.floor else ({}, ())
        scores = {
            key: _score(key, m, grades[key], intervals.get(key), references.get(key), self.real.n, synthetic.n)
            for key, m in self.metrics.items()
        }
        return Evaluation(
            scores=scores,
            real=_facts(self.real),
            synthetic=_facts(synthetic),
            holdout=None if self.holdout is None else _facts(self.holdout),
            notices=tuple(dict.fromkeys((*notices, *more))),
            provenance=self._provenance(created, time.perf_counter() - start),
            plan=_plan_text(fit, sides),
        )

    def unfit(self, synthetic: Samples) -> dict[str, Grade]:
        """Metrics that these sets do not allow; InputError for one that was asked for, before any work."""
        n, m = self.real.n, synthetic.n
        if self.k is not None and self.k >= min(n, m):
            raise InputError(
                f"k={self.k} given for {n} real and {m} synthetic samples; 1 to {min(n, m) - 1} is accepted."
            )
        out = {}
        for key, metric in self.metrics.items():
            reason = refused(metric, self.sides(synthetic))
            if reason and key in self.named:
                raise InputError(f"{metric.info.title}: {reason}")
            if reason:
                out[key] = Grade.without(reason)
        return out

    def _intervals(
        self, ok: Mapping[str, Metric], grades: Mapping[str, Grade], sides: Mapping[str, Samples]
    ) -> dict[str, Interval | str]:
        """An interval for every score, by the way its outcome allows; a string says why there is none."""
        outcomes = {key: grades[key].outcome for key in ok if grades[key].outcome.value is not None}
        ranges = {key: ok[key].info.range for key in outcomes}
        known = {key: o.standard_error for key, o in outcomes.items() if o.standard_error is not None}
        out: dict[str, Interval | str] = {
            key: analytic_interval(outcomes[key].value or 0.0, error, ranges[key]) for key, error in known.items()
        }
        means = {key: o.means for key, o in outcomes.items() if o.means is not None}
        quiet = replace(self.run.labelled("intervals"), cache=None)
        drawn = {key: ok[key] for key in outcomes if key not in known}
        spread = spreads(drawn, sides, seed=self.seed, run=quiet)
        for key, found in bootstrap_intervals(means, ranges, seed=self.seed).items():
            out[key] = widened(found, unclipped(outcomes[key]), spread[key], ranges[key])
        for key in drawn.keys() - means.keys():
            out[key] = interval_of(spread[key], unclipped(outcomes[key]), ranges[key])
        return out

    def _floors(self, ok: Mapping[str, Metric], m: int) -> tuple[dict[str, Reference | str], tuple[Notice, ...]]:
        """Floors of all metrics at the sizes (N, m); kept, because they do not depend on the model."""
        out: dict[str, Reference | str] = {}
        notices: tuple[Notice, ...] = ()
        for copies in (False, True):
            plan, known = self.floors.setdefault(
                (m, copies), (plan_floor(self.real, m, self.holdout, seed=self.seed, copies=copies), {})
            )
            mine = {key: metric for key, metric in ok.items() if metric.info.needs_holdout == copies}
            if isinstance(plan, str):
                known.update(dict.fromkeys(mine, plan))
            else:
                new = {key: alone(metric) for key, metric in mine.items() if key not in known}
                known.update(floor_references(new, plan, partial(self._floor_values, plan)))
                notices += plan.notices() if mine else ()
            out |= {key: known[key] for key in mine}
        return out, notices

    def _floor_values(self, plan: FloorPlan, metrics: Mapping[str, Metric]) -> dict[str, float | str]:
        grades = grade(metrics, plan.sides, self.run.labelled("real against real"))
        return {
            key: g.outcome.value if g.outcome.value is not None else f"real against real is undefined: {g.reason}"
            for key, g in grades.items()
        }

    def _provenance(self, created: str, seconds: float) -> Provenance:
        versions = {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}
        return Provenance(versions, self.seed, self.run.threads, created, round(seconds, 3))


def _plan_text(metrics: Mapping[str, Metric], sides: Mapping[str, Samples]) -> str:
    needs = [n for m in metrics.values() if not absent_sides(m.needs(), sides) for n in m.needs()]
    return make_plan(needs, {side: s.n for side, s in sides.items()}, sides["real"].d).explain()


def _facts(samples: Samples) -> SetFacts:
    return SetFacts(samples.name, samples.n, samples.d, str(samples.dtype), samples.fingerprint, samples.source)


def _score(
    key: str,
    metric: Metric,
    graded: Grade,
    interval: Interval | str | None,
    floor: Reference | str | None,
    n: int,
    m: int,
) -> Score:
    info, outcome = metric.info, graded.outcome
    value = None if graded.status != "ok" or outcome.value is None else float(outcome.value)
    why = {"interval": interval, "floor": floor}
    return Score(
        key=key,
        title=info.title + key.removeprefix(info.key),
        about=About(info.family, info.direction, info.range, info.target, info.formula, info.reading, info.reference),
        value=value,
        raw=None if outcome.raw is None else float(outcome.raw),
        status=graded.status,
        reason=graded.reason,
        interval=interval if isinstance(interval, Interval) else None,
        floor=floor if isinstance(floor, Reference) else None,
        missing={what: reason for what, reason in why.items() if isinstance(reason, str)},
        per_sample=dict(outcome.per_sample),
        details={name: plain(v) for name, v in outcome.details.items()},
        parameters={name: plain(v) for name, v in metric.parameters().items()},
        warnings=outcome.warnings,
        n_real=n,
        n_synthetic=m,
    )
