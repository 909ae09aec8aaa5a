"""Compiled inner loops over one tile of squared distances. Pure functions of arrays; no threads, no Python objects.

A tile holds the products g[i, j] = a_i . b_j of centred rows. From them d2 = |a|^2 + |b|^2 - 2 g is known up to
`eps * (|a|^2 + |b|^2)`. That bound is a rigorous filter: pairs that are clearly out are dropped, clear cases are
counted, and the few left over are decided by `squared_distance` on the raw rows in float64, whose order of
summation is numpy's (pairwise, eight lanes), so that decisions equal `((x - y) ** 2).sum()` to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import overload

from truegrade.engine.simd import sum_squares8

_FAST = {"reassoc", "contract", "nsz", "nnan", "arcp"}
_SEGMENT = 128  # columns marked together; a row's limit is tightened from one segment to the next
PENDING = 16  # candidates kept per list before they are decided exactly


@njit(cache=True, nogil=True)
def _leaf(x: Any, i: int, y: Any, j: int, start: int, n: int) -> float:
    """Sum of squared differences of up to 128 columns from `start`, in numpy's order."""
    d = x.shape[1]
    blocks = n // 8
    total = sum_squares8(x, i * d + start, y, j * d + start, blocks) if blocks > 0 else 0.0
    for c in range(start + 8 * blocks, start + n):
        t = np.float64(x[i, c]) - np.float64(y[j, c])
        total += t * t
    return total


@njit(cache=True, nogil=True)
def squared_distance(x: Any, i: int, y: Any, j: int) -> float:
    """Squared Euclidean distance of raw rows x[i] and y[j]: float64 differences, numpy's order of summation.

    More than 128 columns are halved (at multiples of 8) until the pieces fit; a stack stands in for recursion,
    which compiled functions that are cached on disk do not survive. x and y are contiguous.
    """
    n = x.shape[1]
    if n <= 128:
        return _leaf(x, i, y, j, 0, n)
    starts, counts, sums = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64)
    starts[0], counts[0], todo, have = 0, n, 1, 0
    while todo > 0:
        todo -= 1
        start, count = starts[todo], counts[todo]
        if count == 0:
            have -= 1
            sums[have - 1] += sums[have]
        elif count <= 128:
            sums[have] = _leaf(x, i, y, j, start, count)
            have += 1
        else:
            half = count // 2
            half -= half % 8
            counts[todo] = 0
            starts[todo + 1], counts[todo + 1] = start + half, count - half
            starts[todo + 2], counts[todo + 2] = start, half
            todo += 3
    return sums[0]


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


# --- neighbour lists ---------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _insert(d2: float, index: int, values: Any, indices: Any, beyond: Any, row: int) -> None:
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
def _offer(low: float, high: float, j: int, row: int, bounds: Any, pending: Any, lows: Any, count: Any) -> None:
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
def _settle(
    x: Any, i: int, others: Any, first: int, slot: int,
    values: Any, indices: Any, beyond: Any, bounds: Any, pending: Any, lows: Any, count: Any,
) -> None:
    """Decide the candidates of row x[i] (kept in `slot`) exactly and start again from exact bounds."""
    k = values.shape[1]
    limit = bounds[slot, k - 1]
    for p in range(count[slot]):
        if lows[slot, p] <= limit:
            j = pending[slot, p]
            _insert(squared_distance(x, i, others, j), first + j, values, indices, beyond, i)
    count[slot] = 0
    for p in range(k):
        bounds[slot, p] = values[i, p]


# Column ranges below are unsigned: the check for negative indices would keep the loops from being vectors.


# --- filter ------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True, fastmath={"contract"})
def _lower_bounds(g: Any, i: int, na: Any, nb: Any, out: Any) -> None:
    for j in range(nb.shape[0]):
        out[j] = na + nb[j] - 2 * g[i, j]


@njit(cache=True, nogil=True)
def _mark(low: Any, start: int, stop: int, row_limit: Any, column_limit: Any, mask: Any) -> None:
    for j in range(np.uint64(start), np.uint64(stop)):
        mask[j] = (low[j] <= row_limit) | (low[j] <= column_limit[j])


