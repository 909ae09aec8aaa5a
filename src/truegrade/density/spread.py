"""How far chance moves a score, from sets that were drawn again; what fresh real rows get."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtrit

from truegrade.density.stats import Floats


def reach(draws: Floats, level: float = 0.95) -> float:
    """Half the width of an interval about a score: t quantile times the standard deviation of the draws (r,) that are
    finite; NaN with fewer than two. Few draws know their own spread badly, which the t quantile pays for."""
    known = draws[np.isfinite(draws)]
    if len(known) < 2:
        return float("nan")
    return float(stdtrit(len(known) - 1, (1 + level) / 2) * known.std(ddof=1))


def between(value: float, draws: Floats, limits: tuple[float, float], level: float = 0.95) -> tuple[float, float]:
    """value -+ `reach`, within the limits of the score; NaN with fewer than two finite draws."""
    half = reach(draws, level)
    return float(np.clip(value - half, *limits)), float(np.clip(value + half, *limits))


def fresh_ratio(draws: Floats) -> float | None:
    """Mean of min(score / ceiling, 1) over sets of fresh real rows, from scores (r,) of real against real.

    Chance lowers such a ratio and never lifts it above 1: of a normal score with relative standard deviation s about
    its ceiling it is 1 - s / sqrt(2 pi). None with fewer than two draws or a mean of 0.
    """
    known = draws[np.isfinite(draws)]
    if len(known) < 2 or known.mean() <= 0.0:
        return None
    return max(0.0, 1.0 - float(known.std(ddof=1) / known.mean()) / math.sqrt(2.0 * math.pi))


def at_full_size(parts: Floats, small: Floats, large: Floats) -> Floats:
    """Scores of real against real at the sizes of a pair: those of disjoint parts, and what more rows change.

    Two draws from one sample share its bumps and look too much alike; disjoint parts of it do not, but are too small.
    The difference of draws at both sizes (small: of the parts, large: of the pair) says what that makes.
    """
    return parts + (large - small)
