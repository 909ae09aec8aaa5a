"""Metrics of the laws of descriptors, lead by lead: mmd, fd, swd."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.spatial.distance import cdist, pdist

from truegrade.ecg.descriptors import eleven, seven
from truegrade.ecg.registry.base import Floor, Found, RegistryMetric, mixed
from truegrade.ecg.registry.sides import Floats, Lead
from truegrade.engine.needs import MomentsAnswer
from truegrade.errors import InputError
from truegrade.metrics.frechet import distance_between
from truegrade.metrics.line import merge

_MEDIAN_OF = 2000  # real recordings of which the median distance is taken
_ROWS = 512


def scaled_sevens(lead: Lead) -> tuple[Floats, Floats]:
    """The seven descriptors of x and y divided by the sd of x (of a part of the real recordings, by that of all)."""
    x, y = lead.each("seven", seven)
    scale = spread_of(lead.scale("seven", seven))
    return x / scale, y / scale


def spread_of(x: Floats) -> Floats:
    """Standard deviation of each column, divided by n; 1 where it is 0."""
    spread = x.std(axis=0)
    return np.where(spread > 0, spread, 1.0)


@dataclass(frozen=True, kw_only=True)
class MMD(RegistryMetric):
    """Squared maximum mean discrepancy of the seven descriptors of a lead, unbiased.

    mean over i != j of k(x_i, x_j) + mean over i != j of k(y_i, y_j) - 2 mean k(x_i, y_j), where k is the mean over
    `kernel_bandwidths` b of exp(-|u - v|^2 / (2 b s^2)) and s^2 the median squared distance of two real recordings, one
    for all three means. Descriptors are divided by the real sd. Range -1 to 2, lower is better; near 0, on either side,
    for two samples of one law. A lead that all synthetic recordings lack has 2; where many more synthetic recordings
    than real ones lack it, each of them counts 2.
    Source: Gretton et al. 2012, lemma 6.
    """

    kernel_bandwidths: Sequence[float] | None = None
    n_subsample: int | None = None
    seed: int = 42

    key: ClassVar[str] = "mmd"
    floor: ClassVar[Floor] = "1/n"
    title: ClassVar[str] = "Maximum mean discrepancy"
    worst: ClassVar[float | None] = 2.0
    least: ClassVar[tuple[int, int]] = (2, 2)
    description: ClassVar[str] = "Squared distance of the laws of seven descriptors in a kernel space; lower is better."
    reference: ClassVar[str] = "Gretton et al. 2012, A kernel two-sample test, JMLR 13."
    corrected: ClassVar[str] = (
        "One bandwidth for all three terms (there each has its own, so the sum is no distance), descriptors in units "
        "of the real sd, float64, negative values kept (there cut off at 0, lead by lead)."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        factors = self.factors()
        if not factors or not all(isinstance(b, (int, float)) and math.isfinite(b) and b > 0 for b in factors):
            raise InputError(f"kernel_bandwidths={self.kernel_bandwidths!r} given; numbers above 0 are accepted.")

    def factors(self) -> tuple[float, ...]:
        """The bandwidths as factors of the median squared distance."""
        return (0.1, 1.0, 10.0) if self.kernel_bandwidths is None else tuple(self.kernel_bandwidths)

    def one_lead(self, lead: Lead) -> Found:
        x, y = scaled_sevens(lead)
        some = x[:: -(-len(x) // _MEDIAN_OF)]
        squared = float(np.median(pdist(some, "sqeuclidean"))) or 1.0
        widths = tuple(b * squared for b in self.factors())
        living, within = mmd_squared(x, y, widths)
        if lead.share == 1.0:
            return Found(living)
        if lead.lost:
            return Found(lead.share * living + (1.0 - lead.share) * 2.0)
        return Found(mixed(living, within + 1.0 - 2.0 * kernel_means(y, x, widths), lead.share))


def mmd_squared(x: Floats, y: Floats, widths: Sequence[float]) -> tuple[float, float]:
    """Unbiased MMD^2 with the mean of kernels exp(-d^2 / (2 w)), and its first term."""
    within, other = (mean_within(rows, widths) for rows in (x, y))
    return within + other - 2.0 * kernel_mean(x, y, widths), within


def mean_within(x: Floats, widths: Sequence[float]) -> float:
    """Mean of the kernel over all pairs of different rows."""
    if len(x) > _MEDIAN_OF:
        return (kernel_mean(x, x, widths) * len(x) - 1.0) / (len(x) - 1)
    squared = pdist(x, "sqeuclidean")  # half the work, and all of it at once
    return float(np.mean([np.exp(squared / (-2.0 * width)).mean() for width in widths]))


def kernel_mean(x: Floats, y: Floats, widths: Sequence[float]) -> float:
    """Mean of the kernel over all pairs."""
    return float(kernel_means(x, y, widths).mean())


def kernel_means(x: Floats, y: Floats, widths: Sequence[float]) -> Floats:
    """(n,) mean of the kernel of each x with all y, by blocks."""
    out = np.zeros(len(x))
    for start in range(0, len(x), _ROWS):
        squared = cdist(x[start : start + _ROWS], y, "sqeuclidean")
        for width in widths:
            out[start : start + _ROWS] += np.exp(squared / (-2.0 * width)).sum(axis=1)
    out /= len(y) * len(widths)
    return out


@dataclass(frozen=True, kw_only=True)
class FD(RegistryMetric):
    """Fréchet distance of the eleven descriptors of a lead, standardised by the real mean and sd.

    |mu_x - mu_y|^2 + tr S_x + tr S_y - 2 tr (S_x S_y)^(1/2). Range 0 to infinity, lower is better; about c/n for two
    samples of one law. eps is added to both diagonals (0). Source: Heusel et al. 2017; Dowson & Landau 1982.
    """

    n_subsample: int | None = None
    eps: float | None = None
    fs: float | None = None

    key: ClassVar[str] = "fd"
    floor: ClassVar[Floor] = "1/n"
    title: ClassVar[str] = "Fréchet distance"
    lost_counts: ClassVar[bool] = True
    least: ClassVar[tuple[int, int]] = (2, 2)
    description: ClassVar[str] = "Distance of the means and covariances of eleven descriptors; lower is better."
    reference: ClassVar[str] = "Heusel et al. 2017, GANs trained by a two time-scale update rule; Dowson & Landau 1982."
    corrected: ClassVar[str] = (
        "The root of the product of the covariances itself (there of its symmetric part: .284 where .141 is right); no "
        "ridge; the spectrum without the mean."
    )

    def one_lead(self, lead: Lead) -> Found:
        x, y = lead.each("eleven", _elevens)
        every = lead.scale("eleven", _elevens)
        middle, scale = every.mean(axis=0), spread_of(every)
        return frechet((x - middle) / scale, (y - middle) / scale, lead.share, self.eps or 0.0)


def _elevens(rows: Floats) -> Floats:
    return eleven(rows, 1.0)  # they are standardised: the unit of frequency is no matter


def frechet(x: Floats, y: Floats, share: float, eps: float) -> Found:
    """Fréchet distance of x from y, which are only a share of the synthetic recordings; see `mixed` for the others."""
    real, living = (gaussian(rows, eps) for rows in (x, y))
    value = distance_between(real, living).value
    if value is None:
        return Found(None, reason="the distance came out below 0 by more than rounding")
    if share == 1.0:
        return Found(value)
    assert real.covariance is not None
    singles = ((y - real.mean) ** 2).sum(axis=1) + np.trace(real.covariance)  # of each point alone
    return Found(mixed(value, singles, share))


def gaussian(rows: Floats, eps: float) -> MomentsAnswer:
    """Mean and covariance (ddof 1) with eps added to the diagonal."""
    covariance = np.atleast_2d(np.cov(rows, rowvar=False)) + eps * np.eye(rows.shape[1])
    return MomentsAnswer(rows.mean(axis=0), covariance, len(rows))


@dataclass(frozen=True, kw_only=True)
class SWD(RegistryMetric):
    """Sliced Wasserstein-1 distance of the seven descriptors of a lead, divided by the real sd.

    Mean over `n_projections` random unit vectors, the same for every lead, of the exact Wasserstein-1 distance of the
    projections. Range 0 to infinity, lower is better; falls as n^(-1/2) for two samples of one law.
    Source: Rabin et al. 2011; Kolouri et al. 2019.
    """

    n_projections: int = 200
    n_subsample: int | None = None
    seed: int = 42

    key: ClassVar[str] = "swd"
    floor: ClassVar[Floor] = "1/sqrt(n)"
    title: ClassVar[str] = "Sliced Wasserstein distance"
    lost_counts: ClassVar[bool] = True
    description: ClassVar[str] = "Mean transport cost of seven descriptors along random directions; lower is better."
    reference: ClassVar[str] = "Rabin et al. 2011, Wasserstein barycenter and its application to texture mixing."
    corrected: ClassVar[str] = (
        "Exact for unequal sizes (there interpolated quantiles, which cut off the tails), float64, the same directions "
        "for every lead."
    )

    def one_lead(self, lead: Lead) -> Found:
        x, y = scaled_sevens(lead)
        directions = np.random.default_rng(self.seed).standard_normal((self.n_projections, x.shape[1]))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        ours = np.sort(directions @ x.T, axis=1)
        living = transport(ours, np.sort(directions @ y.T, axis=1))
        if lead.share == 1.0:
            return Found(living)
        singles = np.array([np.abs(ours - place[:, None]).mean() for place in y @ directions.T])
        return Found(mixed(living, singles, lead.share))


def transport(x: Floats, y: Floats) -> float:
    """Mean over lines of the Wasserstein-1 distance of ascending x (b, n) and y (b, m)."""
    if x.shape == y.shape:
        return float(np.abs(x - y).mean())
    pieces = merge(x.shape[1], y.shape[1])
    return float((np.abs(x[:, pieces.left] - y[:, pieces.right]) @ pieces.mass).mean())
