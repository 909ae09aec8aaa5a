"""The divergence where the synthetic density is next to nothing: the nearest points' exact kernels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from truegrade.density.histogram import WEIGHT, Histogram
from truegrade.density.stats import Floats


def distant_terms(distant: NDArray[np.float64], synthetic: Histogram, kernel: Floats, block: int) -> float:
    """Sum of -p log q over the cells that are far from every synthetic point.

    distant: (bx, by, 3) mass of p in blocks of such cells and its first moments in cells. Both it and the synthetic
    points are taken block by block (half a kernel sd wide) at their centres of mass; log q is that of exact kernels.
    """
    from truegrade.density.loops import log_sums

    far = distant[distant[..., 0] > 0]
    if not len(far):
        return 0.0
    sd = np.maximum(kernel, math.sqrt(1.0 / 6.0))
    weight, places = _blocks(synthetic, block)
    at = far[:, 1:] / far[:, :1] / sd
    points = places / sd
    log_weight = np.log(weight / (WEIGHT * synthetic.n) / (2.0 * math.pi * sd[0] * sd[1]))
    logs = log_sums(*_columns(at), *_columns(points), log_weight)
    return float(-(far[:, 0] * logs).sum())


def _blocks(histogram: Histogram, block: int) -> tuple[Floats, Floats]:
    """Weights (b,) of the occupied blocks and their centres of mass (b, 2) in cells."""
    i, j = np.nonzero(histogram.counts)
    weight = histogram.counts[i, j].astype(np.float64)
    width = histogram.counts.shape[1] // block + 1
    key = (i // block) * width + j // block
    sums = [np.bincount(key, weight * factor) for factor in (1.0, i, j)]
    there = sums[0] > 0
    total: Floats = np.asarray(sums[0][there], np.float64)
    return total, np.column_stack([sums[1][there] / total, sums[2][there] / total])


def _columns(points: Floats) -> tuple[Floats, Floats]:
    return np.ascontiguousarray(points[:, 0]), np.ascontiguousarray(points[:, 1])
