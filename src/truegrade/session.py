"""A session: one real set and one choice of metrics, against which synthetic sets are graded."""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from truegrade import gallery
from truegrade.codec import plain
from truegrade.ecg.choice import EcgWanted
from truegrade.ecg.scores import ecg_scores
from truegrade.engine.blas import thread_for
from truegrade.engine.needs import Answers, Need
from truegrade.engine.plan import make_plan
from truegrade.errors import InputError, Notice, notice
from truegrade.grading import Grade, Run, absent_sides, grade, grade_and_answer, refused, title_in
from truegrade.metrics.base import Metric, Outcome
from truegrade.result import About, Evaluation, Interval, Provenance, Reference, Score, SetFacts
from truegrade.result.ecg import EcgGrades
from truegrade.result.exhibits import Exhibits
from truegrade.result.table import TableGrades
from truegrade.samples import Samples, align, check_pair
from truegrade.tabular import Wanted, private_needs, table_scores
from truegrade.uncertainty.floors import FloorPlan, alone, floor_references, plan_floor, redrawn_references
from truegrade.uncertainty.groups import group_scores
from truegrade.uncertainty.intervals import Uncertainty, spread_of
from truegrade.uncertainty.repeats import Repetition, repeated

_LIBRARIES = ("truegrade", "numpy", "scipy", "numba")
_OPTIONAL = ("POT",)
_BY_PRIVACY = ("exact_copies",)  # of tables equal rows may be common; their privacy says whether there are too many


