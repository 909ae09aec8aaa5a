"""Pairs of columns that are known from books and papers, and sets made to have the same mean, deviations, correlation.

The numbers are facts; see each name for where they were published.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError

Floats = NDArray[np.float64]
Margins = tuple[float, float]

ENERGY: tuple[tuple[float, float], ...] = (
    (514.5, 294.0),
    (563.5, 318.5),
    (588.0, 294.0),
    (612.5, 318.5),
    (637.0, 343.0),
    (661.5, 416.5),
    (686.0, 245.0),
    (710.5, 269.5),
    (735.0, 294.0),
    (759.5, 318.5),
    (784.0, 343.0),
    (808.5, 367.5),
)
"""Energy Efficiency (UCI Machine Learning Repository, no. 242), columns X2 (surface area) and X3 (wall area): the pairs
that occur, each 64 times."""

_X = (10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5)
_ANSCOMBE = {
    "I": (_X, (8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68)),
    "II": (_X, (9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74)),
    "III": (_X, (7.46, 6.77, 12.74, 7.11, 7.81, 8.84, 6.08, 5.39, 8.15, 6.42, 5.73)),
    "IV": (
        (8, 8, 8, 8, 8, 8, 8, 19, 8, 8, 8),
        (6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89),
    ),
}


def energy() -> Floats:
    """The 768 rows of the pair X2, X3 of Energy Efficiency, (768, 2)."""
    return np.repeat(np.array(ENERGY), 64, axis=0)


def anscombe() -> dict[str, Floats]:
    """Four sets of eleven points, (11, 2), by name, drawn up to share mean, deviations and correlation.

    F. J. Anscombe, Graphs in statistical analysis, The American Statistician 27, 1973.
    """
    return {name: np.array(columns, np.float64).T for name, columns in _ANSCOMBE.items()}


def with_moments(
    points: Floats, mean: Margins = (0.0, 0.0), sd: Margins = (1.0, 1.0), correlation: float = 0.0
) -> Floats:
    """The points (n, 2), n of 3 or more, moved and stretched until they have this mean, these standard deviations
    (over n - 1) and this correlation, all exactly. A set that has them already is not turned.

    Raises InputError for points on one line, and for a correlation that is not between -1 and 1.
    """
    wanted = np.array([[sd[0] ** 2, correlation * sd[0] * sd[1]], [correlation * sd[0] * sd[1], sd[1] ** 2]])
    if not abs(correlation) < 1.0 or min(sd) <= 0.0:
        given = f"sd={sd}, correlation={correlation} given"
        raise InputError(f"{given}; deviations above 0 and a correlation between -1 and 1 are accepted.")
    centred = points - points.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(centred.T))
    if not values[0] > 1e-12 * values[1]:
        raise InputError(f"{len(points)} points on one line cannot be given a correlation; give points in the plane.")
    whitened = centred @ (vectors / np.sqrt(values)) @ vectors.T
    spread, axes = np.linalg.eigh(wanted)
    return np.asarray(whitened @ (axes * np.sqrt(spread)) @ axes.T + np.array(mean), np.float64)
