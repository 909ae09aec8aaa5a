"""Exact distances of raw rows, the last word in every decision; norms and shifts of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from truegrade.engine.simd import sum_squares8

_FAST = {"reassoc", "contract", "nsz", "nnan", "arcp"}


@njit(nogil=True)
def _leaf(x: Any, i: int, y: Any, j: int, start: int, n: int) -> float:
    """Sum of squared differences of up to 128 columns from `start`, in numpy's order."""
    d = x.shape[1]
    blocks = n // 8
    total = sum_squares8(x, i * d + start, y, j * d + start, blocks) if blocks > 0 else 0.0
    for c in range(start + 8 * blocks, start + n):
        t = np.float64(x[i, c]) - np.float64(y[j, c])
        total += t * t
    return total


@njit(nogil=True)
def scratch() -> Any:
    """Room for `squared_distance` to work in; made once, since making it costs more than the distance."""
    return np.empty((2, 64), np.int64), np.empty(64)


@njit(nogil=True)
def squared_distance(x: Any, i: int, y: Any, j: int, room: Any) -> float:
    """Squared Euclidean distance of raw rows x[i] and y[j]: float64 differences, numpy's order of summation.

    More than 128 columns are halved (at multiples of 8) until the pieces fit; a stack stands in for recursion,
    which compiled functions that are cached on disk do not survive. x and y are contiguous; room: `scratch()`.
    """
    n = x.shape[1]
    if n <= 128:
        return _leaf(x, i, y, j, 0, n)
    pieces, sums = room
    pieces[0, 0], pieces[1, 0], todo, have = 0, n, 1, 0
    while todo > 0:
        todo -= 1
        start, count = pieces[0, todo], pieces[1, todo]
        if count == 0:  # both halves are done
            have -= 1
            sums[have - 1] += sums[have]
        elif count <= 128:
            sums[have] = _leaf(x, i, y, j, start, count)
            have += 1
        else:
            half = count // 2
            half -= half % 8
            pieces[1, todo] = 0
            pieces[0, todo + 1], pieces[1, todo + 1] = start + half, count - half
            pieces[0, todo + 2], pieces[1, todo + 2] = start, half
            todo += 3
    return float(sums[0])


@njit(cache=True, nogil=True, fastmath=_FAST)
def row_norms(a: Any, out: Any) -> None:
    """Squared norms of the rows of `a`, accumulated in float64."""
    for i in range(a.shape[0]):
        total = 0.0
        for c in range(a.shape[1]):
            total += np.float64(a[i, c]) * np.float64(a[i, c])
        out[i] = total


@njit(cache=True, nogil=True, fastmath=_FAST)
def row_shifts(raw: Any, centre: Any, out: Any) -> None:
    """(x - centre) . centre / d of the raw rows, accumulated in float64."""
    for i in range(raw.shape[0]):
        total = 0.0
        for c in range(raw.shape[1]):
            total += (np.float64(raw[i, c]) - centre[c]) * centre[c]
        out[i] = total / raw.shape[1]


@njit(cache=True, nogil=True)
def pair_distances(x: Any, y: Any, rows: Any, columns: Any, out: Any) -> None:
    """out[p] = squared distance of x[rows[p]] and y[columns[p]], exact."""
    room = scratch()
    for p in range(rows.shape[0]):
        out[p] = squared_distance(x, rows[p], y, columns[p], room)


@njit(cache=True, nogil=True)
def count_tied(
    x: Any, numbers: Any, block: Any, start: int, radius2: Any, closed: Any, strict: Any, smallest: Any
) -> None:
    """Count the centres x (global numbers `numbers`) into the points of `block` (numbered from `start`), exactly."""
    room = scratch()
    for i in range(x.shape[0]):
        for j in range(block.shape[0]):
            if start + j == numbers[i]:
                continue
            d2 = squared_distance(x, i, block, j, room)
            if d2 <= radius2[i]:
                closed[j] += 1
                strict[j] += d2 < radius2[i]
                smallest[j] = min(smallest[j], radius2[i])
