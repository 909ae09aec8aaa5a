"""Kernel sums, distance sums and products of one tile, accumulated in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import overload

_FAST = {"reassoc", "contract", "nsz", "nnan", "arcp"}


def _exp_row(x: Any, factor: Any, out: Any, bits: Any) -> None:
    """out = exp(factor * x), factor * x <= 0, as vectors; `bits` is scratch of the same width.

    2^v is split into 2^whole, added to the exponent bits, and a Taylor series of the fraction. By dtype below.
    """
    raise NotImplementedError


@overload(_exp_row)
def _exp_row_for(x: Any, factor: Any, out: Any, bits: Any) -> Any:
    from numba import float32 as f32

    if x.dtype == f32:

        def single(x: Any, factor: Any, out: Any, bits: Any) -> None:
            binary = np.float32(factor * np.float32(1.4426950408889634))
            whole = bits.view(np.int32)
            shifted = out.view(np.int32)
            for j in range(x.shape[0]):
                v = max(x[j] * binary, np.float32(-126.0))
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

    def double(x: Any, factor: Any, out: Any, bits: Any) -> None:
        whole = bits.view(np.int64)
        shifted = out.view(np.int64)
        for j in range(x.shape[0]):
            e = max(x[j] * factor, -708.0)
            v = e * 1.4426950408889634
            r = v + 6755399441055744.0
            bits[j] = r
            n = r - 6755399441055744.0
            f = (e - n * 0.6931471805599453) - n * 2.3190468138462996e-17
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
def _raise(k: Any, squarings: int, total: Any, weight: Any) -> None:
    """k to the power 2^squarings (0, 1 or 2), and total += weight * k, in one pass."""
    if squarings == 0:
        for j in range(k.shape[0]):
            total[j] += k[j] * weight
    elif squarings == 1:
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
                    _exp_row(d2, kind(gauss[s, c]), k, bits)
                _raise(k, squarings[s, c], mixed, kind(1.0 / terms))
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
