"""Compiled loops between points and cells: binning, smoothing, densities at points. As loops.py."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

PARTS = 16  # positions are rounded to 1 / PARTS of a cell, so that the weights of a point are whole numbers
_SHIFT, _MASK = 4, 15
_BLOCK = 256
_FAST = {"reassoc", "contract", "nsz", "arcp"}


@njit(nogil=True)
def _place(
    first: Any, second: Any, centre: Any, matrix: Any, offset: Any, end: Any, side: Any, rows: Any, columns: Any
) -> None:
    """Places of points in sixteenths of a cell into rows and columns; -1 or the end where there is none."""
    a, b, c, d = (matrix[0, 0] * PARTS, matrix[0, 1] * PARTS, matrix[1, 0] * PARTS, matrix[1, 1] * PARTS)
    e, f, x0, y0 = offset[0] * PARTS - 0.5, offset[1] * PARTS - 0.5, centre[0], centre[1]
    for k in range(first.shape[0]):
        x, y = first[k] - x0, second[k] - y0
        u, v = a * x + b * y - e, c * x + d * y - f
        u = u if u > -1.0 else -1.0
        v = v if v > -1.0 else -1.0
        rows[k] = np.int32(u if u < end else end)
        columns[k] = np.int32(v if v < side else side)


@njit(cache=True, nogil=True)
def bin_plane(first: Any, second: Any, centre: Any, matrix: Any, offset: Any, packed: Any) -> Any:
    """Spreads each point over its four cells, weights (16 - a)(16 - b) and so on, in all 256.

    Position in cells: matrix @ (point - centre) - offset. packed: (gx, gy) uint64; a cell's lower half holds what falls
    to it, its upper half what falls to its right-hand neighbour. Points with a NaN are passed over. Returns how many
    points were seen and how many of them lie outside.
    """
    width, n = packed.shape[1], first.shape[0]
    end, side = np.int32((packed.shape[0] - 1) * PARTS - 1), np.int32((width - 1) * PARTS - 1)
    rows, columns = np.empty(_BLOCK, np.int32), np.empty(_BLOCK, np.int32)
    flat = packed.reshape(-1)
    unseen = outside = 0
    for start in range(0, n, _BLOCK):
        stop = min(n, start + _BLOCK)
        _place(first[start:stop], second[start:stop], centre, matrix, offset, end + 1.0, side + 1.0, rows, columns)
        for k in range(stop - start):
            s, t = rows[k], columns[k]
            if (s | t | (end - s) | (side - t)) < 0:  # any of them
                missing = math.isnan(first[start + k]) or math.isnan(second[start + k])
                unseen += missing
                outside += not missing
                continue
            cell = np.uint64(np.int64(s >> _SHIFT) * width + np.int64(t >> _SHIFT))
            a, b = np.uint64(s & _MASK), np.uint64(t & _MASK)
            weights = (np.uint64(PARTS) - b) | (b << np.uint64(32))
            flat[cell] += (np.uint64(PARTS) - a) * weights
            flat[cell + np.uint64(width)] += a * weights
    return n - unseen, outside


@njit(cache=True, nogil=True)
def unpack(packed: Any, counts: Any) -> None:
    """Adds the packed weights to the counts (gx, gy) and clears them."""
    for i in range(packed.shape[0]):
        over = np.uint64(0)
        for j in range(packed.shape[1]):
            here = packed[i, j]
            counts[i, j] += counts.dtype.type((here & np.uint64(0xFFFFFFFF)) + over)
            over = here >> np.uint64(32)
            packed[i, j] = 0


@njit(cache=True, nogil=True)
def bin_line(values: Any, scale: Any, offset: Any, counts: Any) -> Any:
    """The same on a line: position (value - offset) * scale, weights 16 - a and a."""
    seen = outside = 0
    for k in range(values.shape[0]):
        u = (values[k] - offset) * scale
        if math.isnan(u):
            continue
        seen += 1
        if not (u >= 0.0 and u < counts.shape[0] - 1.1):
            outside += 1
            continue
        s = int(u * PARTS + 0.5)
        counts[s >> _SHIFT] += PARTS - (s & _MASK)
        counts[(s >> _SHIFT) + 1] += s & _MASK
    return seen, outside


@njit(cache=True, nogil=True)
def gaussian_taps(sd: Any, reach: Any) -> Any:
    """exp(-k^2 / 2 sd^2) for k from -reach to reach, over their sum."""
    weights = np.ones(2 * reach + 1)
    for k in range(1, reach + 1):
        weights[reach + k] = weights[reach - k] = math.exp(-0.5 * (k / sd) ** 2)
    return weights / weights.sum()


@njit(nogil=True, fastmath=_FAST)
def _along_columns(line: Any, taps: Any, out: Any) -> None:
    """out[j] += sum of taps[k] * line[j + k], eight at a time; line is longer than out by len(taps) - 1."""
    width, count = out.shape[0], taps.shape[0]
    whole = count - count % 8
    for k in range(0, whole, 8):
        a, b, c, d = taps[k], taps[k + 1], taps[k + 2], taps[k + 3]
        e, f, g, h = taps[k + 4], taps[k + 5], taps[k + 6], taps[k + 7]
        p = line[k : k + width + 8]
        for j in range(width):
            near = (a * p[j] + b * p[j + 1]) + (c * p[j + 2] + d * p[j + 3])
            out[j] += near + ((e * p[j + 4] + f * p[j + 5]) + (g * p[j + 6] + h * p[j + 7]))
    for k in range(whole, count):
        a, p = taps[k], line[k : k + width]
        for j in range(width):
            out[j] += a * p[j]


@njit(nogil=True, fastmath=_FAST)
def _along_rows(lines: Any, taps: Any, out: Any) -> None:
    """out[j] += sum of taps[k] * lines[k, j], eight at a time."""
    width, count = out.shape[0], taps.shape[0]
    whole = count - count % 8
    for k in range(0, whole, 8):
        a, b, c, d = taps[k], taps[k + 1], taps[k + 2], taps[k + 3]
        e, f, g, h = taps[k + 4], taps[k + 5], taps[k + 6], taps[k + 7]
        p, q, r, s = lines[k], lines[k + 1], lines[k + 2], lines[k + 3]
        t, u, v, w = lines[k + 4], lines[k + 5], lines[k + 6], lines[k + 7]
        for j in range(width):
            near = (a * p[j] + b * q[j]) + (c * r[j] + d * s[j])
            out[j] += near + ((e * t[j] + f * u[j]) + (g * v[j] + h * w[j]))
    for k in range(whole, count):
        a, p = taps[k], lines[k]
        for j in range(width):
            out[j] += a * p[j]


@njit(nogil=True)
def _occupied(counts: Any) -> Any:
    """The first and the last row that holds anything; (rows, -1) if none does."""
    first, last = counts.shape[0], -1
    for i in range(counts.shape[0]):
        holds = False
        for j in range(counts.shape[1]):
            holds |= counts[i, j] != 0
        if holds:
            first, last = min(first, i), i
    return first, last


@njit(cache=True, nogil=True)
def smooth_plane(counts: Any, along_first: Any, along_second: Any, scale: Any) -> Any:
    """counts convolved with along_first (first axis) and along_second (second axis), times scale; float32.

    All terms are positive, so a density has full relative precision however small it is.
    """
    rows, columns = counts.shape
    out = np.zeros((rows, columns), np.float32)
    top, bottom = _occupied(counts)
    reach, side = along_first.shape[0] // 2, along_second.shape[0] // 2
    inner = np.zeros((max(0, bottom - top + 1), columns), np.float32)
    line = np.zeros(columns + 2 * side, np.float32)
    for i in range(top, bottom + 1):
        for j in range(columns):
            line[side + j] = np.float32(counts[i, j]) * scale
        _along_columns(line, along_second, inner[i - top])
    for i in range(rows):
        first, last = max(top, i - reach), min(bottom, i + reach)
        if first <= last:
            taps = along_first[first - i + reach : last - i + reach + 1]
            _along_rows(inner[first - top : last - top + 1], taps, out[i])
    return out


@njit(cache=True, nogil=True)
def densities_at(values: Any, points: Any, centre: Any, matrix: Any, offset: Any) -> Any:
    """values (gx, gy) at points (n, 2), linear between cells; 0 outside."""
    found = np.zeros(points.shape[0])
    for k in range(points.shape[0]):
        x, y = points[k, 0] - centre[0], points[k, 1] - centre[1]
        u = matrix[0, 0] * x + matrix[0, 1] * y - offset[0]
        v = matrix[1, 0] * x + matrix[1, 1] * y - offset[1]
        if u >= 0.0 and v >= 0.0 and u < values.shape[0] - 1.0 and v < values.shape[1] - 1.0:
            i, j = int(u), int(v)
            a, b = u - i, v - j
            near = values[i, j] * (1.0 - b) + values[i, j + 1] * b
            next_ = values[i + 1, j] * (1.0 - b) + values[i + 1, j + 1] * b
            found[k] = near * (1.0 - a) + next_ * a
    return found


@njit(cache=True, nogil=True)
def count_inside(values: Any, own: Any, other: Any, centre: Any, matrix: Any, offset: Any, part: Any) -> Any:
    """At how many of the points `own` (n, 2) the density is above `part` of its largest at the points `other`."""
    least = part * densities_at(values, other, centre, matrix, offset).max()
    return (densities_at(values, own, centre, matrix, offset) > least).sum()


@njit(cache=True, nogil=True)
def moments(points: Any) -> Any:
    """Mean (2,), covariance (2, 2) with ddof 1, smallest and largest values (2,) of points (n, 2)."""
    n = points.shape[0]
    mean, low, high = np.zeros(2), points[0].copy(), points[0].copy()
    for k in range(n):
        for axis in range(2):
            mean[axis] += points[k, axis]
            low[axis] = min(low[axis], points[k, axis])
            high[axis] = max(high[axis], points[k, axis])
    mean /= n
    a = b = c = 0.0
    for k in range(n):
        x, y = points[k, 0] - mean[0], points[k, 1] - mean[1]
        a += x * x
        b += x * y
        c += y * y
    return mean, np.array([[a, b], [b, c]]) / max(n - 1, 1), low, high
