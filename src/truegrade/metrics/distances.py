"""Exact squared distances between rows in float64: for the functions of a `Direct`, which read samples themselves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.distance import cdist

from truegrade.engine.needs import Floats

_FEW_FEATURES = 16  # up to which direct differences are as fast as a matrix product
_NEAR = 1e-6  # of |a|^2 + |b|^2: squared distances below are taken again from differences, for 9 digits
_NEAR_OF_ALL = 1e-2  # the same for 12 digits
_MANY = 0.05  # of near pairs in a tile: then all of them are
_TILE = 1 << 17  # distances of a tile that is used at once
_ROWS_OF_ALL = 1 << 20  # distances of one matrix product, where all are kept
_NUMBERS = 1 << 22  # differences held at a time


def squared_tiles(a: Floats, b: Floats) -> Iterator[tuple[slice, Floats]]:
    """|a_i - b_j|^2 of all of b (m, d) and some rows of a (n, d), tile by tile, each to 9 digits.

    Exactly 0 for equal rows. Rows should be centred, as an offset costs digits. A tile may be overwritten.
    """
    norms_a, norms_b = _norms(a), _norms(b)
    step = max(1, _TILE // len(b))
    for start in range(0, len(a), step):
        rows = slice(start, min(start + step, len(a)))
        tile = np.empty((rows.stop - start, len(b)))
        _fill(a[rows], b, norms_a[rows, None] + norms_b, _NEAR, tile)
        yield rows, tile


def squared_distances(x: Floats, y: Floats) -> Floats:
    """|x_i - y_j|^2, shape (n, m), each to 12 digits; exactly 0 for equal rows. Rows should be centred."""
    out = np.empty((len(x), len(y)))
    norms_x, norms_y = _norms(x), _norms(y)
    step = max(1, _ROWS_OF_ALL // len(y))
    for start in range(0, len(x), step):
        rows = slice(start, start + step)
        _fill(x[rows], y, norms_x[rows, None] + norms_y, _NEAR_OF_ALL, out[rows])
    return out


def _norms(rows: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


def _fill(x: Floats, y: Floats, sums: Floats, share: float, out: Floats) -> None:
    """By a matrix product, and where that would lose digits (near pairs) by differences. sums: |x_i|^2 + |y_j|^2."""
    if x.shape[1] <= _FEW_FEATURES:
        cdist(x, y, "sqeuclidean", out=out)
        return
    np.matmul(x, y.T, out=out)
    out *= -2.0
    out += sums
    sums *= share
    near = np.nonzero(out < sums)
    if len(near[0]) > _MANY * out.size:
        cdist(x, y, "sqeuclidean", out=out)
        return
    step = max(1, _NUMBERS // x.shape[1])
    for start in range(0, len(near[0]), step):
        i, j = near[0][start : start + step], near[1][start : start + step]
        difference = x[i] - y[j]
        out[i, j] = np.einsum("ij,ij->i", difference, difference)
