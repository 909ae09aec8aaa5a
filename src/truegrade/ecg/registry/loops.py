"""Compiled loops: dynamic time warping in a band, and absolute differences of many pairs of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def warp(a: Any, b: Any, band: int) -> Any:
    """Least sum of squared differences along a path from (0, 0) to (n - 1, n - 1) with |i - j| <= band.

    Of two rows of n. Anti-diagonal by anti-diagonal, because the cells of one do not wait for each other.
    """
    n = len(a)
    back = b[::-1].copy()
    one, two, three = np.full(n + 1, np.inf), np.full(n + 1, np.inf), np.full(n + 1, np.inf)
    two[1] = (a[0] - b[0]) ** 2  # cell i of a diagonal stands at i + 1; two is the last diagonal, one that before
    for diagonal in range(1, 2 * n - 1):
        low = max(0, diagonal - n + 1, (diagonal - band + 1) // 2)
        end = min(n - 1, diagonal, (diagonal + band) // 2) + 1
        shift = n - 1 - diagonal
        three[low] = np.inf
        _cells(one[low:end], two[low:end], two[low + 1 : end + 1], a[low:end], back[low + shift :], three[low + 1 :])
        if end + 1 <= n:
            three[end + 1] = np.inf
        one, two, three = two, three, one
    return two[n]


@njit(cache=True, nogil=True, fastmath={"nsz", "nnan"})
def _cells(corner: Any, left: Any, above: Any, a: Any, back: Any, out: Any) -> None:
    for i in range(len(a)):
        step = a[i] - back[i]
        out[i] = step * step + min(min(left[i], above[i]), corner[i])


@njit(cache=True, nogil=True)
def absolute_differences(a: Any, b: Any, shift: Any, out: Any) -> None:
    """Sums over t of |a_it - b_jt + shift_ij| into out (n, m), all float32; some rows of a stay in the cache."""
    n = len(a)
    for start in range(0, n, 16):
        for j in range(len(b)):
            for i in range(start, min(start + 16, n), 2):
                k = min(i + 1, n - 1)
                out[i, j], out[k, j] = _two_sums(a[i], a[k], b[j], shift[i, j], shift[k, j])


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz", "contract"})
def _two_sums(first: Any, second: Any, other: Any, apart: Any, away: Any) -> Any:
    one, two = np.float32(0.0), np.float32(0.0)
    for t in range(len(other)):
        one += abs(first[t] - other[t] + apart)
        two += abs(second[t] - other[t] + away)
    return one, two


@njit(cache=True, nogil=True)
def absolute_where_least(a: Any, b: Any, shift: Any, low: Any, slack: Any, out: Any) -> None:
    """The same sums where they may be the least of their row, infinity elsewhere.

    low (n, m): bounds below of the sums; slack (n, m): how far these and the sums may be off.
    """
    for i in range(len(a)):
        first = np.argmin(low[i])
        out[i] = np.inf
        out[i, first] = _one_sum(a[i], b[first], shift[i, first])
        best = out[i, first] + slack[i, first]
        for j in range(len(b)):
            if j != first and low[i, j] - slack[i, j] <= best:
                out[i, j] = _one_sum(a[i], b[j], shift[i, j])
                best = min(best, out[i, j] + slack[i, j])


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz", "contract"})
def _one_sum(one: Any, other: Any, apart: Any) -> Any:
    total = np.float32(0.0)
    for t in range(len(other)):
        total += abs(one[t] - other[t] + apart)
    return total
