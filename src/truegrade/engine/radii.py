"""Squared radii of neighbour balls, and who lies in the balls of the own side. Decisions stay in squared space."""

from __future__ import annotations

import numpy as np

from truegrade.engine import kernels
from truegrade.engine.needs import Balls, Floats, Ints, Neighbours
from truegrade.engine.tiles import Prepared


def median_radius2(neighbours: Neighbours) -> float:
    """Square of the median radius; exact where the two middle radii are equal."""
    ordered = np.sort(neighbours.squared[:, -1])
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return float(low) if low == high else float(((np.sqrt(low) + np.sqrt(high)) / 2) ** 2)


def ball_radii2(neighbours: Neighbours, clip: bool) -> Floats:
    """Squared radii r_i^2, or min(r_i, median)^2."""
    own = neighbours.squared[:, -1]
    return np.minimum(own, median_radius2(neighbours)) if clip else own


def pruned_radii2(neighbours: Neighbours) -> Floats:
    """Squared radii, 0 for balls larger than the median."""
    own = neighbours.squared[:, -1]
    return np.where(own <= median_radius2(neighbours), own, 0.0)


def own_balls(lists: Neighbours, k: int, clip: bool, side: Prepared) -> Balls:
    """Counts inside one side from its neighbour lists (of any length >= k); centres with ties beyond their list
    are counted against all samples."""
    n = side.samples.n
    radii2 = ball_radii2(lists.first(k), clip)
    tied = (lists.beyond > 0) & (lists.squared[:, -1] <= radii2)
    inside = (lists.squared <= radii2[:, None]) & ~tied[:, None]
    strictly = inside & (lists.squared < radii2[:, None])
    closed = np.bincount(lists.indices[inside], minlength=n)
    strict = np.bincount(lists.indices[strictly], minlength=n)
    smallest = np.full(n, np.inf)
    np.minimum.at(smallest, lists.indices[inside], np.broadcast_to(radii2[:, None], inside.shape)[inside])
    _count_tied(np.flatnonzero(tied), radii2, side, closed, strict, smallest)
    per_centre = (lists.squared <= radii2[:, None]).sum(1) + np.where(tied, lists.beyond, 0)
    per_centre_strict = (lists.squared < radii2[:, None]).sum(1)
    return Balls(closed, strict, per_centre, per_centre_strict, np.sqrt(smallest), np.sqrt(radii2))


def _count_tied(
    tied: Ints, radii2: Floats, side: Prepared, closed: Ints, strict: Ints, smallest: Floats
) -> None:
    for number in range(side.count):
        span = side.span(number)
        mine = tied[(tied >= span.start) & (tied < span.stop)]
        if len(mine) == 0:
            continue
        centres = np.ascontiguousarray(side.block(number).raw[mine - span.start])
        for other in range(side.count):
            block = side.block(other)
            at = block.span
            counts = (closed[at], strict[at], smallest[at])
            kernels.count_tied(centres, mine, block.raw, at.start, radii2[mine], *counts)
