"""Ground costs between points: what the transport distances move mass over."""

from __future__ import annotations

from math import frexp

import numpy as np
from scipy.spatial.distance import cdist

from truegrade.engine.needs import Floats

_FEW_FEATURES = 16  # up to which direct differences are as fast as a matrix product
_NEAR = 1e-2  # of |a|^2 + |b|^2: squared distances below are taken again from differences
_MANY = 0.05  # of near pairs in a block: then all of them are
_CELLS = 1 << 20  # distances of a block
_NUMBERS = 1 << 22  # differences held at a time


def common_frame(x: Floats, y: Floats) -> tuple[Floats, Floats, float]:
    """Points (n, d) and (m, d) about their common mean in units of a power of two, so that all are at most 1; the unit.

    Equal rows stay equal, and neither an offset of 1e8 nor entries of 1e40 cost digits or overflow.
    """
    centre = (x.mean(0) + y.mean(0)) / 2.0
    x, y = x - centre, y - centre
    largest = max(float(np.abs(x).max()), float(np.abs(y).max()))
    unit = float(2.0 ** frexp(largest)[1]) if largest > 0.0 else 1.0
    return x / unit, y / unit, unit


def squared_distances(x: Floats, y: Floats, out: Floats | None = None) -> Floats:
    """|x_i - y_j|^2, shape (n, m), each to about 1e-12 of itself; exactly 0 for equal rows.

    By a matrix product, and where that would lose digits (near pairs) by differences.
    """
    out = np.empty((len(x), len(y))) if out is None else out
    if x.shape[1] <= _FEW_FEATURES:
        return np.asarray(cdist(x, y, "sqeuclidean", out=out))
    norms_x, norms_y = np.einsum("ij,ij->i", x, x), np.einsum("ij,ij->i", y, y)
    step = max(1, _CELLS // len(y))
    for start in range(0, len(x), step):
        rows = slice(start, start + step)
        _fill(x[rows], y, norms_x[rows, None] + norms_y, out[rows])
    return out


def _fill(x: Floats, y: Floats, sums: Floats, out: Floats) -> None:
    np.matmul(x, y.T, out=out)
    out *= -2.0
    out += sums
    sums *= _NEAR
    near = np.nonzero(out < sums)
    if len(near[0]) > _MANY * out.size:
        cdist(x, y, "sqeuclidean", out=out)
        return
    step = max(1, _NUMBERS // x.shape[1])
    for start in range(0, len(near[0]), step):
        i, j = near[0][start : start + step], near[1][start : start + step]
        difference = x[i] - y[j]
        out[i, j] = np.einsum("ij,ij->i", difference, difference)


def costs(x: Floats, y: Floats, p: int) -> Floats:
    """|x_i - y_j|^p, shape (n, m), p = 1 or 2."""
    found = squared_distances(x, y)
    return np.sqrt(found, out=found) if p == 1 else found


def paired_costs(x: Floats, y: Floats, p: int) -> Floats:
    """|x_i - y_i|^p, shape (n,), from differences."""
    squared = np.einsum("ij,ij->i", x - y, x - y)
    return np.asarray(np.sqrt(squared) if p == 1 else squared)