@njit(cache=True, nogil=True)
def _mark_ratio(low: Any, start: int, stop: int, inverse: Any, best: Any, b: int, mask: Any) -> None:
    for j in range(np.uint64(start), np.uint64(stop)):
        mask[j] |= np.uint8(low[j] * inverse < best[b, j]) << 1


@njit(cache=True, nogil=True)
def _mark_own_ratio(low: Any, start: int, stop: int, inverses: Any, b: int, best: Any, mask: Any) -> None:
    for j in range(np.uint64(start), np.uint64(stop)):
        mask[j] |= np.uint8(low[j] * inverses[b, j] < best) << 1


@njit(cache=True, nogil=True)
def _count_balls(
    low: float, high: float, exact: float, x: Any, i: int, y: Any, j: int, r: int, c: int,
    radii2: Any, centre_closed: Any, centre_strict: Any, point_closed: Any, point_strict: Any, smallest: Any,
) -> float:
    """Enter point c into all balls of centre r (rows x[i], y[j]); the exact distance if it was needed, else -1."""
    for b in range(radii2.shape[1]):
        radius2 = radii2[r, b]
        if low > radius2:
            continue
        inside = high < radius2
        if not inside:
            if exact < 0:
                exact = squared_distance(x, i, y, j)
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


@njit(cache=True, nogil=True)
def _improve_ratios(
    low: float, exact: float, x: Any, i: int, y: Any, j: int, r: int, c: int, radii2: Any, best: Any, limits: Any
) -> float:
    """Lower best[c], the smallest d2 / radius2 so far, where centre r does; `limits` follows, rounded up."""
    for b in range(radii2.shape[1]):
        if radii2[r, b] <= 0 or low >= best[c, b] * radii2[r, b]:
            continue
        if exact < 0:
            exact = squared_distance(x, i, y, j)
        best[c, b] = min(best[c, b], exact / radii2[r, b])
        limits[b, c] = _up(best[c, b], limits.dtype.type)
    return exact


@njit(cache=True, nogil=True)
def _inverses(radii2: Any, g: Any) -> Any:
    """1 / radius2 of the centres in g's dtype, one row per need, infinity for centres that are left out."""
    out = np.full((radii2.shape[1], radii2.shape[0]), np.inf, g.dtype)
    for b in range(radii2.shape[1]):
        for i in range(radii2.shape[0]):
            if radii2[i, b] > 0:
                out[b, i] = 1.0 / radii2[i, b]
    return out


@njit(cache=True, nogil=True)
def _limits(best: Any, g: Any) -> Any:
    """The bests to beat in g's dtype, one row per need, rounded up."""
    out = np.empty((best.shape[1], best.shape[0]), g.dtype)
    for b in range(best.shape[1]):
        for i in range(best.shape[0]):
            out[b, i] = _up(best[i, b], g.dtype.type)
    return out


