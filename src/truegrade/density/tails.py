"""The divergence where the synthetic density is next to nothing: the nearest points' exact kernels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from truegrade.density.histogram import WEIGHT, Histogram
from truegrade.density.stats import Floats

_NOTHING = 1e-13  # of the mass: what a block with less could add to a divergence is below 1e-8


def distant_terms(distant: NDArray[np.float64], synthetic: Histogram, kernel: Floats, block: int) -> float:
    """Sum of -p log q over the cells that are far from every synthetic point.

    distant: (bx, by, 3) mass of p in blocks of such cells and its first moments in cells. Both it and the synthetic
    points are taken block by block (half a kernel sd wide) at their centres of mass; log q is that of exact kernels.
    """
    from truegrade.density.loops import block_sums, log_sums

    far = distant[distant[..., 0] > _NOTHING]
    if not len(far):
        return 0.0
    held = block_sums(synthetic.counts, block)
    held = held[held[..., 0] > 0]
    sd = np.maximum(kernel, math.sqrt(1.0 / 6.0))
    at, points = (np.ascontiguousarray((x[:, 1:] / x[:, :1] / sd).T) for x in (far, held))
    log_weight = np.log(held[:, 0] / (WEIGHT * synthetic.n * 2.0 * math.pi * sd[0] * sd[1]))
    logs = log_sums(at[0], at[1], points[0], points[1], log_weight)
    return float(-(far[:, 0] * logs).sum())
