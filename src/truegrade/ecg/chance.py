"""Whether chance explains a difference between recordings: p-values of random relabellings.

Recordings of one patient are alike, so one of each patient is taken; p-values are not corrected for how many are
looked at (`truegrade.ecg.verdict` does that).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from truegrade.recordings import Recordings

RELABELLINGS = 999
MOST = 200  # recordings of a side
_LEAST = 5
_EQUAL = 1e-9  # of the mean distance: rounding

Floats = NDArray[np.float64]


def independent(recordings: Recordings) -> NDArray[np.bool_]:
    """(N,) the first recording of each patient; all where nobody said whose they are."""
    out = np.ones(len(recordings), dtype=bool)
    if recordings.patients is not None:
        out[:] = False
        out[np.unique(recordings.patients.astype(str), return_index=True)[1]] = True
    return out


def energy_p(real: Floats, synthetic: Floats, *, seed: int) -> float | None:
    """That the vectors (n, d) and (m, d) are of one law, by their energy distance (Székely & Rizzo 2013); on at most
    200 of each. None for fewer than 5 on a side."""
    if min(len(real), len(synthetic)) < _LEAST:
        return None
    rng = np.random.default_rng(seed)
    x, y = (side if len(side) <= MOST else side[rng.permutation(len(side))[:MOST]] for side in (real, synthetic))
    pooled = np.concatenate([x, y])
    distances = cdist(pooled, pooled)
    labels = _relabelled(len(x), len(y), rng)
    to_real = labels @ distances
    ours = np.einsum("bp,bp->b", labels, to_real)
    across = to_real.sum(axis=1) - ours
    theirs = distances.sum() - ours - 2.0 * across
    n, m = float(len(x)), float(len(y))
    found = 2.0 * across / (n * m) - ours / n**2 - theirs / m**2
    return _share(found, _EQUAL * float(distances.mean()))


def gap_p(real: Floats, synthetic: Floats, *, seed: int) -> float | None:
    """That the values (n,) and (m,) are of one law, by the largest gap between their distribution functions; NaN, a
    failed measurement, is a value of its own above all others. None for fewer than 5 on a side."""
    n, m = len(real), len(synthetic)
    if min(n, m) < _LEAST:
        return None
    pooled = np.concatenate([real, synthetic])
    order = np.argsort(pooled, kind="stable")  # NaN last
    values = pooled[order]
    ends = np.append((values[1:] != values[:-1]) & ~(np.isnan(values[1:]) & np.isnan(values[:-1])), True)
    labels = _relabelled(n, m, np.random.default_rng(seed))[:, order]
    gaps = np.cumsum(m * labels - n * (1.0 - labels), axis=1)[:, ends]  # whole numbers: n m times the gap
    return _share(np.abs(gaps).max(axis=1), 0.0)


def _relabelled(n: int, m: int, rng: np.random.Generator) -> Floats:
    """(1 + RELABELLINGS, n + m): 1 for real; the first row as they are."""
    labels = np.zeros((1 + RELABELLINGS, n + m))
    labels[:, :n] = 1.0
    labels[1:] = rng.permuted(labels[1:], axis=1)
    return labels


def _share(statistic: Floats, rounding: float) -> float:
    """(k + 1) / (relabellings + 1), the first value being the observed one."""
    return float((statistic >= statistic[0] - rounding).sum() / len(statistic))
