"""Compiled loops over one block of rows: sums, joint counts, cells. Whole numbers, or sums in the order of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def count_codes(first: Any, second: Any, counts: Any) -> None:
    """Add rows to a joint table (a, b); codes below 0 are missing."""
    for i in range(len(first)):
        if first[i] >= 0 and second[i] >= 0:
            counts[first[i], second[i]] += 1


@njit(cache=True, nogil=True)
def count_places(ascending: Any, edges: Any, counts: Any) -> None:
    """Add values that ascend, missing ones last, to counts (2 e + 1,): 2 i + 1 are those equal to edges[i], 2 i those
    between it and the one before."""
    at = 0
    for value in ascending:
        if np.isnan(value):
            break
        while at < len(edges) and edges[at] < value:
            at += 1
        counts[2 * at + (1 if at < len(edges) and edges[at] == value else 0)] += 1


@njit(cache=True, nogil=True)
def add_moments(values: Any, centres: Any, sums: Any) -> None:
    """Add a block (k, b) to sums (k, k, 10): over the rows in which both i and j are known, i <= j: count; sums of i
    and j, of their squares and of their product, all less centres (k,); lowest and highest of i, of j."""
    k, b = values.shape
    own, whole = np.zeros((k, 5)), np.ones(k, np.bool_)
    centred = np.empty((k, b))
    for i in range(k):
        own[i, 3], own[i, 4] = np.inf, -np.inf
        for r in range(b):
            x = values[i, r]
            centred[i, r] = x - centres[i]
            if np.isnan(x):
                whole[i] = False
                continue
            own[i, 0] += 1
            own[i, 1] += centred[i, r]
            own[i, 2] += centred[i, r] ** 2
            own[i, 3], own[i, 4] = min(own[i, 3], x), max(own[i, 4], x)
    for i in range(k):
        for j in range(i, k):
            if whole[i] and whole[j]:
                _add_whole(centred[i], centred[j], own[i], own[j], sums[i, j])
            else:
                _add_known(values[i], values[j], centres[i], centres[j], sums[i, j])


@njit(nogil=True)
def _add_whole(x: Any, y: Any, own_x: Any, own_y: Any, sums: Any) -> None:
    lanes = np.zeros(8)
    whole = len(x) // 8 * 8
    for r in range(0, whole, 8):
        for lane in range(8):
            lanes[lane] += x[r + lane] * y[r + lane]
    for r in range(whole, len(x)):
        lanes[0] += x[r] * y[r]
    sums[0] += own_x[0]
    sums[1] += own_x[1]
    sums[2] += own_y[1]
    sums[3] += own_x[2]
    sums[4] += own_y[2]
    sums[5] += lanes.sum()
    sums[6], sums[7] = min(sums[6], own_x[3]), max(sums[7], own_x[4])
    sums[8], sums[9] = min(sums[8], own_y[3]), max(sums[9], own_y[4])


@njit(nogil=True)
def _add_known(x: Any, y: Any, centre_x: float, centre_y: float, sums: Any) -> None:
    for r in range(len(x)):
        if np.isnan(x[r]) or np.isnan(y[r]):
            continue
        a, b = x[r] - centre_x, y[r] - centre_y
        sums[0] += 1
        sums[1] += a
        sums[2] += b
        sums[3] += a * a
        sums[4] += b * b
        sums[5] += a * b
        sums[6], sums[7] = min(sums[6], x[r]), max(sums[7], x[r])
        sums[8], sums[9] = min(sums[8], y[r]), max(sums[9], y[r])


@njit(cache=True, nogil=True)
def add_parts(values: Any, centre: float, codes: Any, sums: Any) -> None:
    """Add a block to sums (levels + 1, 5) by level: count; sums of values and of their squares, less the centre;
    lowest, highest. Codes from `levels` on are taken together in the last row."""
    for r in range(len(values)):
        x, c = values[r], min(codes[r], len(sums) - 1)
        if c < 0 or np.isnan(x):
            continue
        sums[c, 0] += 1
        sums[c, 1] += x - centre
        sums[c, 2] += (x - centre) ** 2
        sums[c, 3], sums[c, 4] = min(sums[c, 3], x), max(sums[c, 4], x)


@njit(cache=True, nogil=True)
def count_lines(values: Any, codes: Any, lows: Any, scales: Any, counts: Any) -> None:
    """Add each value to the line of its code in counts (L, g): the weight 16 over the two cells next to the place
    (value - lows[code]) * scales[code]. Missing ones, those outside and those on lines whose scale is NaN do not count.
    """
    lines, last = counts.shape[0], counts.shape[1] - 1.1
    for r in range(len(values)):
        line = codes[r]
        if line < 0 or line >= lines:
            continue
        u = (values[r] - lows[line]) * scales[line]
        if u >= 0.0 and u < last:
            s = int(u * 16 + 0.5)
            part = s & 15
            counts[line, s >> 4] += 16 - part
            counts[line, (s >> 4) + 1] += part
