"""Optimal transport on a line: sorted values are matched in order, whatever the convex cost."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Floats

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Merge:
    """How n and m sorted values of equal total mass are matched: the pieces between all steps of both quantile
    functions.

    left, right: (s,) rank of the x and of the y of each piece, s < n + m; mass: (s,) of each piece, in all 1.
    of_x, of_y: first piece of each x (n,) and each y (m,).
    before_x, after_x: (n - 1,) the y just before and just after the step from one x to the next; before_y, after_y: the
    same with x and y exchanged.
    """

    left: Indices
    right: Indices
    mass: Floats
    of_x: Indices
    of_y: Indices
    before_x: Indices
    after_x: Indices
    before_y: Indices
    after_y: Indices


def merge(n: int, m: int) -> Merge:
    """The matching of n with m sorted values, in whole numbers throughout."""
    common = gcd(n, m)
    steps_x, steps_y = np.arange(n + 1) * (m // common), np.arange(m + 1) * (n // common)
    edges = np.union1d(steps_x, steps_y)
    starts = edges[:-1]

    def rank(steps: NDArray[np.int64], at: NDArray[np.int64], side: str = "right") -> Indices:
        return np.searchsorted(steps, at, side) - 1  # type: ignore[call-overload, no-any-return]

    inner_x, inner_y = steps_x[1:-1], steps_y[1:-1]
    return Merge(
        left=rank(steps_x, starts),
        right=rank(steps_y, starts),
        mass=np.diff(edges) / float(edges[-1]),
        of_x=np.searchsorted(starts, steps_x[:-1]),
        of_y=np.searchsorted(starts, steps_y[:-1]),
        before_x=rank(steps_y, inner_x, "left"),
        after_x=rank(steps_y, inner_x),
        before_y=rank(steps_x, inner_y, "left"),
        after_y=rank(steps_x, inner_y),
    )


@dataclass(frozen=True)
class Lines:
    """Optimal transport on each of b lines, cost |x - y|^p.

    cost: (b,). real_cost, synthetic_cost: (n,) and (m,) mean over the lines of what moving each point costs; their
    means are the mean cost. real_potential, synthetic_potential: (n,) and (m,) mean of the dual potentials, each
    with mean 0.
    """

    cost: Floats
    real_cost: Floats
    synthetic_cost: Floats
    real_potential: Floats
    synthetic_potential: Floats


def transport_lines(x: Floats, y: Floats, p: int, merged: Merge) -> Lines:
    """Of x (b, n) and y (b, m), the coordinates of n real and m synthetic points on b lines.

    Where both quantile functions step at once the potentials are not unique; the mean of both extremes is taken.
    """
    order_x, order_y = np.argsort(x, axis=1), np.argsort(y, axis=1)
    x, y = np.take_along_axis(x, order_x, 1), np.take_along_axis(y, order_y, 1)
    pieces = _cost(x[:, merged.left], y[:, merged.right], p) * merged.mass
    n, m = x.shape[1], y.shape[1]
    return Lines(
        pieces.sum(1),
        _back(np.add.reduceat(pieces, merged.of_x, axis=1) * n, order_x),
        _back(np.add.reduceat(pieces, merged.of_y, axis=1) * m, order_y),
        _back(_potential(x, y, p, merged.before_x, merged.after_x), order_x),
        _back(_potential(y, x, p, merged.before_y, merged.after_y), order_y),
    )


def _cost(a: Floats, b: Floats, p: int) -> Floats:
    difference = a - b
    return np.asarray(np.abs(difference) if p == 1 else difference * difference)


def _potential(a: Floats, b: Floats, p: int, before: Indices, after: Indices) -> Floats:
    """Along the sorted a: the next potential differs by the cost to the b at the step, which both share."""
    steps = [_cost(a[:, 1:], b[:, at], p) - _cost(a[:, :-1], b[:, at], p) for at in (before, after)]
    potential = np.zeros_like(a)
    np.cumsum((steps[0] + steps[1]) / 2.0, axis=1, out=potential[:, 1:])
    return np.asarray(potential - potential.mean(1, keepdims=True))


def _back(values: Floats, order: Indices) -> Floats:
    """Mean over the lines of sorted values, in the order of the points."""
    unsorted = np.empty_like(values)
    np.put_along_axis(unsorted, order, values, 1)
    return np.asarray(unsorted.mean(0))
