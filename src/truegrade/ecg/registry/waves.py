"""Metrics of samples against samples, each real recording with the synthetic one most like it: prd, mae, psnr, ssim.

The partner is the one that the metric itself calls best, so that fewer candidates never make a score better.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegrade.ecg.registry.base import Floor, Found, RegistryMetric
from truegrade.ecg.registry.matching import (
    Facing,
    facing,
    least,
    least_absolute_errors,
    least_squared_errors,
    remembered,
    rounding,
    waves_of,
)
from truegrade.ecg.registry.sides import Floats, Lead, Pair, Rows

CEILING = 100.0  # dB of a perfect match

_PARTNER = "partners by blocks of products and decided in float64, the partner being the one this metric calls best"


def nearest_squares(lead: Lead) -> Floats:
    """(n,) mean squared difference of each x from the nearest y; once for the metrics that share it."""
    return lead.once("least squared error", lambda: least_squared_errors(lead))


def nearest_absolutes(lead: Lead) -> Floats:
    """(n,) mean absolute difference of each x from the nearest y."""
    return lead.once("least absolute error", lambda: least_absolute_errors(lead))


def read_once(keys: Collection[str], pairs: Sequence[Pair]) -> None:
    """Whatever the metrics of this file among `keys` need of samples, lead by lead for all pairs, so that each lead is
    read once."""
    if not pairs or pairs[0].real.length != pairs[0].synthetic.length:
        return
    for at in range(len(pairs[0].leads)):
        for lead in (pair.lead(at) for pair in pairs):
            if not (lead.n and lead.m):
                continue
            if {"ssim", "prd"} & set(keys):
                remembered(lead)
            if {"mae", "psnr"} & set(keys):
                nearest_squares(lead)
            if "mae" in keys:
                nearest_absolutes(lead)


@dataclass(frozen=True, kw_only=True)
class MAE(RegistryMetric):
    """Mean absolute difference of a real recording from the synthetic one nearest to it in that measure.

    mean over real x of min over y of mean_t |x_t - y_t|, in the unit of the recordings. Range 0 to infinity, lower is
    better. `extra["rmse"]`: the same with root mean squares.
    """

    n_subsample: int | None = None
    seed: int = 42

    key: ClassVar[str] = "mae"
    floor: ClassVar[Floor] = "partners"
    title: ClassVar[str] = "Mean absolute error"
    same_length: ClassVar[bool] = True
    description: ClassVar[str] = "Mean |difference| of real recordings from the nearest synthetic one; lower is better."
    reference: ClassVar[str] = "Zigel, Cohen & Katz 2000, The weighted diagnostic distortion measure, IEEE TBME 47(11)."
    corrected: ClassVar[str] = f"All recordings in float64: {_PARTNER}."

    def one_lead(self, lead: Lead) -> Found:
        value = float(nearest_absolutes(lead).mean())
        return Found(value, {"rmse": float(np.sqrt(nearest_squares(lead)).mean())})


@dataclass(frozen=True, kw_only=True)
class PSNR(RegistryMetric):
    """Peak signal-to-noise ratio of a real recording and the synthetic one nearest to it, in dB.

    mean over real x of 10 log10(range(x)^2 / min over y of mean_t (x_t - y_t)^2), at most 100 dB. Higher is better.
    """

    n_subsample: int | None = None
    seed: int = 42

    key: ClassVar[str] = "psnr"
    floor: ClassVar[Floor] = "partners"
    title: ClassVar[str] = "Peak signal-to-noise ratio"
    higher_is_better: ClassVar[bool] = True
    same_length: ClassVar[bool] = True
    description: ClassVar[str] = "Range of real recordings over their distance to the nearest synthetic one, in dB."
    reference: ClassVar[str] = "Huynh-Thu & Ghanbari 2008, Scope of validity of PSNR, Electronics Letters 44(13)."
    corrected: ClassVar[str] = (
        f"All recordings in float64: {_PARTNER}; flat leads have no value (there 100 dB, the best)."
    )

    def one_lead(self, lead: Lead) -> Found:
        ranges = waves_of(lead)[0].span
        with np.errstate(divide="ignore"):
            decibels = 10.0 * np.log10(ranges**2 / nearest_squares(lead))
        return Found(float(np.minimum(decibels, CEILING).mean()))


@dataclass(frozen=True, kw_only=True)
class SSIM(RegistryMetric):
    """Structural similarity of a real recording and the synthetic one most similar to it, over the whole recording.

    (2 mx my + c1)(2 sxy + c2) / ((mx^2 + my^2 + c1)(sx^2 + sy^2 + c2)) with c = (k range(x))^2, k1 = .01, k2 = .03; the
    mean over real x of the largest over y. One window over the recording, not many as for pictures. Range -1 to 1,
    higher is better; a lead that all synthetic recordings lack has -1. Source: Wang et al. 2004, eq. 13.
    """

    k1: float = 0.01
    k2: float = 0.03
    n_subsample: int | None = None
    seed: int = 42

    key: ClassVar[str] = "ssim"
    floor: ClassVar[Floor] = "partners"
    title: ClassVar[str] = "Structural similarity"
    higher_is_better: ClassVar[bool] = True
    worst: ClassVar[float | None] = -1.0
    same_length: ClassVar[bool] = True
    description: ClassVar[str] = "Similarity in mean, spread and shape to the most similar synthetic recording."
    reference: ClassVar[str] = (
        "Wang et al. 2004, Image quality assessment: from error visibility to structural similarity."
    )
    corrected: ClassVar[str] = (
        f"All recordings in float64: {_PARTNER} (there the nearest by squares); a NaN never raises it (there it does)."
    )

    def one_lead(self, lead: Lead) -> Found:
        return Found(float(np.concatenate([self._best(both) for both in facing(lead)]).mean()))

    def _best(self, both: Facing) -> Floats:
        """(n,) similarity of each x to the most similar y."""
        x, y = both.x, both.y
        first, second = ((k * x.span[:, None]) ** 2 for k in (self.k1, self.k2))
        means = 2.0 * x.mean[:, None] * y.mean[None, :] + first
        below = x.mean[:, None] ** 2 + y.mean[None, :] ** 2 + first
        below *= x.sd[:, None] ** 2 + y.sd[None, :] ** 2 + second
        middle = means * (2.0 * both.products + second)
        middle /= below
        error = 3.0 * rounding(x, y)
        error *= np.abs(means)
        error /= below

        def unlike(rows: Rows, columns: Rows) -> Floats:
            a, b = both.pairs(rows, columns)
            a -= x.mean[rows, None]
            b -= y.mean[columns, None]
            together = 2.0 * np.einsum("pt,pt->p", a, b) / a.shape[1] + second[rows, 0]
            return -np.asarray(means[rows, columns] * together / below[rows, columns])

        return -least(-middle - error, error - middle, unlike)


@dataclass(frozen=True, kw_only=True)
class PRD(RegistryMetric):
    """Percent root-mean-square difference of a real recording from the synthetic one nearest to it over all leads.

    100 |x - y| / |x| by lead, in percent; y is the synthetic recording with the smallest mean over the leads, one for
    all of them. Range 0 to infinity, lower is better; recordings at other phases have about 140. Synthetic recordings
    that lack a lead are nobody's partner. Source: Zigel, Cohen & Katz 2000.
    """

    n_subsample: int | None = None
    seed: int = 42

    key: ClassVar[str] = "prd"
    floor: ClassVar[Floor] = "partners"
    title: ClassVar[str] = "Percent root-mean-square difference"
    same_length: ClassVar[bool] = True
    description: ClassVar[str] = (
        "Difference of real recordings from the nearest synthetic one in percent of their size."
    )
    reference: ClassVar[str] = "Zigel, Cohen & Katz 2000, The weighted diagnostic distortion measure, IEEE TBME 47(11)."
    corrected: ClassVar[str] = (
        f"No array of N x N x T, all recordings in float64: {_PARTNER}, in the mean over leads (there the nearest by "
        "squares, which the largest lead decides)."
    )

    def all_leads(self, pair: Pair) -> list[Found]:
        leads = [pair.lead(at) for at in range(len(pair.leads))]
        used = [lead for lead in leads if lead.n and lead.m]
        whole = _living_in(pair, used)
        if len(whole) == 0:
            return [_nobody(lead) for lead in leads]
        sums, counts = np.zeros(len(leads)), np.zeros(len(leads))
        for start in range(0, len(pair.real), 512):
            rows = np.arange(start, min(start + 512, len(pair.real)))
            found = _percents(used, rows, whole)
            for lead, percents in zip(used, found.T, strict=True):
                sums[lead.at] += np.nansum(percents)
                counts[lead.at] += np.isfinite(percents).sum()
        return [Found(float(sums[lead.at] / counts[lead.at])) if lead in used else _nobody(lead) for lead in leads]


def _living_in(pair: Pair, leads: list[Lead]) -> Rows:
    """Synthetic recordings that have a signal in each of the leads; none where there are no leads."""
    if not leads:
        return np.empty(0, dtype=np.intp)
    return np.asarray(np.flatnonzero(np.all([pair.synthetic.alive(lead.at) for lead in leads], axis=0)), dtype=np.intp)


def _nobody(lead: Lead) -> Found:
    if not lead.n:
        return Found(None, reason="no real recording has a signal in this lead", counts=False)
    return Found(
        None,
        reason="no synthetic recording has a signal in every lead"
        if lead.m
        else "no synthetic recording has a signal in this lead",
    )


def _percents(leads: list[Lead], rows: Rows, whole: Rows) -> Floats:
    """(rows, leads) percent of each real recording from its partner; NaN in leads that it lacks."""
    low, high = (np.zeros((len(rows), len(whole))) for _ in range(2))
    norms = np.full((len(rows), len(leads)), np.nan)
    for column, lead in enumerate(leads):
        living = np.flatnonzero(np.isin(rows, lead.x_rows))
        here = np.searchsorted(lead.x_rows, rows[living]), np.searchsorted(lead.y_rows, whole)
        at = 0
        for both in facing(lead, *here):
            some = living[at : at + len(both.x.rows)]
            at += len(some)
            norms[some, column] = np.sqrt(both.x.mean**2 + both.x.sd**2)
            for total, bound in zip((low, high), both.squared_errors(), strict=True):
                total[some] += np.sqrt(bound) / norms[some, column, None]
    out = np.full(norms.shape, np.nan)
    candidates = low <= high.min(axis=1, keepdims=True) * (1.0 + 1e-12)
    candidates[np.isnan(norms).all(axis=1)] = False
    first, second = np.nonzero(candidates)
    percents = _exact_percents(leads, rows[first], whole[second], norms[first])
    means = np.nanmean(percents, axis=1) if len(first) else np.empty(0)
    for at in np.unique(first):
        mine = np.flatnonzero(first == at)
        out[at] = percents[mine[means[mine].argmin()]]
    return out


def _exact_percents(leads: list[Lead], rows: Rows, near: Rows, norms: Floats) -> Floats:
    """(p, leads) percents of p pairs; NaN where `norms` (p, leads) are."""
    out = np.full(norms.shape, np.nan)
    for column, lead in enumerate(leads):
        for start in range(0, len(rows), 64):
            part = start + np.flatnonzero(np.isfinite(norms[start : start + 64, column]))
            x = lead.pair.real.read(lead.at, rows[part])
            x -= lead.pair.synthetic.read(lead.at, near[part])
            root = np.sqrt(np.einsum("pt,pt->p", x, x) / x.shape[1])
            out[part, column] = 100.0 * root / norms[part, column]
    return out
