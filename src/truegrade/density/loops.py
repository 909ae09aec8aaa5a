"""Compiled loops over the cells of densities. Pure functions of arrays; no threads, no Python objects.

Imported inside functions only, so that `import truegrade` does not load the compiler. Functions that are called by
compiled ones are not cached: from a cache they could not be inlined any more.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

_TILE = 16  # points that `log_sums` takes or passes over together
_FAST = {"reassoc", "contract", "nsz", "arcp"}


@njit(nogil=True)
def _bin_of(top: Any, bits: Any, shift: Any, bins: Any) -> Any:
    """2^(23 - shift) bins an octave of values, counted from the largest down; the last one takes all below those."""
    return min((np.int64(top) - np.int64(bits)) >> shift, bins - 1)


@njit(cache=True, nogil=True)
def mass_levels(values: Any, bits: Any, shares: Any) -> Any:
    """For each share the smallest value v such that the values up to v, and what all lack of 1, sum to at least that;
    then the largest value. values: (g,) float32; all float32 (k + 1,) for k shares. A tenth of a share lies among the
    values in any case: were it all outside, the level would be the smallest value, and what is empty above it.

    bits: the same memory as int32, which orders as the values do. One pass sums the values by their leading bits, a
    second one gathers those of the few bins in which a level lies, and only these are sorted.
    """
    top, count = bits.max(), shares.shape[0]
    shift = 14 if values.shape[0] > 2**17 else 17
    bins = 60 * 2 ** (23 - shift)
    mass, cells = np.zeros(bins), np.zeros(bins, np.int64)
    for c in range(values.shape[0]):
        b = _bin_of(top, bits[c], shift, bins)
        mass[b] += values[c]
        cells[b] += 1
    wanted = np.maximum(shares - (1.0 - mass.sum()), 0.1 * shares)
    place, below, total = np.full(count, -1), np.zeros(count), 0.0
    for b in range(mass.shape[0] - 1, -1, -1):
        for w in range(count):
            if place[w] < 0 and total + mass[b] >= wanted[w]:
                place[w], below[w] = b, total
        total += mass[b]
    levels = np.full(count + 1, values.max())
    slot = np.full(mass.shape[0], -1)
    for w in range(count):
        slot[place[w]] = w if place[w] >= 0 else slot[place[w]]
    held, found = np.empty((count, max(1, cells[place].max())), values.dtype), np.zeros(count, np.int64)
    for c in range(values.shape[0]):
        s = slot[_bin_of(top, bits[c], shift, bins)]
        if s >= 0:
            held[s, found[s]] = values[c]
            found[s] += 1
    for w in range(count):
        if place[w] >= 0:
            s = slot[place[w]]
            levels[w] = _reached(np.sort(held[s, : found[s]]), wanted[w] - below[w])
    return levels


@njit(nogil=True)
def _reached(ordered: Any, wanted: Any) -> Any:
    """The first of the values at which their running sum reaches what is wanted, the last if it does not."""
    running = 0.0
    for v in ordered:
        running += v
        if running >= wanted:
            return v
    return ordered[-1]


@njit(cache=True, nogil=True)
def joint_annuli(real: Any, synthetic: Any, real_levels: Any, synthetic_levels: Any) -> Any:
    """Cells by annulus of both: (k, k) counts for k levels without the top one, row and column 0 for below the lowest.

    real, synthetic: densities (g,); a density at a level belongs to the annulus above it.
    """
    k = real_levels.shape[0]
    counts = np.zeros((k + 1, k + 1), np.int64)
    for c in range(real.shape[0]):
        p, q = real[c], synthetic[c]
        if p < real_levels[0] and q < synthetic_levels[0]:
            continue
        a = b = 0
        for i in range(k):
            a += p >= real_levels[i]
            b += q >= synthetic_levels[i]
        counts[a, b] += 1
    return counts


@njit(cache=True, nogil=True)
def eden_of_joint(joint: Any) -> Any:
    """Of such counts, the mean over annuli of what is common in parts of what is in either, and how many hold any."""
    total, there = 0.0, 0
    for i in range(1, joint.shape[0]):
        either = joint[i].sum() + joint[:, i].sum() - joint[i, i]
        if either > 0:
            total += joint[i, i] / either
            there += 1
    return (total / there if there else math.nan), there


@njit(nogil=True, fastmath=_FAST)
def _logs(bits: Any, mantissa: Any, mantissa_bits: Any, out: Any) -> None:
    """Logarithms of float32 values by their bits, to 2e-7 of their size; about -88 for 0.

    mantissa and mantissa_bits are one scratch row. x = 2^e m with m in [sqrt(1/2), sqrt(2)); log m by the series of
    artanh((m - 1) / (m + 1)).
    """
    for j in range(out.shape[0]):
        e = (bits[j] - np.int32(0x3F3504F3)) >> np.int32(23)
        mantissa_bits[j] = bits[j] - np.int32(e << np.int32(23))
        out[j] = np.float32(e)
    for j in range(out.shape[0]):
        m = mantissa[j]
        s = (m - np.float32(1.0)) / (m + np.float32(1.0))
        z = s * s
        t = np.float32(1.0 / 9.0) * z + np.float32(1.0 / 7.0)
        t = (t * z + np.float32(1.0 / 5.0)) * z + np.float32(1.0 / 3.0)
        out[j] = out[j] * np.float32(0.6931471805599453) + np.float32(2.0) * (s + s * z * t)


@njit(nogil=True, fastmath=_FAST)
def _row_sums(p: Any, q: Any, log_p: Any, log_q: Any, log_m: Any, far: Any, sums: Any) -> Any:
    """Adds one row to the sums of `overlaps`; returns whether p is anywhere where q is below far."""
    a = b = aa = bb = ab = pm = qm = pq = alone = 0.0
    for j in range(p.shape[0]):
        x, y = np.float64(p[j]), np.float64(q[j])
        a += x
        b += y
        aa += x * x
        bb += y * y
        ab += x * y
        pm += x * np.float64(log_p[j] - log_m[j])
        qm += y * np.float64(log_q[j] - log_m[j])
        pq += x * np.float64(log_p[j] - (log_q[j] if q[j] >= far else np.float32(0.0)))
        alone += x if q[j] < far else 0.0
    for k, value in enumerate((a, b, aa, bb, ab, pm, qm, pq)):
        sums[k] += value
    return alone > 0.0


@njit(cache=True, nogil=True)
def overlaps(real: Any, synthetic: Any, far: Any, block: Any) -> Any:
    """Sums over the cells of two densities (gx, gy), and where the synthetic one is far below the real one.

    Returns [sum p, sum q, sum pp, sum qq, sum pq, sum p log(p/m), sum q log(q/m), sum p log(p/q)] with m = (p + q) / 2
    and, for blocks of `block` cells a side, [sum p, sum p i, sum p j] over the cells (i, j) with q < far, for which
    the last sum holds p log p alone.
    """
    rows, columns = real.shape
    sums = np.zeros(8)
    distant = np.zeros(((rows - 1) // block + 1, (columns - 1) // block + 1, 3))
    mean, mantissa = np.empty(columns, np.float32), np.empty(columns, np.float32)
    log_p, log_q, log_m = np.empty(columns, np.float32), np.empty(columns, np.float32), np.empty(columns, np.float32)
    for i in range(rows):
        p, q = real[i], synthetic[i]
        for j in range(columns):
            mean[j] = np.float32(0.5) * (p[j] + q[j])
        _logs(p.view(np.int32), mantissa, mantissa.view(np.int32), log_p)
        _logs(q.view(np.int32), mantissa, mantissa.view(np.int32), log_q)
        _logs(mean.view(np.int32), mantissa, mantissa.view(np.int32), log_m)
        if _row_sums(p, q, log_p, log_q, log_m, far, sums):
            for j in range(columns):
                if q[j] < far:
                    cell = distant[i // block, j // block]
                    cell[0] += p[j]
                    cell[1] += np.float64(p[j]) * i
                    cell[2] += np.float64(p[j]) * j
    return sums, distant


@njit(cache=True, nogil=True)
def block_sums(counts: Any, block: Any) -> Any:
    """[sum c, sum c i, sum c j] over the cells (i, j) of each block of `block` cells a side."""
    rows, columns = counts.shape
    sums = np.zeros(((rows - 1) // block + 1, (columns - 1) // block + 1, 3))
    for i in range(rows):
        for j in range(columns):
            c = np.float64(counts[i, j])
            if c > 0.0:
                cell = sums[i // block, j // block]
                cell[0] += c
                cell[1] += c * i
                cell[2] += c * j
    return sums


@njit(nogil=True, fastmath=_FAST)
def _exp(x: Any) -> Any:
    """exp(x) for x <= 0 without branches, relative error below 1e-12 down to -40 and no more than 1e-17 below."""
    y = max(x, -40.0) * (1.0 / 256.0)
    e = 1.0 + y / 9.0
    for k in range(8, 0, -1):
        e = 1.0 + e * y / k
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    return e * e


@njit(nogil=True)
def _tiles(from_u: Any, from_v: Any, log_weight: Any) -> Any:
    """(t, 5) of every _TILE points in turn: low and high u, low and high v, largest log weight."""
    m = from_u.shape[0]
    boxes = np.empty(((m + _TILE - 1) // _TILE, 5))
    for t in range(boxes.shape[0]):
        part = slice(t * _TILE, min(m, (t + 1) * _TILE))
        boxes[t, 0], boxes[t, 1] = from_u[part].min(), from_u[part].max()
        boxes[t, 2], boxes[t, 3] = from_v[part].min(), from_v[part].max()
        boxes[t, 4] = log_weight[part].max()
    return boxes


@njit(nogil=True, fastmath=_FAST)
def _bounds(boxes: Any, u: Any, v: Any, bounds: Any) -> Any:
    """Into bounds (t,) what no exponent of a tile exceeds at (u, v); returns the tile with the largest."""
    best = 0
    for t in range(boxes.shape[0]):
        a = max(boxes[t, 0] - u, u - boxes[t, 1], 0.0)
        b = max(boxes[t, 2] - v, v - boxes[t, 3], 0.0)
        bounds[t] = boxes[t, 4] - 0.5 * (a * a + b * b)
        best = t if bounds[t] > bounds[best] else best
    return best


@njit(nogil=True, fastmath=_FAST)
def _exponents(u: Any, v: Any, from_u: Any, from_v: Any, log_weight: Any, out: Any) -> Any:
    """Into out (k,) the exponents of k points at (u, v); returns the largest."""
    most = -np.inf
    for i in range(from_u.shape[0]):
        a, b = from_u[i] - u, from_v[i] - v
        out[i] = log_weight[i] - 0.5 * (a * a + b * b)
        most = max(most, out[i])
    return most


@njit(nogil=True, fastmath=_FAST)
def _exp_sum(exponents: Any, most: Any) -> Any:
    total = 0.0
    for i in range(exponents.shape[0]):
        total += _exp(exponents[i] - most)
    return total


@njit(cache=True, nogil=True, fastmath=_FAST)
def log_sums(at_u: Any, at_v: Any, from_u: Any, from_v: Any, log_weight: Any) -> Any:
    """For each place (at_u, at_v) the logarithm of the sum over all points of weight * exp(-squared distance / 2).

    The largest term is taken out first, so nothing underflows. Tiles of points of which no term reaches e^-40 of it are
    passed over; neighbours should follow each other.
    """
    n, m = at_u.shape[0], from_u.shape[0]
    boxes = _tiles(from_u, from_v, log_weight)
    found, exponents, bounds = np.empty(n), np.empty(m), np.empty(boxes.shape[0])
    for k in range(n):
        u, v = at_u[k], at_v[k]
        best = _bounds(boxes, u, v, bounds)
        part = slice(best * _TILE, min(m, (best + 1) * _TILE))
        most = _exponents(u, v, from_u[part], from_v[part], log_weight[part], exponents)
        near = start = 0
        for t in range(boxes.shape[0] + 1):
            if t < boxes.shape[0] and bounds[t] > most - 40.0:
                continue
            part = slice(start * _TILE, min(m, t * _TILE))  # the run of tiles up to this one
            if start < t:
                most = max(most, _exponents(u, v, from_u[part], from_v[part], log_weight[part], exponents[near:]))
                near += part.stop - part.start
            start = t + 1
        found[k] = most + math.log(_exp_sum(exponents[:near], most))
    return found


@njit(cache=True, nogil=True)
def distant_sum(distant: Any, counts: Any, kernel: Any, block: Any, nothing: Any, whole: Any) -> Any:
    """Sum of p log q over the blocks of `overlaps` with more than `nothing` of p; q: kernels at the points of `counts`,
    block by block, of which `whole` is the weight of all."""
    share, far = _centres(distant, nothing, kernel)
    if share.shape[0] == 0:
        return 0.0
    held, points = _centres(block_sums(counts, block), 0.0, kernel)
    log_weight = np.log(held / (whole * 2.0 * math.pi * kernel[0] * kernel[1]))
    logs = log_sums(far[0], far[1], points[0], points[1], log_weight)
    return (share * logs).sum()


@njit(nogil=True)
def _centres(sums: Any, least: Any, kernel: Any) -> Any:
    """What blocks hold that hold more than that, and their centres of mass (2, k) in kernel sd."""
    count = 0
    for i in range(sums.shape[0]):
        for j in range(sums.shape[1]):
            count += sums[i, j, 0] > least
    held, at = np.empty(count), np.empty((2, count))
    k = 0
    for i in range(sums.shape[0]):
        for j in range(sums.shape[1]):
            if sums[i, j, 0] > least:
                held[k] = sums[i, j, 0]
                at[0, k] = sums[i, j, 1] / sums[i, j, 0] / kernel[0]
                at[1, k] = sums[i, j, 2] / sums[i, j, 0] / kernel[1]
                k += 1
    return held, at
