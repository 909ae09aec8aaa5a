"""Intervals from a standard error that the metric knows itself (U-statistics)."""

from __future__ import annotations

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
