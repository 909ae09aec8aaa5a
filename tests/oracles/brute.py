"""The neighbour metrics as plain float64 formulas, for tests.

X real (n, d), Y synthetic (m, d). Written from the definitions with whole distance matrices and loops.
Nothing of the package is used, so that an error in it cannot be repeated here.
"""

from __future__ import annotations

from math import comb

import numpy as np


def distances(A, B):
    return np.sqrt(((A[:, None, :].astype(float) - B[None].astype(float)) ** 2).sum(-1))


def _others(X):
    """Distances inside one set; a sample is never its own neighbour."""
    D = distances(X, X)
    np.fill_diagonal(D, np.inf)
    return D


def radii(X, k):
    return np.sort(_others(X), axis=1)[:, k - 1]


def inside(X, Y, k, strict=False):
    """(n, m): is y_j in the ball of x_i?"""
    D, r = distances(X, Y), radii(X, k)[:, None]
    return r > D if strict else r >= D


def precision(X, Y, k=5, strict=False):
    return inside(X, Y, k, strict).any(0).mean()


def recall(X, Y, k=5, strict=False):
    return precision(Y, X, k, strict)


def density(X, Y, k=5, strict=False):
    return inside(X, Y, k, strict).sum() / (k * len(Y))


def coverage(X, Y, k=5, strict=False):
    return inside(X, Y, k, strict).any(1).mean()


def complement_precision(X, Y, k=5):
    return coverage(Y, X, k)


def symmetric_precision(X, Y, k=5):
    return min(precision(X, Y, k), complement_precision(X, Y, k))


def symmetric_recall(X, Y, k=5):
    return min(recall(X, Y, k), coverage(X, Y, k))


def p_precision(X, Y, k=4, a=1.2):
    R = a * radii(X, k).mean()
    total = 0.0
    for row in distances(Y, X):
        product = 1.0
        for d in row:
            product *= 0.0 if d == 0 else min(d / R, 1.0) if R > 0 else 1.0
        total += 1.0 - product
    return total / len(Y)


def p_recall(X, Y, k=4, a=1.2):
    return p_precision(Y, X, k, a)


def precision_cover(X, Y, k=3, C=3):
    holds = 0
    for j, y in enumerate(Y):
        own = np.sort(distances(y[None], Y)[0])  # y_j itself is the first of the k' = C k
        assert own[0] == 0, j
        holds += (distances(y[None], X)[0] <= own[C * k - 1]).sum() >= k
    return holds / len(Y)


def recall_cover(X, Y, k=3, C=3):
    return precision_cover(Y, X, k, C)


def nearest_ball_precision(X, Y, k=3):
    r, D = radii(X, k), distances(X, Y)
    return np.mean([D[D[:, j].argmin(), j] <= r[D[:, j].argmin()] for j in range(len(Y))])


def nearest_ball_recall(X, Y, k=3):
    return nearest_ball_precision(Y, X, k)


def nearest_ball_f(X, Y, k=3):
    p, r = nearest_ball_precision(X, Y, k), nearest_ball_recall(X, Y, k)
    return 0.0 if p + r == 0 else 2 * p * r / (p + r)


def realism(X, Y, k=3):
    r, D = radii(X, k), distances(X, Y)
    kept = r <= np.median(r)
    return np.median([(r[kept] / D[kept, j]).max() for j in range(len(Y))])


def rarity(X, Y, k=3):
    r, held = radii(X, k), inside(X, Y, k)
    return np.median([r[held[:, j]].min() for j in range(len(Y)) if held[:, j].any()])


# --- clipped density and coverage ---


def clipped_density_parts(X, Y, k=5):
    """(unnormalised, normaliser)."""
    r = radii(X, k)
    R = np.minimum(r, np.median(r))[:, None]
    c = np.minimum((distances(X, Y) <= R).sum(0) / k, 1)
    own = np.minimum((_others(X) <= R).sum(0) / k, 1)
    return c.mean(), own.mean()


def clipped_density_raw(X, Y, k=5):
    c, own = clipped_density_parts(X, Y, k)
    return c / own


def clipped_density(X, Y, k=5):
    return min(clipped_density_raw(X, Y, k), 1.0)


