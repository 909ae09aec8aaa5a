"""Running lists of the k nearest: exact entries, and candidates that wait to be decided."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from truegrade.engine.kernels.distance import squared_distance

PENDING = 48  # candidates kept per list before they are decided exactly


@njit(cache=True, nogil=True)
def insert(d2: float, index: int, values: Any, indices: Any, beyond: Any, row: int) -> None:
    """Put an exact distance into the sorted list of `row`; ties by index; count ties that fall off the end."""
    k = values.shape[1]
    last = values[row, k - 1]
    if d2 > last:
        return
    if d2 == last and index > indices[row, k - 1]:
        beyond[row] += 1
        return
    at = k - 1
    while at > 0 and (values[row, at - 1] > d2 or (values[row, at - 1] == d2 and indices[row, at - 1] > index)):
        values[row, at] = values[row, at - 1]
        indices[row, at] = indices[row, at - 1]
        at -= 1
    values[row, at] = d2
    indices[row, at] = index
    if last == np.inf or last > values[row, k - 1]:
        beyond[row] = 0
    else:
        beyond[row] += 1


@njit(cache=True, nogil=True)
def offer(low: float, high: float, j: int, row: int, bounds: Any, pending: Any, lows: Any, count: Any) -> None:
    """Remember candidate j of `row` and tighten the row's running upper bounds of its k smallest distances."""
    k = bounds.shape[1]
    pending[row, count[row]] = j
    lows[row, count[row]] = low
    count[row] += 1
    if high < bounds[row, k - 1]:
        at = k - 1
        while at > 0 and bounds[row, at - 1] > high:
            bounds[row, at] = bounds[row, at - 1]
            at -= 1
        bounds[row, at] = high


@njit(cache=True, nogil=True)
def settle(
    x: Any, i: int, others: Any, first: int, slot: int,
    values: Any, indices: Any, beyond: Any, bounds: Any, pending: Any, lows: Any, count: Any, room: Any,
) -> None:
    """Decide the candidates of row x[i] (kept in `slot`) exactly and start again from exact bounds."""
    k = values.shape[1]
    limit = bounds[slot, k - 1]
    for p in range(count[slot]):
        if lows[slot, p] <= limit:
            j = pending[slot, p]
            insert(squared_distance(x, i, others, j, room), first + j, values, indices, beyond, i)
    count[slot] = 0
    for p in range(k):
        bounds[slot, p] = values[i, p]


@njit(cache=True, nogil=True)
def buffers(values: Any, n: int) -> Any:
    """Room for the candidates of n lists, and the lists' values as first bounds."""
    k = values.shape[1]
    bounds = np.empty((n, max(k, 1)))
    for i in range(min(n, values.shape[0])):
        for p in range(k):
            bounds[i, p] = values[i, p]
    return bounds, np.empty((n, PENDING), np.int64), np.empty((n, PENDING)), np.zeros(n, np.int64)


@njit(cache=True, nogil=True)
def insert_pairs(rows: Any, columns: Any, d2: Any, values: Any, indices: Any, beyond: Any) -> None:
    """Put exact distances of pairs into the neighbour lists of their rows."""
    for p in range(rows.shape[0]):
        insert(d2[p], columns[p], values, indices, beyond, rows[p])
