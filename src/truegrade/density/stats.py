"""What is known of the points of one side before they are binned: moments, extremes and a sample."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SAMPLE = 65_536  # rows from which quantiles are taken


@dataclass(frozen=True, eq=False)
class SideStats:
    """n points of a pair of columns: mean (2,), cov (2, 2) with ddof 1, low (2,) and high (2,).

    sample: (s, 2), all points where there are at most SAMPLE, else the rows `sample_rows(n)`. It may be empty
    (resampled histograms have no points); what is read from it alone then comes from the histogram.
    """

    n: int
    mean: Floats
    cov: Floats
    low: Floats
    high: Floats
    sample: Floats = field(default_factory=lambda: np.empty((0, 2)))

    @property
    def complete(self) -> bool:
        """Whether the sample holds every point."""
        return len(self.sample) == self.n


@dataclass(frozen=True, eq=False)
class LineStats:
    """The same of n values of one column: mean, variance with ddof 1, extremes, sample (s,)."""

    n: int
    mean: float
    variance: float
    low: float
    high: float
    sample: Floats = field(default_factory=lambda: np.empty(0))


def sample_rows(n: int, seed: int = 0) -> NDArray[np.intp]:
    """The rows of n that make the sample: ascending, all of them or SAMPLE drawn without replacement."""
    if n <= SAMPLE:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, SAMPLE, replace=False, shuffle=False))


def side_stats(points: Floats) -> SideStats:
    """Statistics of points (n, 2). Below 2 points the covariance is 0, without any also the rest."""
    n = len(points)
    if n == 0:
        return SideStats(0, np.zeros(2), np.zeros((2, 2)), np.zeros(2), np.zeros(2))
    with np.errstate(over="ignore", invalid="ignore"):  # what cannot be squared gets a status later
        mean = points.mean(axis=0)
        centred = points - mean
        cov = centred.T @ centred / max(n - 1, 1)
    return SideStats(n, mean, cov, points.min(axis=0), points.max(axis=0), points[sample_rows(n)])


def line_stats(values: Floats) -> LineStats:
    """Statistics of values (n,)."""
    n = len(values)
    if n == 0:
        return LineStats(0, 0.0, 0.0, 0.0, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(values.mean())
        variance = float(((values - mean) ** 2).sum() / max(n - 1, 1))
    return LineStats(n, mean, variance, float(values.min()), float(values.max()), values[sample_rows(n)])
