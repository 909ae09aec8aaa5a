"""Neighbour lists, ball counts and ball ratios of one tile: a vector filter, then exact decisions.

Column ranges of the filter are unsigned: the check for negative indices would keep its loops from being vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from truegrade.engine.kernels.distance import scratch, squared_distance
from truegrade.engine.kernels.lists import offer, settle

_ORDERED = {"nnan", "nsz"}
_MINIMA = 128
_SEGMENT = 128  # columns marked together; a row's limit is tightened from one segment to the next


@njit(nogil=True)
def _largest(radii2: Any, i: int) -> float:
    most = -1.0
    for b in range(radii2.shape[1]):
        most = max(most, radii2[i, b])
    return most


@njit(nogil=True)
def _up(value: float, kind: Any) -> Any:
    """`value` in the tile's dtype, rounded so that it is never below."""
    return kind(value + abs(value) * 2.4e-7)


@njit(nogil=True)
def _inverses(radii2: Any, g: Any) -> Any:
    """1 / radius2 of the centres in g's dtype, one row per need, NaN for centres that are left out."""
    out = np.full((radii2.shape[1], radii2.shape[0]), np.nan, g.dtype)
    most = 3e38 if g.itemsize == 4 else 1e308
    for b in range(radii2.shape[1]):
        for i in range(radii2.shape[0]):
            if radii2[i, b] > 0:
                out[b, i] = min(1.0 / radii2[i, b], most)
    return out


@njit(nogil=True)
def _limits(best: Any, g: Any) -> Any:
    """The bests to beat in g's dtype, one row per need, rounded up."""
    out = np.empty((best.shape[1], best.shape[0]), g.dtype)
    for b in range(best.shape[1]):
        for i in range(best.shape[0]):
            out[b, i] = _up(best[i, b], g.dtype.type)
    return out


@njit(nogil=True, fastmath={"contract"})
def _lower_bounds(g: Any, i: int, na: Any, nb: Any, out: Any) -> None:
    for j in range(nb.shape[0]):
        out[j] = na + nb[j] - (g[i, j] + g[i, j])


@njit(nogil=True)
def _mark(low: Any, start: int, stop: int, row_limit: Any, column_limit: Any, mask: Any) -> None:
    for j in range(np.uint64(start), np.uint64(stop)):
        mask[j] = (low[j] <= row_limit) | (low[j] <= column_limit[j])


@njit(nogil=True)
def _mark_ratio(low: Any, start: int, stop: int, inverse: Any, best: Any, b: int, mask: Any) -> None:
    for j in range(np.uint64(start), np.uint64(stop)):
        mask[j] |= np.uint8(low[j] * inverse <= best[b, j]) << 1


@njit(nogil=True)
def _mark_own_ratio(low: Any, start: int, stop: int, inverses: Any, b: int, best: Any, mask: Any) -> None:
    for j in range(np.uint64(start), np.uint64(stop)):
        mask[j] |= np.uint8(low[j] * inverses[b, j] <= best) << 1


@njit(nogil=True)
def _count_balls(
    low: float, high: float, exact: float, x: Any, i: int, y: Any, j: int, r: int, c: int,
    radii2: Any, centre_closed: Any, centre_strict: Any, point_closed: Any, point_strict: Any, smallest: Any, room: Any,
) -> float:
    """Enter point c into all balls of centre r (rows x[i], y[j]); the exact distance if it was needed, else -1."""
    for b in range(radii2.shape[1]):
        radius2 = radii2[r, b]
        if low > radius2:
            continue
        inside = high < radius2
        if not inside:
            if exact < 0:
                exact = squared_distance(x, i, y, j, room)
            if exact > radius2:
                continue
            inside = exact < radius2
        centre_closed[r, b] += 1
        point_closed[c, b] += 1
        if inside:
            centre_strict[r, b] += 1
            point_strict[c, b] += 1
        if radius2 < smallest[c, b]:
            smallest[c, b] = radius2
    return exact


