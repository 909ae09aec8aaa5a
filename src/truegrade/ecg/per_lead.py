"""The vector metrics on features of recordings: lead by lead, their mean, all leads together, class by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.features import FEATURES, FeatureRows, Fit, extract, features, fit_features
from truegrade.ecg.floors import Cuts, Value, beside, carried, cuts_of
from truegrade.ecg.lacking import counted, dead, lost, with_fewer
from truegrade.errors import Notice
from truegrade.grading import Run, grade, refused
from truegrade.metrics import METRICS
from truegrade.metrics.base import Metric
from truegrade.recordings import Recordings
from truegrade.result import About
from truegrade.result.ecg import FeatureGrades, Number
from truegrade.samples import Samples, label_text

PER_LEAD = (
    "clipped_density",
    "density",
    "precision",
    "symmetric_precision",
    "alpha_precision",
    "complement_precision",
    "nearest_ball_f",
    "nearest_ball_precision",
    "p_precision",
    "precision_cover",
    "rarity",
    "realism",
    "clipped_coverage",
    "coverage",
    "recall",
    "symmetric_recall",
    "beta_recall",
    "nearest_ball_recall",
    "p_recall",
    "recall_cover",
    "energy_distance",
    "frechet_distance",
    "kernel_distance",
    "mmd",
    "authenticity",
    "nn_two_sample",
)
"""Metrics that are graded lead by lead whatever was asked for: one sweep serves nearly all of them."""
DEAR = ("top_precision", "top_recall", "sinkhorn_divergence", "sliced_wasserstein", "wasserstein", "cmmd", "fld")
"""Metrics that are never graded lead by lead: a second and more a lead, a bandwidth or a hold-out of their own."""

SMALLEST_CLASS = 20  # recordings on a side
_MOST_CLASSES = 20
_LONGEST_LABEL = 200
_CLASS_CUTS = 2


def lead_metrics(asked: Mapping[str, Metric] | None = None) -> dict[str, Metric]:
    """What is graded lead by lead, by key: `PER_LEAD`, and what was asked for; that keeps its parameters."""
    more = {
        key: metric
        for key, metric in (asked or {}).items()
        if metric.info.family not in ("classes", "pairs")
        and metric.info.key not in DEAR
        and not metric.info.needs_holdout
        and metric.info.features is None
        and metric.parameters().get("holdout") is not True
    }
    base = {key: METRICS[key]() for key in PER_LEAD}
    return {**base, **more}


def abouts(metrics: Mapping[str, Metric]) -> tuple[dict[str, About], dict[str, str]]:
    """What a reader must know of each metric, and its title, by key."""
    infos = {key: metric.info for key, metric in metrics.items()}
    about = {
        key: About(i.family, i.direction, i.range, i.target, i.formula, i.reading, i.reference)
        for key, i in infos.items()
    }
    return about, {key: i.title + key.removeprefix(i.key) for key, i in infos.items()}


@dataclass(frozen=True, eq=False)
class _Sides:
    """Vectors of both sides. missing: (m,) synthetic ones with a lead that is no signal. left: real ones left out."""

    real: FeatureRows
    synthetic: FeatureRows
    missing: NDArray[np.bool_]
    left: int

    def lacks(self) -> str:
        """What is missing on either side."""
        flat = int(self.missing.sum())
        parts = []
        if self.left:
            parts.append(f"{self.left:,} real recordings without the signal are left out.")
        if flat:
            parts.append(f"{flat:,} of {len(self.missing):,} synthetic ones have none and count as the worst.")
        return " ".join(parts)


def grade_features(
    real: Recordings,
    synthetic: Recordings,
    which: str,
    metrics: Mapping[str, Metric],
    cuts: Cuts,
    *,
    seed: int,
    run: Run,
) -> tuple[FeatureGrades, tuple[Notice, ...]]:
    """All metrics on the feature set `which`, beside real against real on the same cuts, and what was left out.

    Of leads there are those of the real recordings; a lead that no real recording has is not there. Raises InputError
    where there is nothing to grade, see `fit_features`.
    """
    fit = fit_features(real, which)
    job = _Job(real, synthetic, fit, metrics, run.labelled(f"ECG {which}"))
    leads = [lead for lead in fit.leads if lead not in fit.absent]
    by_lead = {lead: job.graded(job.sides(lead), cuts) for lead in leads}
    per_lead = {lead: job.numbers(*found, cuts) for lead, found in by_lead.items()}
    mean = {key: job.mean(key, by_lead, cuts) for key in metrics}
    together = job.sides(None)
    found = FeatureGrades(
        which,
        FEATURES[which],
        per_lead,
        mean,
        job.numbers(*job.graded(together, cuts), cuts),
        dict(job.by_class(together, seed)),
    )
    return found, fit.notices


_Graded = tuple[dict[str, Value], list[dict[str, Value]], _Sides]
"""Values by metric, the same of each cut, and of which vectors."""


@dataclass(frozen=True, eq=False)
class _Job:
    real: Recordings
    synthetic: Recordings
    fit: Fit
    metrics: Mapping[str, Metric]
    run: Run

    def sides(self, lead: str | None) -> _Sides:
        ours = features(self.real, self.fit.which, lead, fit=self.fit)
        theirs = features(self.synthetic, self.fit.which, lead, fit=self.fit, side="synthetic")
        raw = extract(self.synthetic, self.fit.which)
        leads = self.fit.whole if lead is None else (lead,)
        lacking = [raw.missing[:, raw.leads.index(one)] if one in raw.leads else True for one in leads]
        missing = np.zeros(len(raw.values), bool)
        for one in lacking:
            missing |= one
        return _Sides(ours, theirs, missing, len(self.real) - len(ours.rows))

    def graded(self, sides: _Sides, cuts: Cuts) -> _Graded:
        ours, theirs = sides.real.values, sides.synthetic.values
        values = self.values(ours, theirs)
        if sides.missing.any():
            values = self.counted(values, sides)
        position = np.full(len(self.real), -1)
        position[sides.real.rows] = np.arange(len(sides.real.rows))
        floors = []
        for cut in cuts:
            first, second = (position[part][position[part] >= 0] for part in cut)
            floors.append(self.values(ours[first], ours[second]))
        return values, floors, sides

    def counted(self, flat: Mapping[str, Value], sides: _Sides) -> dict[str, Value]:
        """The values where some recordings have no signal, from those with these as flat lines."""
        ours, living = sides.real.values, sides.synthetic.values[~sides.missing]
        rest = self.values(ours, living) if len(living) else {}
        total, dead = len(sides.missing), int(sides.missing.sum())
        why = lost((dead, total), (sides.left, sides.left + len(ours)))
        if why and len(living):
            fewer = {key: with_fewer(metric, len(living) / total) for key, metric in self.metrics.items()}
            balls = {key: metric for key, metric in fewer.items() if metric is not None}
            for key, value in self.values(ours, living, balls).items():
                rest[key] = _smaller(value, rest[key])
        share = dead / total
        return {key: counted(self.metrics[key].info, one, rest.get(key), share, why) for key, one in flat.items()}

    def values(
        self, ours: NDArray[np.float64], theirs: NDArray[np.float64], metrics: Mapping[str, Metric] | None = None
    ) -> dict[str, Value]:
        """The value of each metric, or why there is none."""
        metrics = self.metrics if metrics is None else metrics
        if min(len(ours), len(theirs)) < 2:
            return dict.fromkeys(metrics, "Fewer than 2 recordings have the lead on one side.")
        sides = {"real": Samples.from_array(ours), "synthetic": Samples.from_array(theirs)}
        out: dict[str, Value] = {}
        for key, metric in metrics.items():
            out[key] = refused(metric, sides)
        fit = {key: metric for key, metric in metrics.items() if out[key] is None}
        for key, one in grade(fit, sides, self.run).items():
            found = one.outcome.value
            out[key] = (one.reason or "The value is undefined.") if found is None else float(found)
        return out

    def numbers(
        self,
        values: Mapping[str, Value],
        floors: Sequence[Mapping[str, Value]],
        sides: _Sides,
        cuts: Cuts,
        note: str | None = None,
    ) -> dict[str, Number]:
        """Values beside their floors. note: instead of what is missing."""
        sizes = len(sides.real.rows), len(sides.synthetic.rows)
        told = sides.lacks() if note is None else note
        return {
            key: self.number(key, value, [floor[key] for floor in floors], cuts, sizes, told)
            for key, value in values.items()
        }

    def number(
        self, key: str, value: Value, floors: Sequence[Value], cuts: Cuts, sizes: tuple[int, int], note: str
    ) -> Number:
        """A value beside its floors; these are carried to its sizes where it is known how they fall with them."""
        if self.metrics[key].info.bias is None:
            return beside(value, floors, cuts, sizes=sizes, note=note)
        moved, words = carried(floors, cuts, sizes)
        return beside(value, moved, cuts, sizes=sizes, note=f"{note} {words}".strip())

    def mean(self, key: str, by_lead: Mapping[str, _Graded], cuts: Cuts) -> Number:
        """The mean over leads; undefined where a lead has no value."""
        info = self.metrics[key].info
        values: list[Value] = []
        for lead, (found, _, sides) in by_lead.items():
            value = dead(info, lead) if sides.missing.all() else found[key]
            values.append(f"Lead {lead}: {value or 'the value is undefined'}" if _none(value) else value)
        floors = [_mean([found[1][at][key] for found in by_lead.values()]) for at in range(len(cuts))]
        sizes = len(self.real), len(self.synthetic)
        return self.number(key, _mean(values), floors, cuts, sizes, f"Mean over {len(values)} leads.")

    def by_class(self, together: _Sides, seed: int) -> Iterator[tuple[str, dict[str, Number]]]:
        """Class by class on the vectors of all leads, where at least 20 recordings on each side have it."""
        if self.real.labels is None or self.synthetic.labels is None:
            return
        ours, theirs = (_texts(one.labels) for one in (self.real, self.synthetic))
        every, ours = ours, ours[together.real.rows]
        patients = None if self.real.patients is None else self.real.patients[together.real.rows]
        names, counts = np.unique(ours, return_counts=True)
        enough = [str(name) for name, count in zip(names, counts, strict=True) if count >= SMALLEST_CLASS]
        enough = [name for name in enough if (theirs == name).sum() >= SMALLEST_CLASS]
        if len(names) < 2:
            return
        for name in enough[:_MOST_CLASSES]:
            mine, other = np.flatnonzero(ours == name), np.flatnonzero(theirs == name)
            left = int((every == name).sum()) - len(mine)
            who = None if patients is None else patients[mine]
            cuts = cuts_of(len(mine), len(other), who, seed=seed, cuts=_CLASS_CUTS)
            part = _Sides(_rows(together.real, mine), _rows(together.synthetic, other), together.missing[other], left)
            whole = tuple((together.real.rows[mine[a]], together.real.rows[mine[b]]) for a, b in cuts)
            note = f"Recordings of this class: {len(mine):,} against {len(other):,}."
            yield name, self.numbers(*self.graded(part, whole), cuts, note)


def _rows(found: FeatureRows, at: NDArray[np.intp]) -> FeatureRows:
    return FeatureRows(found.values[at], found.rows[at], found.names)


def _texts(labels: Any) -> NDArray[np.str_]:
    return np.array([label_text(one)[:_LONGEST_LABEL] for one in labels], dtype=str)


def _smaller(one: Value, other: Value) -> Value:
    """The smaller value; the one without a value where there is one."""
    if _none(one) or _none(other):
        return one if _none(one) else other
    return min(float(one), float(other))  # type: ignore[arg-type]


def _none(value: Value) -> bool:
    return value is None or isinstance(value, str)


def _mean(values: Sequence[Value]) -> Value:
    """The mean; the first reason where a value is undefined."""
    bad = next((one for one in values if _none(one)), 0.0)
    if _none(bad):
        return bad
    return float(np.mean([float(one) for one in values])) if values else None  # type: ignore[arg-type]
