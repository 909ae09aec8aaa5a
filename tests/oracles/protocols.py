"""What other tools compute, re-derived naively in float64 from what their published sources do.

X real (n, d), Y synthetic (m, d). Nothing of the package is used.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import log_softmax


def frechet(X, Y):
    """Means and numpy's covariances (divisor n - 1), the trace of the root from the eigenvalues of the product."""
    shift = X.mean(0) - Y.mean(0)
    a, b = np.cov(X, rowvar=False), np.cov(Y, rowvar=False)
    cross = np.sqrt(np.linalg.eigvals(a @ b).astype(complex)).real.sum()
    return shift @ shift + np.trace(a) + np.trace(b) - 2 * cross


def cubic_mmd(x, y):
    """Unbiased, kernel (x.y / d + 1)^3, equal sizes."""
    m, d = x.shape
    xx, yy, xy = ((a @ b.T / d + 1) ** 3 for a, b in ((x, x), (y, y), (x, y)))
    within = xx.sum() - np.trace(xx) + yy.sum() - np.trace(yy)
    return within / (m * (m - 1)) - 2 * xy.sum() / m**2


def kernel_distances(X, Y, subsets, size, draw):
    """Of every pair of subsets; draw(n, size) gives rows, of the synthetic set first."""
    found = []
    for _ in range(subsets):
        y = Y[draw(len(Y), size)]
        x = X[draw(len(X), size)]
        found.append(cubic_mmd(x, y))
    return np.array(found)


def inception_scores(logits, edges):
    """Of the parts of the rows between the edges."""
    logs = log_softmax(logits, axis=1)
    found = []
    for low, high in pairwise(edges):
        part = logs[low:high]
        p = np.exp(part)
        found.append(np.exp((p * (part - np.log(p.mean(0)))).sum(1).mean()))
    return np.array(found)


def gan_mmd(X, Y):
    """Root of the biased squared MMD; the squared distances over twice their mean among the real samples."""
    scale = cdist(X, X, "sqeuclidean").mean()
    xx, yy, xy = (np.exp(-cdist(a, b, "sqeuclidean") / (2 * scale)).mean() for a, b in ((X, X), (Y, Y), (X, Y)))
    return np.sqrt(xx + yy - 2 * xy)


def gan_accuracies(X, Y):
    """(all, real, synthetic) of the leave-one-out nearest neighbour in the pooled set."""
    pooled = np.concatenate([X, Y])
    apart = cdist(pooled, pooled)
    np.fill_diagonal(apart, np.inf)
    real = np.arange(len(pooled)) < len(X)
    right = real[apart.argmin(0)] == real
    return right.mean(), right[: len(X)].mean(), right[len(X) :].mean()


def gan_mode_score(first, second):
    """exp(mean KL(p || mean p) - KL(mean p || mean q)), p of the first set; natural logarithms with 1e-20 added."""
    tiny = 1e-20
    p, q = first.mean(0), second.mean(0)
    own = (first * (np.log(first + tiny) - np.log(p + tiny))).sum(1).mean()
    return np.exp(own - (p * (np.log(p + tiny) - np.log(q + tiny))).sum())


def gan_inception_score(rows):
    tiny = 1e-20
    return np.exp((rows * (np.log(rows + tiny) - np.log(rows.mean(0) + tiny))).sum(1).mean())
