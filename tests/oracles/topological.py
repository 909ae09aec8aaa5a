"""Topological precision and recall with whole loops, everything random handed in (Kim et al. 2023)."""

from __future__ import annotations

import numpy as np


def distance(a, b):
    return float(np.sqrt(((a - b) ** 2).sum()))


def bandwidth(rows, k):
    """Of the distances to the k-th nearest later row, the middle one (the lower of two)."""
    found = []
    for i in range(len(rows) - k):
        found.append(sorted(distance(rows[i], later) for later in rows[i + 1 :])[k - 1])
    return sorted(found)[max(0, len(found) // 2 - 1)]


def density(point, rows, h):
    near = [distance(point, row) for row in rows]
    return sum(np.cos(np.pi / 2 * r / h) for r in near if r <= h) / len(rows)


def half_width(rows, h, counts, alpha):
    """counts (bootstraps, n): how often each row is drawn."""
    own = [density(x, rows, h) for x in rows]
    largest = []
    for drawn in counts:
        again = np.repeat(rows, drawn, axis=0)
        largest.append(max(abs(density(x, again, h) - p) for x, p in zip(rows, own, strict=True)))
    return np.quantile(largest, 1 - alpha)


def precision(x, y, widths, limits):
    """Of the rows of y in the support of y, the share in the support of x."""
    own = [row for row in y if density(row, y, widths[1]) > limits[1]]
    return sum(density(row, x, widths[0]) > limits[0] for row in own) / len(own)
