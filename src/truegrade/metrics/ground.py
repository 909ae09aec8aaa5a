"""Ground costs between points: what the transport distances move mass over."""

from __future__ import annotations

from math import frexp

import numpy as np

from truegrade.engine.needs import Floats
from truegrade.metrics.distances import squared_distances


def common_frame(x: Floats, y: Floats) -> tuple[Floats, Floats, float]:
    """Points (n, d) and (m, d) about their common mean in units of a power of two, so that all are at most 1; the unit.

    Equal rows stay equal, and neither an offset of 1e8 nor entries of 1e40 cost digits or overflow.
    """
    centre = (x.mean(0) + y.mean(0)) / 2.0
    x, y = x - centre, y - centre
    largest = max(float(np.abs(x).max()), float(np.abs(y).max()))
    unit = float(2.0 ** frexp(largest)[1]) if largest > 0.0 else 1.0
    return x / unit, y / unit, unit


def costs(x: Floats, y: Floats, p: int) -> Floats:
    """|x_i - y_j|^p, shape (n, m), p = 1 or 2."""
    found = squared_distances(x, y)
    return np.sqrt(found, out=found) if p == 1 else found


def paired_costs(x: Floats, y: Floats, p: int) -> Floats:
    """|x_i - y_i|^p, shape (n,), from differences."""
    squared = np.einsum("ij,ij->i", x - y, x - y)
    return np.asarray(np.sqrt(squared) if p == 1 else squared)
