"""From which k on each point lies in the union of the k-neighbour balls of another set."""

from __future__ import annotations

import numpy as np

from truegrade.engine import kernels
from truegrade.engine.needs import Floats, Ints
from truegrade.engine.precision import product_dtype
from truegrade.engine.tiles import Prepared, error_bound, robust_centre, tile_size
from truegrade.samples import Samples

_POINTS = 512  # at a time, so that a tile of products stays in cache


def first_inside(points: Samples, centres: Samples, squared: Floats) -> Ints:
    """For each point the least k for which some ball of `centres` with k neighbours holds it, 0 if none does.

    squared: (n, K) squared distances of each centre to its neighbours, ascending; ball j at k has the radius
    sqrt(squared[j, k - 1]) and is closed. Decisions are those of float64 arithmetic, ties included. Memory: a
    block of either side.
    """
    centre = robust_centre(centres)
    dtype = product_dtype(points, centres, centre, [])
    raw = np.dtype(np.float32 if points.dtype == centres.dtype == np.float32 else np.float64)
    size = tile_size(centres.n, centres.d, None)
    left = Prepared(points, centre, dtype, raw, _POINTS)
    right = Prepared(centres, centre, dtype, raw, size)
    levels = squared.shape[1]
    found = np.full(points.n, levels, np.int64)
    for number in range(right.count):
        theirs = right.block(number)
        radii2 = np.ascontiguousarray(squared[theirs.span].T)
        for mine in map(left.block, range(left.count)):
            kernels.scan_levels(
                mine.raw,
                theirs.raw,
                mine.centred @ theirs.centred.T,
                mine.norms,
                theirs.norms,
                error_bound(points.d, dtype),
                radii2,
                found[mine.span],
            )
    return np.where(found < levels, found + 1, 0)
