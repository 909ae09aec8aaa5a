"""Kernel sums, distance sums and products of one tile, accumulated in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import overload

from truegrade.engine.simd import bits_of, float_of

_FAST = {"reassoc", "contract", "nsz", "nnan", "arcp"}


def _exp(x: Any) -> Any:
    """exp(x) for x <= 0, without branches so that loops over it become vectors. By dtype below.

    x / ln 2 is split into a whole number, added to the exponent bits, and a fraction, for which the series is summed.
    """
    raise NotImplementedError


@overload(_exp)
def _exp_for(x: Any) -> Any:
    def single(x: Any) -> Any:
        return _exp_single(x)

    def double(x: Any) -> Any:
        return _exp_double(x)

    return single if x == types.float32 else double


@njit(nogil=True, fastmath={"contract"})
def _exp_single(x: Any) -> Any:
    x = max(x, np.float32(-87.0))
    whole = x * np.float32(1.4426950408889634) + np.float32(12582912.0)  # 1.5 * 2^23: the sum rounds to a whole number
    n = whole - np.float32(12582912.0)
    f = (x - n * np.float32(0.693359375)) + n * np.float32(2.12194440e-4)  # ln 2 in two parts
    p = np.float32(1.0 / 5040)
    p = p * f + np.float32(1.0 / 720)
    p = p * f + np.float32(1.0 / 120)
    p = p * f + np.float32(1.0 / 24)
    p = p * f + np.float32(1.0 / 6)
    p = p * f + np.float32(0.5)
    p = p * f + np.float32(1.0)
    p = p * f + np.float32(1.0)
    return float_of(np.int32(bits_of(p) + np.int32(bits_of(whole) << np.int32(23))))


@njit(nogil=True, fastmath={"contract"})
def _exp_double(x: Any) -> Any:
    x = max(x, -708.0)
    whole = x * 1.4426950408889634 + 6755399441055744.0  # 1.5 * 2^52
    n = whole - 6755399441055744.0
    f = (x - n * 0.6931471805599453) - n * 2.3190468138462996e-17
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
    p = p * f + 1.0
    return float_of(np.int64(bits_of(p) + (bits_of(whole) << 52)))


@njit(nogil=True, fastmath={"contract"})
def _distances(g: Any, na: Any, nb: Any, floor: Any, out: Any) -> None:
    """Squared distances; what is within rounding of 0 is 0, so that exact duplicates are at distance 0."""
    zero = na - na
    for j in range(g.shape[0]):
        norms = na + nb[j]
        d2 = norms - (g[j] + g[j])
        out[j] = d2 if d2 > floor * norms else zero


@njit(nogil=True, fastmath=_FAST)
def _add(values: Any, column: Any) -> float:
    total = 0.0
    for j in range(values.shape[0]):
        v = np.float64(values[j])
        total += v
        column[j] += v
    return total


@njit(nogil=True, fastmath=_FAST)
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


@njit(nogil=True, fastmath={"contract"})
def _exp_row(d2: Any, factor: Any, weight: Any, k: Any, total: Any) -> None:
    """k = exp(factor * d2) and total += weight * k, in one pass."""
    for j in range(d2.shape[0]):
        v = _exp(d2[j] * factor)
        k[j] = v
        total[j] += v * weight


@njit(nogil=True, fastmath={"contract"})
def _raise(k: Any, squarings: int, total: Any, weight: Any) -> None:
    """k to the power 2^squarings (1 or 2), and total += weight * k, in one pass."""
    if squarings == 1:
        for j in range(k.shape[0]):
            v = k[j] * k[j]
            k[j] = v
            total[j] += v * weight
    else:
        for j in range(k.shape[0]):
            v = k[j] * k[j]
            v *= v
            k[j] = v
            total[j] += v * weight


@njit(nogil=True, fastmath={"contract"})
def _raise_four(k: Any, total: Any, weight: Any) -> None:
    """total += weight * (k^4 + k^16 + k^64 + k^256), in one pass: five widths that double from one to the next."""
    for j in range(k.shape[0]):
        v = k[j]
        v *= v
        v *= v
        mixed = v
        v *= v
        v *= v
        mixed += v
        v *= v
        v *= v
        mixed += v
        v *= v
        v *= v
        total[j] += (mixed + v) * weight


@njit(nogil=True)
def _root(d2: Any, out: Any) -> None:
    for j in range(d2.shape[0]):
        out[j] = np.sqrt(d2[j])


@njit(cache=True, nogil=True)
def scan_sums(
    g: Any, na: Any, nb: Any, floor: float, diagonal: bool, gauss: Any, squarings: Any, distance: bool,
    cubic: bool, inverse: float, pa: Any, qb: Any, row_sums: Any, column_sums: Any,
) -> None:
    """Add one tile to the kernel and distance sums.

    floor: squared distances below floor * (|a|^2 + |b|^2) are 0. gauss (s, c): factors -1/(2 (scale h)^2) of the
    kernels of need s, nearest to zero first, 0 where unused; squarings (s, c): 0 to compute the exponential anew,
    otherwise how often to square the one before. Channels of row_sums (channels, t) and column_sums (channels, u):
    the Gaussian kernels, then the distance, then w, w^2, w^3 of the cubic kernel, w = g * inverse + pa[i] + qb[j].
    """
    t, u = g.shape
    kind = g.dtype.type
    d2 = np.empty(u, g.dtype)
    k = np.empty(u, g.dtype)
    mixed = np.empty(u, g.dtype)
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
            weight = kind(1.0 / terms)
            doubling = terms == 5 and squarings[s, 1:5].min() == 2
            for c in range(1 if doubling else terms):
                if squarings[s, c] == 0:
                    _exp_row(d2, kind(gauss[s, c]), weight, k, mixed)
                else:
                    _raise(k, squarings[s, c], mixed, weight)
            if doubling:
                _raise_four(k, mixed, weight)
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


@njit(nogil=True, fastmath=_FAST)
def _smallest(d2: Any) -> Any:
    least = d2[0]
    for j in range(d2.shape[0]):
        least = min(least, d2[j])
    return least


@njit(nogil=True, fastmath=_FAST)
def _multiply_columns(d2: Any, inverse: float, products: Any) -> None:
    for j in range(d2.shape[0]):
        products[j] *= min(np.float64(d2[j]) * inverse, 1.0)


@njit(nogil=True, fastmath=_FAST)
def _multiply_row(d2: Any, inverse: float) -> float:
    product = 1.0
    for j in range(d2.shape[0]):
        product *= min(np.float64(d2[j]) * inverse, 1.0)
    return product


@njit(cache=True, nogil=True)
def scan_products(
    g: Any, na: Any, nb: Any, floor: float, of_columns: Any, of_rows: Any, columns: Any, rows: Any
) -> None:
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
