"""Intervals from a standard error that is known in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from truegrade.result import Interval


def analytic_interval(
    value: float, standard_error: float, limits: tuple[float, float], *, level: float = 0.95
) -> Interval | str:
    """value +- z * standard_error, clipped to the metric's range; a string says why there is none."""
    if not np.isfinite(standard_error) or standard_error < 0:
        return f"the standard error is {standard_error}"
    reach = float(ndtri((1 + level) / 2)) * standard_error
    low, high = (float(np.clip(v, *limits)) for v in (value - reach, value + reach))
    return Interval(low, high, level, "analytic standard error")


@dataclass(frozen=True)
class Curved:
    """An estimate of a squared distance, U = theta + linear part + second-order part.

    The linear part vanishes with the distance: its variance is about c theta. What is left at theta = 0 is the
    second-order part, of variance W. So the variance is W + c theta, and estimating it at U alone would make an
    estimate that came out small look too certain. The interval is made of all theta that U does not contradict,
    (U - theta)^2 <= z^2 (V + c (theta - U)), as Wilson did for shares.

    estimate: U, free of bias. variance: V, of U. second: W. slope: c.
    """

    estimate: float
    variance: float
    second: float
    slope: float

    @property
    def error(self) -> float:
        """Standard error."""
        return float(np.sqrt(self.variance))

    def bounds(self, level: float = 0.95) -> tuple[float, float]:
        """Lower and upper bound relative to the estimate: at most and at least 0."""
        z = float(ndtri((1 + level) / 2))
        shift = z * z * self.slope / 2.0
        reach = float(np.sqrt(z * z * self.variance + shift * shift))
        return shift - reach, shift + reach


def curved(estimate: float, linear: float, second: float, *, steepest: float, shared: float = 1.0) -> Curved:
    """An estimate whose second-order part has the variance `second`.

    Args:
        linear: variance of the means of each sample's linear part, all computed from the same samples. Each then
            contains its sample's own share of the second-order part, which is counted twice: `linear` estimates the
            variance of the linear part + 2 `second` (Hoeffding 1948 for U-statistics).
        steepest: upper bound of the slope.
        shared: how far that holds, 1 for U-statistics.
    """
    linear = max(linear, 0.0)
    slope = min(max(0.0, linear - 2.0 * second * shared) / max(estimate, second**0.5, 1e-300), steepest)
    return Curved(estimate, max(second, linear - shared * second), second, slope)