@dataclass(frozen=True)
class Session:
    """One real set and one choice of metrics; grades synthetic sets against it.

    protocol: whose conventions the metrics follow, for the result; notices: what there is to say of the choice. tables,
    ecg: which scores of tables and of recordings are asked for.
    """

    real: Samples
    holdout: Samples | None
    metrics: Mapping[str, Metric]
    named: frozenset[str]
    k: int | None
    seed: int
    intervals: bool
    floor: bool
    run: Run
    exhibits: bool = False
    protocol: Mapping[str, Any] | None = None
    notices: tuple[Notice, ...] = ()
    tables: Wanted = field(default_factory=Wanted)
    ecg: EcgWanted = field(default_factory=EcgWanted)
    floors: dict[tuple[int, bool], tuple[FloorPlan | str, dict[str, Reference | str]]] = field(default_factory=dict)

    def sides(self, synthetic: Samples) -> dict[str, Samples]:
        sides = {"real": self.real, "synthetic": synthetic}
        return sides if self.holdout is None else {**sides, "holdout": self.holdout}

    def evaluate(self, synthetic: Samples, sets: Repetition | None = None) -> Evaluation:
        """All scores of one synthetic set, and of the further sets of the same generator if there are any."""
        with thread_for(self.real.d), np.errstate(all="ignore"):  # what is not finite has a status and a reason
            return self._evaluate(synthetic, sets)

    def _evaluate(self, synthetic: Samples, sets: Repetition | None) -> Evaluation:
        start, created = time.perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
        synthetic = align(self.real, synthetic)
        notices = check_pair(self.real, synthetic)
        if self.holdout is not None and self.holdout.fingerprint == synthetic.fingerprint:
            notices += (notice("holdout_graded"),)
        notices += self._check(sets) if sets else ()
        if self.tables.keys and self.real.table is not None and synthetic.table is None:
            notices += (notice("table_drawn"),)
        if self.ecg.keys and self.real.ecg is not None and synthetic.ecg is None:
            notices += (notice("ecg_drawn"),)
        unfit, sides = self.unfit(synthetic), self.sides(synthetic)
        fit = {key: m for key, m in self.metrics.items() if key not in unfit}
        seen = self.seen(fit, synthetic)
        needs = (*seen, *self.near(sides))
        grades, answers = grade_and_answer(fit, sides, self.run, needs)
        grades |= unfit
        ok = {key: m for key, m in fit.items() if grades[key].status == "ok"}
        outcomes = {key: grades[key].outcome for key in ok}
        quiet = replace(self.run.labelled("intervals"), cache=None)
        bounds = spread_of(ok, outcomes, sides, seed=self.seed, run=quiet) if self.intervals else {}
        references, more = self._floors(ok, outcomes, synthetic.n) if self.floor else ({}, ())
        groups, crowded = group_scores(ok, outcomes, sides, seed=self.seed, intervals=self.intervals)
        repeats = repeated(fit, grades, sets, self.sides, self.run) if sets else {}
        scores = {
            key: replace(
                _score(key, m, grades[key], bounds.get(key, Uncertainty()), references.get(key), sides),
                repeats=repeats.get(key),
                per_group=groups.get(key, {}),
            )
            for key, m in self.metrics.items()
        }
        table = self._table(sides, answers)
        if table is not None:
            scores |= table_scores(table, self.tables.keys, len(self.real.table), len(synthetic.table))
        exhibits = self._exhibits(ok, outcomes, answers, sides) if seen else None
        ecg = self._ecg(sides, exhibits)
        if ecg is not None:
            scores |= ecg_scores(ecg, self.ecg.keys, len(self.real.ecg), len(synthetic.ecg))
        return Evaluation(
            scores=scores,
            real=facts_of(self.real),
            synthetic=facts_of(synthetic),
            holdout=None if self.holdout is None else facts_of(self.holdout),
            notices=tuple(dict.fromkeys((*self.notices, *notices, *more, *crowded, *(ecg.notices if ecg else ())))),
            provenance=self._provenance(created, time.perf_counter() - start),
            plan=plan_text(fit, sides, needs),
            exhibits=exhibits,
            table=table,
            ecg=ecg,
        )

    def near(self, sides: Mapping[str, Samples]) -> tuple[Need, ...]:
        """What is computed for the privacy of tables, beside the needs of the metrics."""
        return private_needs(self.tables.parts, sides, self.seed) if self.grades_tables(sides) else ()

    def grades_tables(self, sides: Mapping[str, Samples]) -> bool:
        """Whether these are tables of which more than whole rows was asked for."""
        return bool(self.tables.keys) and all(samples.table is not None for samples in sides.values())

    def _table(self, sides: Mapping[str, Samples], answers: Answers) -> TableGrades | None:
        """What is known of a table beyond whole rows; None of vectors, and where nothing of it was asked for."""
        if not self.grades_tables(sides):
            return None
        from truegrade.tabular.grade import grade_table  # its compiled loops are imported when they are needed

        how: dict[str, Any] = {"seed": self.seed, "intervals": self.intervals, "run": self.run}
        return grade_table(sides, self.tables.parts, answers, **how)

    def grades_ecg(self, sides: Mapping[str, Samples]) -> bool:
        """Whether these are recordings of which more than vectors was asked for."""
        return bool(self.ecg.keys) and all(samples.ecg is not None for samples in sides.values())

    def _ecg(self, sides: Mapping[str, Samples], exhibits: Exhibits | None) -> EcgGrades | None:
        """What is known of recordings beyond vectors; None of anything else, and where nothing of it was asked for."""
        if not self.grades_ecg(sides):
            return None
        from truegrade.ecg.floorless import without_floors
        from truegrade.ecg.grade import grade_ecg

        how: dict[str, Any] = {"seed": self.seed, "run": self.run, "exhibits": exhibits}
        found = grade_ecg(sides, self.ecg.parts, **how, metrics=self.metrics, k=self.k)
        return found if self.floor else without_floors(found)

    def _exhibits(
        self,
        ok: Mapping[str, Metric],
        outcomes: Mapping[str, Outcome],
        answers: Answers,
        sides: Mapping[str, Samples],
    ) -> Exhibits:
        return gallery.build(ok, outcomes, answers, sides, seed=self.seed, threads=self.run.threads)

    def seen(self, fit: Mapping[str, Metric], synthetic: Samples) -> tuple[Need, ...]:
        """What is computed for the exhibits, beside the needs of the metrics `fit`."""
        return gallery.needs(fit, self.real, synthetic) if self.exhibits else ()

    def _check(self, sets: Repetition) -> tuple[Notice, ...]:
        """What is doubtful about the further sets; InputError for a metric that was asked for and does not fit one."""
        for samples in sets.runs:
            self.unfit(samples)
        return sets.notices(self.real)

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

    def _floors(
        self, ok: Mapping[str, Metric], outcomes: Mapping[str, Outcome], m: int
    ) -> tuple[dict[str, Reference | str], tuple[Notice, ...]]:
        """Floors of all metrics at the sizes (N, m); kept, because they do not depend on the model."""
        out = redrawn_references(outcomes, (self.real.n, m), seed=self.seed)
        ok = {key: metric for key, metric in ok.items() if key not in out}
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
                known.update(floor_references(new, plan, self._floor_outcomes, seed=self.seed))
                notices += plan.notices() if mine else ()
            out |= {key: known[key] for key in mine}
        return out, notices

    def _floor_outcomes(self, plan: FloorPlan, metrics: Mapping[str, Metric]) -> dict[str, Outcome | str]:
        grades = grade(metrics, plan.sides, self.run.labelled("real against real"))
        return {
            key: g.outcome if g.outcome.value is not None else f"real against real is undefined: {g.reason}"
            for key, g in grades.items()
        }

    def _provenance(self, created: str, seconds: float) -> Provenance:
        return Provenance(versions(), self.seed, self.run.threads, created, round(seconds, 3), self.protocol)