@njit(cache=True, nogil=True)
def scan_neighbours(
    g: Any, x: Any, y: Any, na: Any, nb: Any, eps: float, first_a: int, first_b: int, diagonal: bool,
    rows: Any, columns: Any, balls_a: Any, balls_b: Any, ratio_a: Any, ratio_b: Any,
) -> None:
    """Update neighbour lists, ball counts and ball ratios with one tile.

    g (t, u) products; x, y raw rows; na, nb squared norms (float64); first_a, first_b the rows' global numbers;
    diagonal: the tile pairs a block with itself (a sample is not its own neighbour, columns are left alone).
    rows, columns: lists (values, indices, beyond), with k = 0 columns when unused. balls_*: radii2 (n, b) and the
    five arrays of counts; ratio_*: radii2 (n, b) of the centres (0 = left out) and best (m, b) of the points on the
    other side. Arrays are handed down whole, with indices: a view costs more here than the arithmetic.
    """
    t, u = g.shape
    row_values, row_indices, row_beyond = rows
    values, indices, beyond = columns
    ra2, ra_closed, ra_strict, pb_closed, pb_strict, b_smallest = balls_a
    rb2, rb_closed, rb_strict, pa_closed, pa_strict, a_smallest = balls_b
    pruned_a, ratio_of_b = ratio_a
    pruned_b, ratio_of_a = ratio_b
    ka, kb = row_values.shape[1], 0 if diagonal else values.shape[1]
    kind = g.dtype.type
    inverse_a, inverse_b = _inverses(pruned_a, g), _inverses(pruned_b, g)
    limit_of_b, limit_of_a = _limits(ratio_of_b, g), _limits(ratio_of_a, g)
    nb_low, low = np.empty(u, g.dtype), np.empty(u, g.dtype)
    column_limit, ball_limit_b = np.empty(u, g.dtype), np.empty(u)
    for j in range(u):
        nb_low[j] = nb[j] * (1.0 - eps)
        ball_limit_b[j] = _largest(rb2, j)
        column_limit[j] = _up(max(ball_limit_b[j], values[j, kb - 1] if kb > 0 else -1.0), kind)
    mask = np.zeros(-(-u // 8) * 8, np.uint8)
    words = mask.view(np.uint64)
    row_bounds, row_pending, row_lows, row_count = _buffers(row_values, 1)
    bounds, pending, lows, count = _buffers(values, u if kb > 0 else 0)
    for i in range(t):
        _lower_bounds(g, i, kind(na[i] * (1.0 - eps)), nb_low, low)
        ball_limit = _largest(ra2, i)
        for p in range(ka):
            row_bounds[0, p] = row_values[i, p]
        for start in range(0, u, _SEGMENT):
            stop = min(start + _SEGMENT, u)
            limit = _up(max(ball_limit, row_bounds[0, ka - 1] if ka > 0 else -1.0), kind)
            _mark(low, start, stop, limit, column_limit, mask)
            for b in range(inverse_a.shape[0]):
                _mark_ratio(low, start, stop, inverse_a[b, i], limit_of_b, b, mask)
            for b in range(inverse_b.shape[0]):
                _mark_own_ratio(low, start, stop, inverse_b, b, limit_of_a[b, i], mask)
            if diagonal and start <= i < stop:
                mask[i] = 0
            for word in range(start // 8, -(-stop // 8)):
                if words[word] == 0:
                    continue
                for j in range(8 * word, min(8 * word + 8, stop)):
                    if mask[j] == 0:
                        continue
                    lo = np.float64(low[j])
                    hi = lo + 2.0 * eps * (na[i] + nb[j])
                    exact = -1.0
                    if ka > 0 and lo <= row_bounds[0, ka - 1]:
                        _offer(lo, hi, j, 0, row_bounds, row_pending, row_lows, row_count)
                        if row_count[0] == PENDING:
                            _settle(x, i, y, first_b, 0, row_values, row_indices, row_beyond,
                                    row_bounds, row_pending, row_lows, row_count)
                    if kb > 0 and lo <= bounds[j, kb - 1]:
                        _offer(lo, hi, i, j, bounds, pending, lows, count)
                        if count[j] == PENDING:
                            _settle(y, j, x, first_a, j, values, indices, beyond, bounds, pending, lows, count)
                        column_limit[j] = _up(max(ball_limit_b[j], bounds[j, kb - 1]), kind)
                    if lo <= ball_limit:
                        exact = _count_balls(lo, hi, exact, x, i, y, j, i, j, ra2, ra_closed, ra_strict,
                                             pb_closed, pb_strict, b_smallest)
                    if lo <= ball_limit_b[j]:
                        exact = _count_balls(lo, hi, exact, x, i, y, j, j, i, rb2, rb_closed, rb_strict,
                                             pa_closed, pa_strict, a_smallest)
                    if mask[j] & 2:
                        exact = _improve_ratios(lo, exact, x, i, y, j, i, j, pruned_a, ratio_of_b, limit_of_b)
                        exact = _improve_ratios(lo, exact, x, i, y, j, j, i, pruned_b, ratio_of_a, limit_of_a)
        if ka > 0 and row_count[0] > 0:
            _settle(x, i, y, first_b, 0, row_values, row_indices, row_beyond,
                    row_bounds, row_pending, row_lows, row_count)
    for j in range(u):
        if kb > 0 and count[j] > 0:
            _settle(y, j, x, first_a, j, values, indices, beyond, bounds, pending, lows, count)


@njit(cache=True, nogil=True)
def _largest(radii2: Any, i: int) -> float:
    most = -1.0
    for b in range(radii2.shape[1]):
        most = max(most, radii2[i, b])
    return most


@njit(cache=True, nogil=True)
def _up(value: float, kind: Any) -> Any:
    """`value` in the tile's dtype, rounded so that it is never below."""
    return kind(value + abs(value) * 2.4e-7)


@njit(cache=True, nogil=True)
def _buffers(values: Any, n: int) -> Any:
    """Room for the candidates of n lists, and the lists' values as first bounds."""
    k = values.shape[1]
    bounds = np.empty((n, max(k, 1)))
    for i in range(min(n, values.shape[0])):
        for p in range(k):
            bounds[i, p] = values[i, p]
    return bounds, np.empty((n, PENDING), np.int64), np.empty((n, PENDING)), np.zeros(n, np.int64)


# --- sums --------------------------------------------------------------------------------------------


def _exp_row(x: Any, out: Any, bits: Any) -> None:
    """out = exp(x) for x <= 0, vectorised; `bits` is scratch of the same width. Implemented by dtype below."""
    raise NotImplementedError


@overload(_exp_row, jit_options={"cache": True, "nogil": True})
def _exp_row_for(x: Any, out: Any, bits: Any) -> Any:
    from numba import float32 as f32

    if x.dtype == f32:

        def single(x: Any, out: Any, bits: Any) -> None:
            whole = bits.view(np.int32)
            shifted = out.view(np.int32)
            for j in range(x.shape[0]):
                v = max(x[j] * np.float32(1.4426950408889634), np.float32(-126.0))
                r = v + np.float32(12582912.0)
                bits[j] = r
                f = (v - (r - np.float32(12582912.0))) * np.float32(0.6931471805599453)
                p = np.float32(1.0 / 5040)
                p = p * f + np.float32(1.0 / 720)
                p = p * f + np.float32(1.0 / 120)
                p = p * f + np.float32(1.0 / 24)
                p = p * f + np.float32(1.0 / 6)
                p = p * f + np.float32(0.5)
                p = p * f + np.float32(1.0)
                out[j] = p * f + np.float32(1.0)
            for j in range(x.shape[0]):
                shifted[j] += whole[j] << np.int32(23)

        return single

    def double(x: Any, out: Any, bits: Any) -> None:
        whole = bits.view(np.int64)
        shifted = out.view(np.int64)
        for j in range(x.shape[0]):
            v = max(x[j] * 1.4426950408889634, -1022.0)
            r = v + 6755399441055744.0
            bits[j] = r
            n = r - 6755399441055744.0
            f = (max(x[j], -708.0) - n * 0.6931471805599453) - n * 2.3190468138462996e-17
            p = 1.0 / 6227020800
            p = p * f + 1.0 / 479001600
            p = p * f + 1.0 / 39916800
            p = p * f + 1.0 / 3628800
            p = p * f + 1.0 / 362880
            p = p * f + 1.0 / 40320
            p = p * f + 1.0 / 5040
            p = p * f + 1.0 / 720
            p = p * f + 1.0 / 120
            p = p * f + 1.0 / 24
            p = p * f + 1.0 / 6
            p = p * f + 0.5
            p = p * f + 1.0
            out[j] = p * f + 1.0
        for j in range(x.shape[0]):
            shifted[j] += whole[j] << 52

    return double


@njit(cache=True, nogil=True, fastmath={"contract"})
def _distances(g: Any, na: Any, nb: Any, floor: Any, out: Any) -> None:
    """Squared distances; what is within rounding of 0 is 0, so that exact duplicates are at distance 0."""
    zero = na - na
    for j in range(g.shape[0]):
        norms = na + nb[j]
        d2 = norms - 2 * g[j]
        out[j] = d2 if d2 > floor * norms else zero


@njit(cache=True, nogil=True, fastmath=_FAST)
def _add(values: Any, column: Any) -> float:
    total = 0.0
    for j in range(values.shape[0]):
        v = np.float64(values[j])
        total += v
        column[j] += v
    return total


@njit(cache=True, nogil=True, fastmath=_FAST)
def _add_cubic(g: Any, inverse: float, p: float, q: Any, columns: Any, rows: Any) -> None:
    s1 = s2 = s3 = 0.0
    c1, c2, c3 = columns[0], columns[1], columns[2]
    for j in range(g.shape[0]):
        w = np.float64(g[j]) * inverse + (p + q[j])
        w2 = w * w
        w3 = w2 * w
        s1 += w
        s2 += w2
        s3 += w3
        c1[j] += w
        c2[j] += w2
        c3[j] += w3
    rows[0] += s1
    rows[1] += s2
    rows[2] += s3


@njit(cache=True, nogil=True, fastmath={"contract"})
def _scale(d2: Any, factor: Any, out: Any) -> None:
    for j in range(d2.shape[0]):
        out[j] = d2[j] * factor


@njit(cache=True, nogil=True, fastmath={"contract"})
def _square(k: Any) -> None:
    for j in range(k.shape[0]):
        k[j] *= k[j]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _accumulate_kernel(k: Any, total: Any, weight: Any) -> None:
    for j in range(k.shape[0]):
        total[j] += k[j] * weight


@njit(cache=True, nogil=True)
def _root(d2: Any, out: Any) -> None:
    for j in range(d2.shape[0]):
        out[j] = np.sqrt(d2[j])


@njit(cache=True, nogil=True)
def scan_sums(
    g: Any, na: Any, nb: Any, floor: float, diagonal: bool, gauss: Any, squarings: Any, distance: bool,
    cubic: bool, inverse: float, pa: Any, qb: Any, row_sums: Any, column_sums: Any,
) -> None:
    """Add one tile to the kernel and distance sums.

    floor: squared distances below floor * (|a|^2 + |b|^2) are 0. gauss (s, c): factors -1/(2 (scale h)^2) of kernel s, nearest to zero first, 0 where unused; squarings (s, c): 0 to compute the
    exponential anew, otherwise how often to square the one before. Channels of row_sums (channels, t) and
    column_sums (channels, u): the Gaussian kernels, then the distance, then w, w^2, w^3 of the cubic kernel with
    w = g * inverse + pa[i] + qb[j].
    """
    t, u = g.shape
    kind = g.dtype.type
    d2 = np.empty(u, g.dtype)
    k = np.empty(u, g.dtype)
    mixed = np.empty(u, g.dtype)
    scaled = np.empty(u, g.dtype)
    bits = np.empty(u, g.dtype)
    nb_k = np.empty(u, g.dtype)
    for j in range(u):
        nb_k[j] = kind(nb[j])
    for i in range(t):
        own = i if diagonal else -1
        channel = 0
        if gauss.shape[0] > 0 or distance:
            _distances(g[i], kind(na[i]), nb_k, kind(floor), d2)
        for s in range(gauss.shape[0]):
            terms = 0
            while terms < gauss.shape[1] and gauss[s, terms] < 0:
                terms += 1
            mixed[:] = kind(0.0)
            for c in range(terms):
                if squarings[s, c] == 0:
                    _scale(d2, kind(gauss[s, c]), scaled)
                    _exp_row(scaled, k, bits)
                else:
                    for _ in range(squarings[s, c]):
                        _square(k)
                _accumulate_kernel(k, mixed, kind(1.0 / terms))
            if own >= 0:
                mixed[own] = kind(0.0)
            row_sums[channel, i] += _add(mixed, column_sums[channel])
            channel += 1
        if distance:
            _root(d2, k)
            if own >= 0:
                k[own] = kind(0.0)
            row_sums[channel, i] += _add(k, column_sums[channel])
            channel += 1
        if cubic:
            three = slice(channel, channel + 3)
            if own < 0:
                _add_cubic(g[i], inverse, pa[i], qb, column_sums[three], row_sums[three, i])
            else:  # left out, not subtracted: one huge sample would swallow all others
                low, high = slice(0, own), slice(own + 1, u)
                _add_cubic(g[i, low], inverse, pa[i], qb[low], column_sums[three, low], row_sums[three, i])
                _add_cubic(g[i, high], inverse, pa[i], qb[high], column_sums[three, high], row_sums[three, i])


# --- products ----------------------------------------------------------------------------------------


@njit(cache=True, nogil=True, fastmath=_FAST)
def _smallest(d2: Any) -> Any:
    least = d2[0]
    for j in range(d2.shape[0]):
        least = min(least, d2[j])
    return least


@njit(cache=True, nogil=True, fastmath=_FAST)
def _multiply_columns(d2: Any, inverse: float, products: Any) -> None:
    for j in range(d2.shape[0]):
        products[j] *= min(np.float64(d2[j]) * inverse, 1.0)


@njit(cache=True, nogil=True, fastmath=_FAST)
def _multiply_row(d2: Any, inverse: float) -> float:
    product = 1.0
    for j in range(d2.shape[0]):
        product *= min(np.float64(d2[j]) * inverse, 1.0)
    return product


@njit(cache=True, nogil=True)
def scan_products(g: Any, na: Any, nb: Any, floor: float, of_columns: Any, of_rows: Any, columns: Any, rows: Any) -> None:
    """Multiply min(d2 / R^2, 1) into columns (p, u) for centres on the rows and rows (q, t) for centres on the columns.

    of_columns (p,), of_rows (q,): 1 / R^2.
    """
    t, u = g.shape
    kind = g.dtype.type
    d2 = np.empty(u, g.dtype)
    nb_k = np.empty(u, g.dtype)
    for j in range(u):
        nb_k[j] = kind(nb[j])
    for i in range(t):
        _distances(g[i], kind(na[i]), nb_k, kind(floor), d2)
        least = _smallest(d2)
        for p in range(of_columns.shape[0]):
            if least * of_columns[p] < 1.0:
                _multiply_columns(d2, of_columns[p], columns[p])
        for q in range(of_rows.shape[0]):
            if least * of_rows[q] < 1.0:
                rows[q, i] *= _multiply_row(d2, of_rows[q])


# --- ties inside one set -----------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def count_tied(
    x: Any, numbers: Any, block: Any, start: int, radius2: Any, closed: Any, strict: Any, smallest: Any
) -> None:
    """Count the centres x (global numbers `numbers`) into the points of `block` (numbered from `start`), exactly."""
    for i in range(x.shape[0]):
        for j in range(block.shape[0]):
            if start + j == numbers[i]:
                continue
            d2 = squared_distance(x, i, block, j)
            if d2 <= radius2[i]:
                closed[j] += 1
                strict[j] += d2 < radius2[i]
                smallest[j] = min(smallest[j], radius2[i])


@njit(cache=True, nogil=True)
def pair_distances(x: Any, y: Any, rows: Any, columns: Any, out: Any) -> None:
    """out[p] = squared distance of x[rows[p]] and y[columns[p]], exact."""
    for p in range(rows.shape[0]):
        out[p] = squared_distance(x, rows[p], y, columns[p])


@njit(cache=True, nogil=True)
def insert_pairs(rows: Any, columns: Any, d2: Any, values: Any, indices: Any, beyond: Any) -> None:
    """Put exact distances of pairs into the neighbour lists of their rows."""
    for p in range(rows.shape[0]):
        _insert(d2[p], columns[p], values, indices, beyond, rows[p])


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