@njit(nogil=True)
def _improve_ratios(
    low: float, exact: float, x: Any, i: int, y: Any, j: int, r: int, c: int, radii2: Any, best: Any, limits: Any,
    room: Any,
) -> float:
    """Lower best[c], the smallest d2 / radius2 so far, where centre r does; `limits` follows, rounded up."""
    for b in range(radii2.shape[1]):
        if radii2[r, b] <= 0 or low >= best[c, b] * radii2[r, b]:
            continue
        if exact < 0:
            exact = squared_distance(x, i, y, j, room)
        best[c, b] = min(best[c, b], exact / radii2[r, b])
        limits[b, c] = _up(best[c, b], limits.dtype.type)
    return exact


@njit(nogil=True, fastmath=_ORDERED)
def _column_minima(low: Any, out: Any) -> None:
    """out[p] = the smallest of low[p], low[p + len(out)], ...; len(out) divides what is looked at."""
    for p in range(out.shape[0]):
        out[p] = low[p]
    for start in range(out.shape[0], low.shape[0] - out.shape[0] + 1, out.shape[0]):
        for p in range(out.shape[0]):
            out[p] = min(out[p], low[start + p])


@njit(nogil=True)
def _first_bound(low: Any, k: int, minima: Any, best: Any) -> float:
    """An upper bound of the k-th smallest value of `low`: the k-th smallest of some minima; infinity if too few.

    For a list that is still empty: without it most of the first columns would have to be remembered.
    """
    if k > minima.shape[0] // 2 or low.shape[0] < 2 * minima.shape[0]:
        return np.inf
    _column_minima(low, minima)
    best[:k] = np.inf
    for p in range(minima.shape[0]):
        if minima[p] < best[k - 1]:
            at = k - 1
            while at > 0 and best[at - 1] > minima[p]:
                best[at] = best[at - 1]
                at -= 1
            best[at] = minima[p]
    return float(best[k - 1])


