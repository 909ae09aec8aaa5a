"""Distances and copying tests as plain float64, exact rational or extended-precision definitions, for tests.

X real (n, d), Y synthetic (m, d). Nothing of the package is used, so that an error in it cannot be repeated
here.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import mpmath
import numpy as np


def golden_sets(n, m, d):
    """The RNG-free sets of the golden values."""
    j = np.arange(1, d + 1)
    i = np.arange(1, n + 1)[:, None]
    X = np.sin(i * np.sqrt(j + 1) * 1.7391 + 0.3 * i * i / n)
    i = np.arange(1, m + 1)[:, None]
    Y = 1.15 * np.sin(0.4 + i * np.sqrt(j + 1) * 1.5772 + 0.3 * i * i / m) + 0.1
    return X, Y


# --- Fréchet ------------------------------------------------------------------------------------------


def frechet_extended(X, Y, digits=60):
    """Fréchet distance with all matrices in `digits` decimal digits."""
    with mpmath.workdps(digits):
        mean_x, cov_x = _moments_extended(X)
        mean_y, cov_y = _moments_extended(Y)
        half = _root(cov_x)
        values = mpmath.eigsy(half * cov_y * half, eigvals_only=True)
        cross = sum(mpmath.sqrt(v) for v in values if v > 0)
        d = X.shape[1]
        trace = sum(cov_x[j, j] + cov_y[j, j] for j in range(d))
        shift = sum((mean_x[j] - mean_y[j]) ** 2 for j in range(d))
        return float(shift + trace - 2 * cross)


def _moments_extended(X):
    rows = mpmath.matrix(np.asarray(X, dtype=np.float64).tolist())
    n, d = rows.rows, rows.cols
    mean = [sum(rows[i, j] for i in range(n)) / n for j in range(d)]
    centred = mpmath.matrix(n, d)
    for i in range(n):
        for j in range(d):
            centred[i, j] = rows[i, j] - mean[j]
    return mean, centred.T * centred / (n - 1)


def _root(matrix):
    values, vectors = mpmath.eigsy(matrix)
    roots = mpmath.diag([mpmath.sqrt(v) if v > 0 else mpmath.mpf(0) for v in values])
    return vectors * roots * vectors.T


def frechet_commuting(mean_x, var_x, mean_y, var_y):
    """Gaussians whose covariances have the same axes, variances `var` along them."""
    return float(np.sum((mean_x - mean_y) ** 2) + np.sum((np.sqrt(var_x) - np.sqrt(var_y)) ** 2))


# --- kernels and energy -------------------------------------------------------------------------------


def two_sample_statistic(X, Y, h, unbiased):
    """E h(x, x') + E h(y, y') - 2 E h(x, y), one pair after the other."""

    def within(A):
        values = [h(a, b) for i, a in enumerate(A) for j, b in enumerate(A) if i != j or not unbiased]
        return sum(values) / len(values)

    across = [h(x, y) for x in X for y in Y]
    return within(X) + within(Y) - 2 * sum(across) / len(across)


def gaussian(bandwidth, scales=(1.0,)):
    def h(x, y):
        squared = float(((x - y) ** 2).sum())
        return sum(np.exp(-squared / (2 * (s * bandwidth) ** 2)) for s in scales) / len(scales)

    return h


def pooled_median(*sets):
    pooled = np.concatenate(sets)
    return float(np.median([np.sqrt(((a - b) ** 2).sum()) for a, b in combinations(pooled, 2)]))


def root_mean_square_distance(X):
    """Over all ordered pairs, those of a row with itself included."""
    return float(np.sqrt(np.mean([((a - b) ** 2).sum() for a in X for b in X])))


def kernel_distance_exact(X, Y):
    """The unbiased cubic-kernel estimate in rational arithmetic."""
    X, Y = ([[Fraction(float(v)) for v in row] for row in A] for A in (X, Y))
    d = len(X[0])

    def h(x, y):
        return (sum(a * b for a, b in zip(x, y, strict=True)) / d + 1) ** 3

    return float(two_sample_statistic(X, Y, h, unbiased=True))


def euclidean(x, y):
    return float(np.sqrt(((x - y) ** 2).sum()))


def energy(X, Y, unbiased=True):
    return -two_sample_statistic(X, Y, euclidean, unbiased)


def jackknife_error(X, Y, statistic):
    """Standard error of a two-sample statistic by leaving out one sample at a time."""
    total = 0.0
    for which, A in enumerate((X, Y)):
        values = []
        for i in range(len(A)):
            rest = np.delete(A, i, 0)
            values.append(statistic(rest, Y) if which == 0 else statistic(X, rest))
        total += (len(A) - 1) * np.var(values)
    return float(np.sqrt(total))


def permutation_p_value_all(X, Y, h, unbiased=True):
    """Share of ALL relabellings with at least the observed statistic (small sets only)."""
    pooled = np.concatenate([X, Y])
    observed = two_sample_statistic(X, Y, h, unbiased)
    values = []
    for chosen in combinations(range(len(pooled)), len(X)):
        rest = [i for i in range(len(pooled)) if i not in chosen]
        values.append(two_sample_statistic(pooled[list(chosen)], pooled[rest], h, unbiased))
    return float(np.mean(np.array(values) >= observed - 1e-12))


# --- two-sample and copying ---------------------------------------------------------------------------


def nn_accuracies(X, Y):
    """1-NN leave-one-out accuracy on real, synthetic and all, a tie between the classes counting one half."""
    pooled = np.concatenate([X, Y]).astype(np.float64)
    label = np.array([0] * len(X) + [1] * len(Y))
    points = []
    for i, row in enumerate(pooled):
        squared = ((pooled - row) ** 2).sum(1)
        squared[i] = np.inf
        own, other = squared[label == label[i]].min(), squared[label != label[i]].min()
        points.append(1.0 if own < other else 0.5 if own == other else 0.0)
    points = np.array(points)
    return points[label == 0].mean(), points[label == 1].mean(), points.mean()


def mann_whitney_z(a, b):
    """z of #{a > b} + half the ties, with the permutation variance worked out from the values' groups."""
    u = sum(1.0 if x > y else 0.5 if x == y else 0.0 for x in a for y in b)
    n, m = len(a), len(b)
    total = n + m
    groups = np.unique(np.concatenate([a, b]), return_counts=True)[1]
    variance = (
        n * m / (12 * total * (total - 1)) * (total**3 - total - sum(int(g) ** 3 - int(g) for g in groups))
    )
    return (u - n * m / 2) / np.sqrt(variance)


def copying_test(train, synthetic, fresh, cell_of, cell_of_fresh, min_synthetic):
    """C_T from its definition for given cells."""

    def to_train(A):
        return np.array([np.sqrt(((train - a) ** 2).sum(1)).min() for a in A])

    far, far_fresh = to_train(synthetic), to_train(fresh)
    above = below = 0.0
    for c in np.unique(cell_of_fresh):
        a, b = far[cell_of == c], far_fresh[cell_of_fresh == c]
        if len(a) >= min_synthetic:
            weight = len(b) / len(fresh)
            above += weight * mann_whitney_z(a, b)
            below += weight
    return above / below
