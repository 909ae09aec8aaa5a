"""Rows in an order that only depends on what they are: for seeded metrics.

A seeded draw that depended on the order of the rows would give another value for the same set in another order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Floats
from truegrade.samples import Samples

_DIGITS = 1e12  # radii that differ by less are ties


def mean_row(samples: Samples) -> Floats:
    """The mean of all rows, (d,), without losing digits to a large offset."""
    first = samples.rows.read(0, 1)[0].astype(np.float64)
    total = np.zeros(samples.d)
    for block in samples.blocks():
        total += (block - first).sum(0)
    return np.asarray(first + total / samples.n)


def ordered_rows(samples: Samples, centre: Floats, most: int) -> Floats:
    """Rows minus `centre`, float64, by distance from it; of more than `most`, evenly spaced ones in that order."""
    found = [_places(block - centre) for block in samples.blocks()]
    order = _order(np.concatenate([r for r, _ in found]), np.concatenate([a for _, a in found]))
    if len(order) > most:
        order = order[np.linspace(0, len(order) - 1, most).astype(np.intp)]
    return np.asarray(samples.rows.take(order) - centre)


def content_order(rows: Floats) -> NDArray[np.intp]:
    """The order of rows (n, d) by distance from the origin, ties by their place along one fixed direction."""
    return _order(*_places(rows))


def _places(rows: Floats) -> tuple[Floats, Floats]:
    direction = np.random.default_rng(0).normal(size=rows.shape[1])
    return np.linalg.norm(rows, axis=1), rows @ direction


def _order(radii: Floats, along: Floats) -> NDArray[np.intp]:
    top = float(radii.max()) or 1.0
    return np.lexsort((np.round(along / top * _DIGITS), np.round(radii / top * _DIGITS)))