@cache
def versions() -> dict[str, str]:
    """The libraries that numbers depend on, by name."""
    versions = {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}
    for name in _OPTIONAL:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def plan_text(metrics: Mapping[str, Metric], sides: Mapping[str, Samples], more: tuple[Need, ...] = ()) -> str:
    needs = [*more, *(n for m in metrics.values() if not absent_sides(m.needs(), sides) for n in m.needs())]
    return make_plan(needs, {side: s.n for side, s in sides.items()}, sides["real"].d).explain()


def facts_of(samples: Samples) -> SetFacts:
    """Which samples these are, for the result; of a table all its rows are counted, of ECGs all recordings."""
    s = samples
    whole = s.table if s.ecg is None else s.ecg
    n = s.n if whole is None else len(whole)
    return SetFacts(s.name, n, s.d, str(s.dtype), s.fingerprint, s.source, s.space)


def _against_ceiling(outcome: Outcome, value: float | None, floor: Reference | str | None) -> dict[str, float]:
    """What a perfect generator would get and the share of it that was reached, of scores that read like that."""
    if outcome.redrawn is None or value is None or not isinstance(floor, Reference):
        return {}
    return {"ceiling": floor.value, "ratio": value / floor.value} if floor.value > 0.0 else {"ceiling": floor.value}


def _score(
    key: str,
    metric: Metric,
    graded: Grade,
    found: Uncertainty,
    floor: Reference | str | None,
    sides: Mapping[str, Samples],
) -> Score:
    info, outcome, real = metric.info, graded.outcome, sides["real"]
    value = None if graded.status != "ok" or outcome.value is None else float(outcome.value)
    interval, why = found.interval, {"interval": found.interval, "floor": floor}
    details = {**outcome.details, **_against_ceiling(outcome, value, floor)}
    return Score(
        key=key,
        title=title_in((real.space, sides["synthetic"].space), metric) + key.removeprefix(info.key),
        about=About(info.family, info.direction, info.range, info.target, info.formula, info.reading, info.reference),
        value=value,
        raw=None if outcome.raw is None else float(outcome.raw),
        status=graded.status,
        reason=graded.reason,
        interval=interval if isinstance(interval, Interval) else None,
        floor=floor if isinstance(floor, Reference) else None,
        trace=found.trace,
        missing={what: reason for what, reason in why.items() if isinstance(reason, str)},
        per_sample=dict(outcome.per_sample),
        details={name: plain(v) for name, v in details.items()},
        parameters={name: plain(v) for name, v in metric.parameters().items()},
        warnings=tuple(w for w in outcome.warnings if real.table is None or w.code not in _BY_PRIVACY),
        n_real=real.n,
        n_synthetic=sides["synthetic"].n,
    )
