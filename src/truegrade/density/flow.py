"""The transportation problem with any masses, by the network simplex; compiled, and needs no other library.

Written for a few hundred points on either side, where it takes milliseconds. It is exact: the tree it ends with is
proved the best by its potentials.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_WHOLE = 1 << 40  # units that all mass is cut into, where masses are no whole numbers
_ROUNDING = 1e-13  # of the largest cost: reduced costs above minus that are not negative


@dataclass(frozen=True)
class Moved:
    """The cheapest way to move masses.

    cost: of it all. real, synthetic: (a,) and (b,) dual potentials u and v, u_i + v_j <= c_ij, which prove it.
    sources, sinks, amounts: (s,) how much goes from where to where, s < a + b.
    """

    cost: float
    real: Floats
    synthetic: Floats
    sources: NDArray[np.intp]
    sinks: NDArray[np.intp]
    amounts: Ints


def move(costs: Floats, supply: Ints, demand: Ints) -> Moved:
    """The cheapest way to move the masses `supply` (a,) to `demand` (b,) at `costs` (a, b) for each unit.

    Masses are whole, positive numbers with equal sums. Memory: the costs.
    """
    a, count = len(supply), len(supply) + 1
    more, less = supply * count + 1, demand * count  # no part of the masses adds up on both sides now: no flow of the
    less[-1] += a  # tree is ever 0, every step gains, and the search cannot go in circles
    potential, parent, depth = _solve(costs, more, less, _ROUNDING * float(costs.max(initial=0.0)))
    real, synthetic = potential[:a], -potential[a:]
    node = np.flatnonzero(parent >= 0)
    amounts = _through(parent, np.argsort(-depth, kind="stable"), np.concatenate([supply, -demand]))[node]
    sources, sinks = np.minimum(node, parent[node]), np.maximum(node, parent[node]) - a
    return Moved(float(supply @ real + demand @ synthetic), real, synthetic, sources, sinks, np.abs(amounts))


def whole_masses(weights: Floats) -> Ints:
    """Weights (a,) as whole numbers that add up to 2^40, each right to one unit."""
    sums: Ints = np.rint(np.cumsum(weights) * (_WHOLE / float(weights.sum()))).astype(np.int64)
    return np.asarray(np.diff(sums, prepend=0), np.int64)


@njit(cache=True, nogil=True)
def _through(parent: Any, order: Any, mass: Any) -> Any:
    """What each subtree has too much, which goes through the arc to its parent; `order`: children first."""
    for node in order:
        if parent[node] >= 0:
            mass[parent[node]] += mass[node]
    return mass


@njit(cache=True, nogil=True)
def _solve(costs: Any, supply: Any, demand: Any, tolerance: float) -> Any:
    """The tree of the best flow: potential (a + b,), parent (a + b,) and depth of each node, sources before sinks."""
    a, b = costs.shape
    n = a + b
    parent, flow, potential = np.full(n, -1), np.zeros(n, np.int64), np.zeros(n)
    first, following, before, depth = np.full(n, -1), np.full(n, -1), np.full(n, -1), np.zeros(n, np.int64)
    ends, amounts = _start(costs, supply.copy(), demand.copy())
    _hang(ends, amounts, a, parent, flow, first, following, before)
    stack = np.empty(n, np.int64)
    _descend(0, costs, a, parent, potential, depth, first, following, stack)
    block = max(int(np.sqrt(a * b)) // 2, 16)
    at = 0
    while True:
        at, i, j = _entering(costs, potential, a, at, block, tolerance)
        if i < 0:
            return potential, parent, depth
        _pivot(i, a + j, a, parent, flow, depth, first, following, before)
        _descend(i if parent[i] == a + j else a + j, costs, a, parent, potential, depth, first, following, stack)


@njit(nogil=True)
def _start(costs: Any, supply: Any, demand: Any) -> Any:
    """A first flow: each source in turn fills the nearest sinks that have room. Its a + b - 1 arcs are a tree."""
    a, b = costs.shape
    ends, amounts = np.empty((a + b - 1, 2), np.int64), np.empty(a + b - 1, np.int64)
    count = 0
    for i in range(a):
        while supply[i] > 0:
            best, nearest = np.inf, -1
            for j in range(b):
                if demand[j] > 0 and costs[i, j] < best:
                    best, nearest = costs[i, j], j
            moved = min(supply[i], demand[nearest])
            supply[i] -= moved
            demand[nearest] -= moved
            ends[count, 0], ends[count, 1], amounts[count] = i, a + nearest, moved
            count += 1
    return ends, amounts


@njit(nogil=True)
def _hang(ends: Any, amounts: Any, a: int, parent: Any, flow: Any, first: Any, following: Any, before: Any) -> None:
    """The arcs as a tree below node 0: parents, flow on the arc to the parent, lists of children."""
    n = len(parent)
    degree = np.zeros(n + 1, np.int64)
    for e in range(len(ends)):
        degree[ends[e, 0] + 1] += 1
        degree[ends[e, 1] + 1] += 1
    starts = np.cumsum(degree)
    arcs, filled = np.empty(2 * len(ends), np.int64), starts.copy()
    for e in range(len(ends)):
        for side in range(2):
            arcs[filled[ends[e, side]]] = e
            filled[ends[e, side]] += 1
    queue, tail = np.zeros(n, np.int64), 1
    for head in range(n):
        node = queue[head]
        for k in range(starts[node], starts[node + 1]):
            e = arcs[k]
            other = ends[e, 0] + ends[e, 1] - node
            if other != parent[node]:
                flow[other] = amounts[e]
                _adopt(other, node, parent, first, following, before)
                queue[tail] = other
                tail += 1


@njit(nogil=True)
def _adopt(child: int, node: int, parent: Any, first: Any, following: Any, before: Any) -> None:
    parent[child] = node
    following[child], before[child] = first[node], -1
    if first[node] >= 0:
        before[first[node]] = child
    first[node] = child


@njit(nogil=True)
def _orphan(child: int, parent: Any, first: Any, following: Any, before: Any) -> None:
    if before[child] >= 0:
        following[before[child]] = following[child]
    else:
        first[parent[child]] = following[child]
    if following[child] >= 0:
        before[following[child]] = before[child]


@njit(nogil=True)
def _descend(
    top: int,
    costs: Any,
    a: int,
    parent: Any,
    potential: Any,
    depth: Any,
    first: Any,
    following: Any,
    stack: Any,
) -> None:
    """Potentials and depths of `top` and all below it: the cost of an arc is the potential of its source less that of
    its sink."""
    stack[0], size = top, 1
    while size:
        size -= 1
        node = stack[size]
        above = parent[node]
        if above >= 0:
            depth[node] = depth[above] + 1
            if node < a:
                potential[node] = potential[above] + costs[node, above - a]
            else:
                potential[node] = potential[above] - costs[above, node - a]
        child = first[node]
        while child >= 0:
            stack[size] = child
            size += 1
            child = following[child]


@njit(nogil=True)
def _entering(costs: Any, potential: Any, a: int, at: int, block: int, tolerance: float) -> Any:
    """The arc of most negative reduced cost in the next block that has one; i = -1 if there is none at all."""
    b = costs.shape[1]
    total, seen = a * b, 0
    i, j = at // b, at % b
    while seen < total:
        lowest, best_i, best_j = -tolerance, -1, -1
        left = min(block, total - seen)
        seen += left
        while left > 0:
            stop = min(b, j + left)
            own = potential[i]
            for k in range(j, stop):
                reduced = costs[i, k] - own + potential[a + k]
                if reduced < lowest:
                    lowest, best_i, best_j = reduced, i, k
            left -= stop - j
            j = stop
            if j == b:
                j = 0
                i = i + 1 if i + 1 < a else 0
        if best_i >= 0:
            return i * b + j, best_i, best_j
    return 0, -1, -1


@njit(nogil=True)
def _pivot(
    i: int, j: int, a: int, parent: Any, flow: Any, depth: Any, first: Any, following: Any, before: Any
) -> None:
    """Bring the arc from source i to sink j into the tree, push flow round its circle, and drop the arc that runs dry.

    Round the circle the flow goes from i to j, from j up to where both meet, and from there down to i.
    """
    least, leaving, below_i = np.int64(0), -1, False
    x, y = i, j
    while x != y:
        if depth[x] >= depth[y]:  # coming down towards i: the flow of an arc that points up, from a source, shrinks
            if x < a and (leaving < 0 or flow[x] < least):
                least, leaving, below_i = flow[x], x, True
            x = parent[x]
        else:  # going up from j: the flow of an arc that points down, to a sink, shrinks
            if y >= a and (leaving < 0 or flow[y] < least):
                least, leaving, below_i = flow[y], y, False
            y = parent[y]
    x, y = i, j
    while x != y:
        if depth[x] >= depth[y]:
            flow[x] += -least if x < a else least
            x = parent[x]
        else:
            flow[y] += -least if y >= a else least
            y = parent[y]
    node, above, carried = (i, j, least) if below_i else (j, i, least)
    while True:  # turn the path from the new arc's end up to the arc that leaves
        next_above, next_carried = parent[node], flow[node]
        _orphan(node, parent, first, following, before)
        flow[node] = carried
        _adopt(node, above, parent, first, following, before)
        if node == leaving:
            return
        node, above, carried = next_above, node, next_carried
