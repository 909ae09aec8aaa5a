"""From which k on each point lies in the union of the k-neighbour balls of another set."""

from __future__ import annotations

import numpy as np

from truegrade.cores import usable_cores
from truegrade.engine import kernels
from truegrade.engine.blas import single_thread
from truegrade.engine.executors import Task, run_tasks
from truegrade.engine.needs import Floats, Ints
from truegrade.engine.precision import product_dtype
from truegrade.engine.tiles import Prepared, error_bound, robust_centre, tile_size
from truegrade.samples import Samples

_POINTS = 512  # at a time, so that a tile of products stays in cache


class _Once(Prepared):
    """Blocks that are read once, so that only the last few are kept."""

    @property
    def _resident(self) -> bool:
        return False


def first_inside(points: Samples, centres: Samples, squared: Floats, *, threads: int | None = None) -> Ints:
    """For each point the least k for which some ball of `centres` with k neighbours holds it, 0 if none does.

    squared: (n, K) squared distances of each centre to its neighbours, ascending; ball j at k has the radius
    sqrt(squared[j, k - 1]) and is closed. Decisions are those of float64 arithmetic, ties included. Memory: the
    points, and a few blocks of centres. threads: default all processors; the result does not depend on it.
    """
    centre = robust_centre(centres)
    dtype = product_dtype(points, centres, centre, [])
    raw = np.dtype(np.float32 if points.dtype == centres.dtype == np.float32 else np.float64)
    left = Prepared(points, centre, dtype, raw, _POINTS)
    right = _Once(centres, centre, dtype, raw, tile_size(centres.n, centres.d, None))
    levels = squared.shape[1]
    best = np.full(points.n, levels, np.int64)
    eps = error_bound(points.d, dtype)

    def scan(number: int) -> Ints:
        """How many levels hold each point in no ball of this block, as far as that is fewer than known so far."""
        found, theirs = best.copy(), right.block(number)
        radii2 = np.ascontiguousarray(squared[theirs.span].T)
        for mine in map(left.block, range(left.count)):
            products = mine.centred @ theirs.centred.T
            mark = found[mine.span]
            kernels.scan_levels(mine.raw, theirs.raw, products, mine.norms, theirs.norms, eps, radii2, mark)
        return found

    def merge(found: Ints) -> None:
        np.minimum(best, found, out=best)

    tasks = [Task(lambda number=number: scan(number), frozenset()) for number in range(right.count)]  # type: ignore[misc]
    with single_thread():  # one worker per core instead
        run_tasks(tasks, merge, threads or usable_cores(), lambda: None)
    return np.where(best < levels, best + 1, 0)
