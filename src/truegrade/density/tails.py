"""The divergence where the synthetic density is next to nothing: the nearest points' exact kernels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from truegrade.density.histogram import WEIGHT, Histogram
from truegrade.density.stats import Floats

NOTHING = 1e-13  # of the mass: what a block with less could add to a divergence is below 1e-8


def distant_terms(
    distant: NDArray[np.float64], synthetic: Histogram, kernel: Floats, block: int, nothing: float
) -> float:
    """Sum of -p log q over the cells that are far from every synthetic point.

    distant: (bx, by, 3) mass of p in blocks of such cells and its first moments in cells. Both it and the synthetic
    points are taken block by block (half a kernel sd wide) at their centres of mass; log q is that of exact kernels.
    """
    from truegrade.density.loops import distant_sum

    sd = np.maximum(kernel, math.sqrt(1.0 / 6.0))
    return float(-distant_sum(distant, synthetic.counts, sd, block, nothing, float(WEIGHT * synthetic.n)))