def clipped_density_official_raw(X, Y, k=5):
    """The normaliser counts only samples that stand in the list of k neighbours (first come first)."""
    r, D = radii(X, k), _others(X)
    R = np.minimum(r, np.median(r))
    counts = np.zeros(len(X))
    for i in range(len(X)):
        for neighbour in np.argsort(D[i], kind="stable")[:k]:
            counts[neighbour] += D[i, neighbour] <= R[i]
    return clipped_density_parts(X, Y, k)[0] / np.minimum(counts / k, 1).mean()


def f(m, n, k):
    """E[min(J, k)] / k for J ~ BetaBinomial(m, k, n - k), from binomial coefficients in whole numbers."""
    ways = comb(n + m - 1, m)
    few = range(min(k, m + 1))
    missing = sum((k - j) * comb(j + k - 1, j) * comb(n - k + m - j - 1, m - j) for j in few)
    return (k * ways - missing) / (k * ways)


def clipped_coverage_y(X, Y, k=5):
    """Tied samples averaged over all their orders, term by term."""
    r, D, own = radii(X, k), distances(X, Y), _others(X)
    total = 0.0
    for i in range(len(X)):
        a, t = int((own[i] < r[i]).sum()), int((own[i] == r[i]).sum())
        c, s = int((D[i] < r[i]).sum()), int((D[i] == r[i]).sum())
        q = k - a
        for h in range(s + 1):
            weight = comb(h + q - 1, h) * comb(t - q + s - h, s - h) / comb(t + s, s)
            total += weight * min(c + h, k)
    return total / (k * len(X))


def clipped_coverage_y_closed(X, Y, k=5):
    return np.minimum(inside(X, Y, k).sum(1) / k, 1).mean()


def clipped_coverage_raw(X, Y, k=5):
    """g(y), linear between the entries f(0) .. f(M), and along the last piece beyond."""
    y, m, n = clipped_coverage_y(X, Y, k), len(Y), len(X)
    table = [f(j, n, k) for j in range(m + 1)]
    low = next((j - 1 for j in range(1, m + 1) if y <= table[j]), m - 1)
    return (low + (y - table[low]) / (table[low + 1] - table[low])) / m


def clipped_coverage(X, Y, k=5):
    return min(clipped_coverage_raw(X, Y, k), 1.0)


def clipped_coverage_official_step(X, Y, k=5):
    """(position of the first entry not below y, number of entries); entries below m = k are set to 0."""
    y, m, n = clipped_coverage_y_closed(X, Y, k), len(Y), len(X)
    table = [0.0 if j < k else f(j, n, k) for j in range(m + 1)]
    return next((j for j in range(m + 1) if table[j] >= y - 1e-15), m + 1), m + 1


# --- copying and two-sample ---


def authenticity(X, Y):
    D, own = distances(Y, X), _others(X).min(1)
    return np.mean([D[j].min() > own[D[j].argmin()] for j in range(len(Y))])


def nn_accuracy(X, Y):
    """1-NN leave-one-out accuracy on real, on synthetic and on all; a tie goes to the other class."""
    D = distances(X, Y)
    real = _others(X).min(1) < D.min(1)
    synthetic = _others(Y).min(1) < D.min(0)
    return real.mean(), synthetic.mean(), np.concatenate([real, synthetic]).mean()


def _curve_score(levels, curve):
    return 1 - 2 * np.abs(levels - curve).sum() / (len(levels) - 1)


def alpha_precision(X, Y, levels=30):
    """About the mean, unnormalised."""
    a, centre = np.linspace(0, 1, levels), X.mean(0)
    reach = np.quantile(np.sqrt(((X - centre) ** 2).sum(1)), a)
    far = np.sqrt(((Y - centre) ** 2).sum(1))
    return _curve_score(a, np.array([(far <= r).mean() for r in reach]))


def beta_recall(X, Y, levels=30):
    """About the mean, unnormalised."""
    b, D = np.linspace(0, 1, levels), distances(X, Y)
    hit = D.min(1) <= _others(X).min(1)
    far = np.sqrt(((Y[D.argmin(1)] - Y.mean(0)) ** 2).sum(1))
    return _curve_score(b, np.array([(hit & (far <= r)).mean() for r in np.quantile(far, b)]))


def close(X, y):
    """Is y less than half as far from its nearest x as that x is from its nearest other x?"""
    nearest = int(np.argmin(np.sum((X - y) ** 2, axis=1)))
    own = np.sum((np.delete(X, nearest, axis=0) - X[nearest]) ** 2, axis=1).min()
    return 4 * np.sum((X[nearest] - y) ** 2) < own
