"""Shares of recordings in bins, with outcomes that are no number, and how far two such laws are apart."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.stats import wasserstein_distance

from truegrade.ecg.lacking import lost
from truegrade.ecg.registry.sides import Floats

WORST = math.log(2.0)  # nats: nothing in common


def jensen_shannon(p: Floats, q: Floats) -> float:
    """Jensen-Shannon divergence of two laws on the same outcomes, in nats, 0 to log 2."""
    middle = 0.5 * (p + q)

    def against(one: Floats) -> float:
        some = one > 0
        return float((one[some] * np.log(one[some] / middle[some])).sum())

    return min(max(0.5 * against(p) + 0.5 * against(q), 0.0), WORST)


def divergence(real: Floats, synthetic: Floats, dead: int, edges: Floats) -> float:
    """Of values by recording: bins between ascending edges and beyond them, "no value" (NaN), and "no signal", which
    `dead` more synthetic recordings have. Moving a recording from anywhere to "no signal" never makes it smaller."""
    counts = [_counts(values, edges) for values in (real, synthetic)]
    p, q = np.append(counts[0], 0.0), np.append(counts[1], float(dead))
    return jensen_shannon(p / p.sum(), q / q.sum())


def described(real: Floats, synthetic: Floats, dead: int, prefix: str = "") -> Mapping[str, float | None]:
    """Means, sds, numbers without a value, and the Wasserstein-1 distance of the values there are; None where many more
    synthetic recordings than real ones are without one, `dead` more for want of a signal."""
    extra: dict[str, float | None] = {}
    known = [values[np.isfinite(values)] for values in (real, synthetic)]
    for side, values, given in zip(("real", "synthetic"), known, (real, synthetic), strict=True):
        extra[f"{prefix}{side}_mean"] = float(values.mean()) if len(values) else None
        extra[f"{prefix}{side}_sd"] = float(values.std()) if len(values) else None
        extra[f"{prefix}{side}_without"] = float(len(given) - len(values))
    without = [(len(given) - len(values)) for values, given in zip(known, (real, synthetic), strict=True)]
    both = len(known[0]) > 0 and len(known[1]) > 0
    both = both and not lost((without[1] + dead, len(synthetic) + dead), (without[0], len(real)))
    extra[f"{prefix}wasserstein"] = float(wasserstein_distance(*known)) if both else None
    return extra


def _counts(values: Floats, edges: Floats) -> Floats:
    known = np.isfinite(values)
    inside = np.bincount(np.searchsorted(edges, values[known], side="right"), minlength=len(edges) + 1)
    return np.append(inside, (~known).sum()).astype(np.float64)
