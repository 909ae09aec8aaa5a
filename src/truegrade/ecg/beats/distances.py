"""How far two sets of one measurement are apart, failures included: Wasserstein-1, around a circle too, KS, shares.

Values are (n,): NaN is a failed measurement, +infinity one that was not asked for (a real lead without a signal) and is
left out, -infinity a synthetic recording that lacks the lead, which no share of real failures makes up for. Both
arguments are always (real, synthetic).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wasserstein_distance

Values = NDArray[np.float64]
FEW = "Fewer than {least} real recordings have a value ({n} of {all_n})."
NEVER = "It could be measured in no synthetic recording."
LEAST = 5


def asked(values: Values) -> Values:
    """Without those that were not asked for."""
    return values[~np.isposinf(values)]


def enough(real: Values) -> str | None:
    """Why nothing can be said of the measurement, or None."""
    n = int(np.isfinite(real).sum())
    return FEW.format(least=LEAST, n=n, all_n=len(real)) if n < LEAST else None


def lost(real: Values, synthetic: Values) -> float:
    """Share of the synthetic side that lacks the lead, or failed beyond the share of real failures."""
    other = asked(synthetic)
    lacking = float(np.isneginf(other).mean())
    living = other[~np.isneginf(other)]
    failed = [float(np.isnan(side).mean()) if len(side) else 0.0 for side in (asked(real), living)]
    return lacking + (1.0 - lacking) * max(0.0, failed[1] - failed[0])


def line_distance(real: Values, synthetic: Values) -> float | str:
    """Wasserstein-1; synthetic values that are lost are as far off as the real values reach from their 1st to their
    99th percentile, or as the others are where that is more, so failing never helps. Undefined where all are."""
    why = enough(real) or _none(synthetic)
    if why:
        return why
    one, other = real[np.isfinite(real)], synthetic[np.isfinite(synthetic)]
    if not len(other):
        return NEVER
    share, apart = lost(real, synthetic), float(wasserstein_distance(one, other))
    reach = float(np.subtract(*np.quantile(one, (0.99, 0.01))))
    return (1.0 - share) * apart + share * max(reach, apart)


def circle_distance(real: Values, synthetic: Values) -> float | str:
    """Wasserstein-1 around the circle, in degrees: the least over all places to cut it; what is lost is
    180 degrees off. Source: Rabin, Delon, Gousseau 2011, doi:10.1007/s10851-011-0284-0."""
    why = enough(real) or _none(synthetic)
    if why:
        return why
    one, other = (np.mod(side[np.isfinite(side)], 360.0) for side in (real, synthetic))
    if not len(other):
        return 180.0
    places = np.concatenate([one, other])
    order = np.argsort(places, kind="stable")
    gaps = np.diff(places[order], append=places[order[0]] + 360.0)
    steps = np.concatenate([np.full(len(one), 1.0 / len(one)), np.full(len(other), -1.0 / len(other))])
    above = np.cumsum(steps[order])
    by_height = np.argsort(above, kind="stable")
    half = np.searchsorted(np.cumsum(gaps[by_height]), 180.0)
    middle = above[by_height[min(int(half), len(above) - 1)]]
    share = lost(real, synthetic)
    return (1.0 - share) * float((gaps * np.abs(above - middle)).sum()) + share * 180.0


def gap(real: Values, synthetic: Values) -> float | str:
    """Largest gap between the two distribution functions, 0 to 1; failures and lacking leads stand below all values or
    above all, each wherever the gap is larger."""
    one, other = asked(real), asked(synthetic)
    if not len(one) or not len(other):
        return enough(one) or "No synthetic recordings."
    places = np.sort(np.concatenate([one[np.isfinite(one)], other[np.isfinite(other)]]))
    shares = []
    for side in (one, other):
        inside = np.sort(side[np.isfinite(side)])
        shares.append(np.searchsorted(inside, places, "right") / len(side))
    failed = float(np.isnan(other).mean()) - float(np.isnan(one).mean())
    lacking = float(np.isneginf(other).mean())
    apart = np.concatenate([[0.0], shares[1] - shares[0]])
    return float(max(np.abs(apart + below).max() for below in (0.0, failed, lacking, failed + lacking)))


def plausible(real: Values, synthetic: Values) -> float | str:
    """Share of synthetic recordings whose value lies within the 1st to the 99th percentile of the real ones; a failed
    measurement does not."""
    why = enough(real) or _none(synthetic)
    if why:
        return why
    low, high = np.quantile(real[np.isfinite(real)], (0.01, 0.99))
    return float(((asked(synthetic) >= low) & (asked(synthetic) <= high)).mean())


def _none(synthetic: Values) -> str | None:
    return None if len(asked(synthetic)) else "No synthetic recordings."


def centre(real: Values) -> float:
    """Circular mean in degrees of the values; 0 of none."""
    angles = np.radians(real[np.isfinite(real)])
    return float(np.degrees(np.arctan2(np.sin(angles).sum(), np.cos(angles).sum()))) if len(angles) else 0.0


def around(values: Values, middle: float) -> Values:
    """Angles as the ones nearest to `middle`; NaN and infinity stay."""
    known = np.isfinite(values)
    return np.where(known, middle + np.mod(np.where(known, values, 0.0) - middle + 180.0, 360.0) - 180.0, values)
