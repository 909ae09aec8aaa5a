"""Optimal transport between point clouds of equal size: an assignment, and the proof that it is the best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Floats

_ROWS = 64  # read at once, so that they stay in the cache
_ROUNDS, _SHARPEST = 20, 0.001  # of the start, and its last softness as a share of the mean cost
_SETTLED = 1e-14  # of the largest cost: changes of a potential below are rounding


def assign(costs: Floats) -> tuple[NDArray[np.intp], Floats]:
    """The best partner of each row, shape (n,), and potentials of the columns that prove it, shape (n,).

    `costs` (n, n) is overwritten by reduced costs. A start by entropic transport leaves the exact search little to do:
    an assignment is the best for c_ij if it is so for c_ij - u_i - v_j, whatever u and v.
    """
    from scipy.optimize import linear_sum_assignment  # slow to import, and not needed by other metrics

    start = _start(costs)
    for first in range(0, len(costs), _ROWS):
        block = costs[first : first + _ROWS]
        block -= start
        block -= block.min(1, keepdims=True)
    _, partner = linear_sum_assignment(costs)
    return partner, start + _potentials(costs, partner)


def _start(costs: Floats) -> Floats:
    """Potentials of the columns after rounds of entropic transport, each less soft than the last; single precision."""
    n = len(costs)
    mean, largest = float(costs.mean()), float(costs.max())
    potential = np.zeros(n)
    if mean <= 0.0:
        return potential
    for softness in np.geomspace(largest, _SHARPEST * mean, _ROUNDS):
        mass = np.zeros(n)
        for first in range(0, n, _ROWS):
            block = ((potential - costs[first : first + _ROWS]) / softness).astype(np.float32)
            block -= block.max(1, keepdims=True)
            np.exp(block, out=block)
            mass += (1.0 / block.sum(1)) @ block
        potential -= softness * np.log(np.maximum(mass, 1e-30))
    return potential


def _potentials(reduced: Floats, partner: NDArray[np.intp]) -> Floats:
    """Potentials v of the columns with v_j <= v_s(i) + c_ij - c_is(i), s(i) the partner of i: shortest paths.

    The Bellman-Ford rule from 0, over all edges at once; the assignment is the best if and only if it comes to rest.
    """
    n = len(reduced)
    own = reduced[np.arange(n), partner]
    settled = _SETTLED * float(reduced.max())
    potential = np.zeros(n)
    for _ in range(n + 1):
        before = potential.copy()
        for first in range(0, n, _ROWS):
            rows = slice(first, first + _ROWS)
            ahead = (potential[partner[rows]] - own[rows])[:, None]
            np.minimum(potential, (reduced[rows] + ahead).min(0), out=potential)
        if float((before - potential).max()) <= settled:
            break
    return potential
