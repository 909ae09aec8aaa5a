"""Naive definitions of the scores of columns and of pairs with categories, on lists of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import gaussian_kde


def ks(real: ArrayLike, synthetic: ArrayLike) -> float:
    """1 - the largest difference of the shares of values up to x, over every x that occurs."""
    x, y = np.asarray(real, float), np.asarray(synthetic, float)
    return 1.0 - max(abs(np.mean(x <= v) - np.mean(y <= v)) for v in np.concatenate([x, y]))


def total_variation(real: Sequence[object], synthetic: Sequence[object]) -> float:
    p, q = Counter(real), Counter(synthetic)
    return 1.0 - 0.5 * sum(abs(p[c] / len(real) - q[c] / len(synthetic)) for c in p | q)


def equidensity(real: Sequence[object], synthetic: Sequence[object]) -> float:
    p, q = Counter(real), Counter(synthetic)
    shares = [(p[c] / len(real), q[c] / len(synthetic)) for c in p | q]
    return float(np.mean([min(pair) / max(pair) for pair in shares]))


def eden_line(real: ArrayLike, synthetic: ArrayLike, places: int = 20_001) -> float:
    """Mean over the four bands between iso-mass levels of the length of both in parts of the length of either."""
    x, y = np.asarray(real, float), np.asarray(synthetic, float)
    sd = max(x.std(), y.std())
    at = np.linspace(min(x.min(), y.min()) - 3 * sd, max(x.max(), y.max()) + 3 * sd, places)
    bands = []
    for values in (x, y):
        density = gaussian_kde(values)(at)
        ordered = np.sort(density)
        mass = np.cumsum(ordered) / ordered.sum()
        levels = [ordered[np.searchsorted(mass, share)] for share in np.linspace(0.05, 1, 5)[:-1]]
        bands.append(np.digitize(density, levels))
    found = []
    for band in range(1, 5):
        p, q = bands[0] == band, bands[1] == band
        if (p | q).any():
            found.append((p & q).sum() / (p | q).sum())
    return float(np.mean(found))


def mixed(
    numbers: ArrayLike, labels: ArrayLike, synthetic_numbers: ArrayLike, synthetic_labels: ArrayLike
) -> float:
    """The mean over the real categories of at least 3 rows; 0 for one that the synthetic table lacks."""
    x, c = np.asarray(numbers, float), np.asarray(labels)
    y, d = np.asarray(synthetic_numbers, float), np.asarray(synthetic_labels)
    found = []
    for label in np.unique(c):
        if (c == label).sum() >= 3:
            there = (d == label).sum() >= 3
            found.append(eden_line(x[c == label], y[d == label]) if there else 0.0)
    return float(np.mean(found))