@njit(cache=True, nogil=True)
def scan_neighbours(
    g: Any, x: Any, y: Any, na: Any, nb: Any, eps: float, first_a: int, first_b: int, diagonal: bool,
    rows: Any, columns: Any, of_rows: Any, first_y: int, of_columns: Any, first_x: int,
    balls_a: Any, balls_b: Any, ratio_a: Any, ratio_b: Any,
) -> None:
    """Update neighbour lists, ball counts and ball ratios with one tile.

    g (t, u) products; x, y raw rows; na, nb squared norms (float64); first_a, first_b the rows' global numbers;
    diagonal: the tile pairs a block with itself (a sample is not its own neighbour, columns are left alone).
    rows, columns: the seven arrays of `Lists`, with k = 0 columns when unused; where the room of a list is full, its
    candidates are looked up in of_rows (raw rows of the other side, numbered from first_y) or of_columns (first_x).
    balls_*: radii2 (n, b) and the five arrays of counts; ratio_*: radii2 (n, b) of the centres (0 = left out) and
    best (m, b) of the points on the other side. Arrays are handed down whole, with indices: a view costs more here
    than the arithmetic.
    """
    t, u = g.shape
    row_values, row_indices, row_beyond, row_bounds, row_pending, row_lows, row_count = rows
    values, indices, beyond, bounds, pending, lows, count = columns
    ra2, ra_closed, ra_strict, pb_closed, pb_strict, b_smallest = balls_a
    rb2, rb_closed, rb_strict, pa_closed, pa_strict, a_smallest = balls_b
    pruned_a, ratio_of_b = ratio_a
    pruned_b, ratio_of_a = ratio_b
    ka, kb = row_values.shape[1], 0 if diagonal else values.shape[1]
    kind = g.dtype.type
    lost = (x.shape[1] + 32) * (2.0**-126 if g.itemsize == 4 else 2.0**-1022)  # by squares too small for their type
    room = scratch()
    inverse_a, inverse_b = _inverses(pruned_a, g), _inverses(pruned_b, g)
    limit_of_b, limit_of_a = _limits(ratio_of_b, g), _limits(ratio_of_a, g)
    nb_low, low = np.empty(u, g.dtype), np.empty(u, g.dtype)
    column_limit, ball_limit_b = np.empty(u, g.dtype), np.empty(u)
    for j in range(u):
        nb_low[j] = nb[j] * (1.0 - eps) - lost
        ball_limit_b[j] = _largest(rb2, j)
        column_limit[j] = _up(max(ball_limit_b[j], bounds[j, kb - 1] if kb > 0 else -1.0), kind)
    minima, best, most_b = np.empty(_MINIMA, g.dtype), np.empty(_MINIMA), nb.max()
    mask = np.zeros(-(-u // 8) * 8, np.uint8)
    words = mask.view(np.uint64)
    for i in range(t):
        _lower_bounds(g, i, kind(na[i] * (1.0 - eps)), nb_low, low)
        ball_limit = _largest(ra2, i)
        if diagonal:
            low[i] = np.inf  # a sample is not its own neighbour
        first = np.inf
        if ka > 0 and row_bounds[i, ka - 1] == np.inf:
            first = _first_bound(low, ka, minima, best) + 2.0 * eps * (na[i] + most_b)
        for start in range(0, u, _SEGMENT):
            stop = min(start + _SEGMENT, u)
            limit = _up(max(ball_limit, min(first, row_bounds[i, ka - 1]) if ka > 0 else -1.0), kind)
            _mark(low, start, stop, limit, column_limit, mask)
            for b in range(inverse_a.shape[0]):
                _mark_ratio(low, start, stop, inverse_a[b, i], limit_of_b, b, mask)
            for b in range(inverse_b.shape[0]):
                _mark_own_ratio(low, start, stop, inverse_b, b, limit_of_a[b, i], mask)
            for word in range(start // 8, -(-stop // 8)):
                if words[word] == 0:
                    continue
                for j in range(8 * word, min(8 * word + 8, stop)):
                    if mask[j] == 0:
                        continue
                    lo = np.float64(low[j])
                    hi = lo + 2.0 * (eps * (na[i] + nb[j]) + lost)
                    exact = -1.0
                    if (ka > 0 and lo <= min(first, row_bounds[i, ka - 1])
                            and offer(lo, hi, first_b + j, i, row_bounds, row_pending, row_lows, row_count)):
                        settle(x, i, of_rows, first_y, row_values, row_indices, row_beyond,
                               row_bounds, row_pending, row_lows, row_count, room)
                    if kb > 0 and lo <= bounds[j, kb - 1]:
                        if offer(lo, hi, first_a + i, j, bounds, pending, lows, count):
                            settle(y, j, of_columns, first_x, values, indices, beyond,
                                   bounds, pending, lows, count, room)
                        column_limit[j] = _up(max(ball_limit_b[j], bounds[j, kb - 1]), kind)
                    if lo <= ball_limit:
                        exact = _count_balls(lo, hi, exact, x, i, y, j, i, j, ra2, ra_closed, ra_strict,
                                             pb_closed, pb_strict, b_smallest, room)
                    if lo <= ball_limit_b[j]:
                        exact = _count_balls(lo, hi, exact, x, i, y, j, j, i, rb2, rb_closed, rb_strict,
                                             pa_closed, pa_strict, a_smallest, room)
                    if mask[j] & 2:
                        exact = _improve_ratios(lo, exact, x, i, y, j, i, j, pruned_a, ratio_of_b, limit_of_b, room)
                        exact = _improve_ratios(lo, exact, x, i, y, j, j, i, pruned_b, ratio_of_a, limit_of_a, room)


@njit(cache=True, nogil=True)
def count_pairs(rows: Any, columns: Any, d2: Any, balls: Any) -> None:
    """Enter pairs with exact distances into the balls of their rows."""
    radii2, centre_closed, centre_strict, point_closed, point_strict, smallest = balls
    for p in range(rows.shape[0]):
        r, c = rows[p], columns[p]
        for b in range(radii2.shape[1]):
            if d2[p] <= radii2[r, b]:
                centre_closed[r, b] += 1
                point_closed[c, b] += 1
                if d2[p] < radii2[r, b]:
                    centre_strict[r, b] += 1
                    point_strict[c, b] += 1
                smallest[c, b] = min(smallest[c, b], radii2[r, b])
