"""Running lists of the k nearest: exact entries, and candidates that wait to be decided."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from truegrade.engine.kernels.distance import scratch, squared_distance


@njit(nogil=True)
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


@njit(nogil=True)
def offer(low: float, high: float, j: int, row: int, bounds: Any, pending: Any, lows: Any, count: Any) -> bool:
    """Remember candidate j of `row` and tighten the row's running upper bounds of its k smallest distances.

    When the room is full, candidates that the bounds rule out are dropped; True if it is nearly full even so.
    """
    k, most = bounds.shape[1], pending.shape[1]
    pending[row, count[row]] = j
    lows[row, count[row]] = low
    count[row] += 1
    if high < bounds[row, k - 1]:
        at = k - 1
        while at > 0 and bounds[row, at - 1] > high:
            bounds[row, at] = bounds[row, at - 1]
            at -= 1
        bounds[row, at] = high
    if count[row] < most:
        return False
    kept = 0
    for p in range(most):
        if lows[row, p] <= bounds[row, k - 1]:
            pending[row, kept], lows[row, kept] = pending[row, p], lows[row, p]
            kept += 1
    count[row] = kept
    return bool(kept > most - most // 4)


@njit(nogil=True)
def settle(
    x: Any, i: int, others: Any, first: int,
    values: Any, indices: Any, beyond: Any, bounds: Any, pending: Any, lows: Any, count: Any, room: Any,
) -> None:
    """Decide the candidates of row i exactly and start again from exact bounds; others[0] is row `first`."""
    k = values.shape[1]
    limit = bounds[i, k - 1]
    for p in range(count[i]):
        if lows[i, p] <= limit:
            j = pending[i, p]
            insert(squared_distance(x, i, others, j - first, room), j, values, indices, beyond, i)
    count[i] = 0
    for p in range(k):
        bounds[i, p] = values[i, p]


@njit(cache=True, nogil=True)
def settle_all(x: Any, others: Any, first: int, lists: Any) -> None:
    """Settle every row of a block."""
    values, indices, beyond, bounds, pending, lows, count = lists
    room = scratch()
    for i in range(x.shape[0]):
        settle(x, i, others, first, values, indices, beyond, bounds, pending, lows, count, room)


@njit(cache=True, nogil=True)
def insert_pairs(rows: Any, columns: Any, d2: Any, values: Any, indices: Any, beyond: Any) -> None:
    """Put exact distances of pairs into the neighbour lists of their rows."""
    for p in range(rows.shape[0]):
        insert(d2[p], columns[p], values, indices, beyond, rows[p])
