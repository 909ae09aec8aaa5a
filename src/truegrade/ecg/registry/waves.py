"""Metrics of samples against samples, each real recording with the synthetic one most like it: prd, mae, psnr, ssim.

The partner is the one that the metric itself calls best, so that fewer candidates never make a score better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from truegrade.ecg.registry.base import Found, RegistryMetric
from truegrade.ecg.registry.matching import (
    EPS,
    Waves,
    blocks,
    covariances,
    least,
    least_squared_errors,
    squared_errors,
)
from truegrade.ecg.registry.sides import Floats, Lead, Pair, Rows

CEILING = 100.0  # dB of a perfect match

_PARTNER = "partners by blocks of products and decided in float64, the partner being the one this metric calls best"


def waves_of(lead: Lead) -> tuple[Waves, Waves]:
    """Both sides of a lead that have a signal."""
    real, synthetic = lead.pair.real, lead.pair.synthetic
    return Waves.of(real, lead.at, lead.x_rows), Waves.of(synthetic, lead.at, lead.y_rows)


def nearest_errors(lead: Lead) -> Floats:
    """(n,) mean squared difference of each x from the nearest y; once for the metrics that share it."""
    return lead.once("least squared error", lambda: least_squared_errors(*waves_of(lead)))


@dataclass(frozen=True, kw_only=True)
class MAE(RegistryMetric):
    """Mean absolute difference of a real recording from the synthetic one nearest to it in that measure.

    mean over real x of min over y of mean_t |x_t - y_t|, in the unit of the recordings. Range 0 to infinity, lower is
    better. `extra["rmse"]`: the same with root mean squares.
    """

    n_subsample: int | None = None
    seed: int = 42

    key: ClassVar[str] = "mae"
    title: ClassVar[str] = "Mean absolute error"
    same_length: ClassVar[bool] = True
    description: ClassVar[str] = "Mean |difference| of real recordings from the nearest synthetic one; lower is better."
    reference: ClassVar[str] = "Zigel, Cohen & Katz 2000, The weighted diagnostic distortion measure, IEEE TBME 47(11)."
    corrected: ClassVar[str] = f"All recordings in float64: {_PARTNER}."

    def one_lead(self, lead: Lead) -> Found:
        x, y = waves_of(lead)
        value = float(np.concatenate([nearest_absolute(block, y) for block in blocks(x)]).mean())
        return Found(value, {"rmse": float(np.sqrt(nearest_errors(lead)).mean())})


def nearest_absolute(x: Waves, y: Waves) -> Floats:
    """(n,) the mean absolute difference of each x from the nearest y."""
    from truegrade.ecg.registry.loops import absolute_differences

    length = x.centred.shape[1]
    sums = np.empty((len(x.rows), len(y.rows)), dtype=np.float32)
    apart = x.mean[:, None] - y.mean[None, :]
    absolute_differences(x.centred, y.centred, apart.astype(np.float32), sums)
    middle = sums.astype(np.float64) / length
    error = (length + 8) * EPS * (x.sd[:, None] + y.sd[None, :] + np.abs(apart))
    return least(middle - error, middle + error, lambda row, near: np.abs(y.row(near) - x.row(row)).mean(axis=1))


@dataclass(frozen=True, kw_only=True)
class PSNR(RegistryMetric):
    """Peak signal-to-noise ratio of a real recording and the synthetic one nearest to it, in dB.

    mean over real x of 10 log10(range(x)^2 / min over y of mean_t (x_t - y_t)^2), at most 100 dB. Higher is better.
    """

    n_subsample: int | None = None
    seed: int = 42

    key: ClassVar[str] = "psnr"
    title: ClassVar[str] = "Peak signal-to-noise ratio"
    higher_is_better: ClassVar[bool] = True
    same_length: ClassVar[bool] = True
    description: ClassVar[str] = "Range of real recordings over their distance to the nearest synthetic one, in dB."
    reference: ClassVar[str] = "Huynh-Thu & Ghanbari 2008, Scope of validity of PSNR, Electronics Letters 44(13)."
    corrected: ClassVar[str] = (
        f"All recordings in float64: {_PARTNER}; flat leads have no value (there 100 dB, the best)."
    )

    def one_lead(self, lead: Lead) -> Found:
        ranges = np.concatenate([np.ptp(block.row(slice(None)), axis=1) for block in blocks(waves_of(lead)[0])])
        with np.errstate(divide="ignore"):
            decibels = 10.0 * np.log10(ranges**2 / nearest_errors(lead))
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
        x, y = waves_of(lead)
        return Found(float(np.concatenate([self._best(block, y) for block in blocks(x)]).mean()))

    def _best(self, x: Waves, y: Waves) -> Floats:
        """(n,) similarity of each x to the most similar y."""
        ranges = np.ptp(x.row(slice(None)), axis=1)
        first, second = (self.k1 * ranges[:, None]) ** 2, (self.k2 * ranges[:, None]) ** 2
        products, error = covariances(x, y)
        means = 2.0 * x.mean[:, None] * y.mean[None, :] + first
        below = (x.mean[:, None] ** 2 + y.mean[None, :] ** 2 + first) * (
            x.sd[:, None] ** 2 + y.sd[None, :] ** 2 + second
        )
        middle = means * (2.0 * products + second) / below
        error = 3.0 * error * np.abs(means) / below

        def unlike(row: int, near: Rows) -> Floats:
            a, b = x.row(row), y.row(near)
            together = 2.0 * ((b - y.mean[near, None]) @ (a - x.mean[row])) / len(a) + second[row]
            return -np.asarray(means[row, near] * together / below[row, near])

        return -least(-middle - error, -middle + error, unlike)


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
    low, high, count = (np.zeros((len(rows), width)) for width in (len(whole), len(whole), 1))
    norms = np.full((len(rows), len(leads)), np.nan)
    for column, lead in enumerate(leads):
        living = np.flatnonzero(np.isin(rows, lead.x_rows))
        x = Waves.of(lead.pair.real, lead.at, rows[living])
        norms[living, column] = np.sqrt(x.mean**2 + x.sd**2)
        below, above = squared_errors(x, Waves.of(lead.pair.synthetic, lead.at, whole))
        low[living] += np.sqrt(below) / norms[living, column, None]
        high[living] += np.sqrt(above) / norms[living, column, None]
        count[living] += 1.0
    candidates = low <= high.min(axis=1, keepdims=True) * (1.0 + 1e-12)
    out = np.full(norms.shape, np.nan)
    for at in np.flatnonzero(count[:, 0]):
        out[at] = _partner(leads, int(rows[at]), whole[candidates[at]], norms[at])
    return out


def _partner(leads: list[Lead], row: int, near: Rows, norms: Floats) -> Floats:
    """(leads,) percents of the best of the candidates."""
    percents = np.full((len(near), len(leads)), np.nan)
    for column in np.flatnonzero(np.isfinite(norms)):
        lead = leads[column]
        x = lead.pair.real.read(lead.at, np.array([row]))
        y = lead.pair.synthetic.read(lead.at, near)
        percents[:, column] = 100.0 * cdist(y, x)[:, 0] / np.sqrt(x.shape[1]) / norms[column]
    best: Floats = percents[np.nanmean(percents, axis=1).argmin()]
    return best
