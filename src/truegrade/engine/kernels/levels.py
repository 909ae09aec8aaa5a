"""From which k on a point lies in the k-neighbour ball of some centre: a filter, then exact decisions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from truegrade.engine.kernels.distance import scratch, squared_distance


@njit(cache=True, nogil=True)
def scan_levels(x: Any, y: Any, g: Any, nx: Any, ny: Any, eps: float, radii2: Any, found: Any) -> None:
    """Lower found[i], the number of levels that do not hold point i, by the centres of one block.

    x, y: raw rows of points and centres. g[i, j]: their products, nx, ny: squared norms, all of centred rows.
    radii2[l, j]: squared radius of centre j at level l, ascending in l. At level l point i is inside ball j if
    d2 <= radii2[l, j]. found[i] begins as the number of levels.
    """
    room = scratch()
    for i in range(x.shape[0]):
        if found[i] == 0:
            continue
        limits = radii2[found[i] - 1]  # only a ball of this level or a smaller one changes anything
        for j in range(y.shape[0]):
            norms = nx[i] + ny[j]
            if norms - 2.0 * np.float64(g[i, j]) - eps * norms > limits[j]:
                continue
            d2 = squared_distance(x, i, y, j, room)
            while found[i] > 0 and d2 <= radii2[found[i] - 1, j]:
                found[i] -= 1
            if found[i] == 0:
                break
            limits = radii2[found[i] - 1]
