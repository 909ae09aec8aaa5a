"""Transport distances by definition, in plain float64, for small sets. X real (n, d), Y synthetic (m, d)."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from scipy.optimize import linprog


def ground(X, Y, p):
    return np.array([[np.sqrt(((x - y) ** 2).sum()) ** p for y in Y] for x in X])


def wasserstein_all_orders(X, Y, p):
    """n = m up to 8: the best of all n! assignments."""
    c = ground(X, Y, p)
    n = len(X)
    return min(sum(c[i, s[i]] for i in range(n)) for s in permutations(range(n))) ** (1 / p) / n ** (1 / p)


def wasserstein_program(X, Y, p):
    """The linear program over all plans with the right margins."""
    n, m = len(X), len(Y)
    margins = np.zeros((n + m, n * m))
    for i in range(n):
        margins[i, i * m : (i + 1) * m] = 1.0
    for j in range(m):
        margins[n + j, j::m] = 1.0
    masses = np.concatenate([np.full(n, 1 / n), np.full(m, 1 / m)])
    found = linprog(ground(X, Y, p).ravel(), A_eq=margins, b_eq=masses, bounds=(0, None), method="highs")
    assert found.status == 0
    return found.fun ** (1 / p)


def on_a_line(x, y, p):
    """W_p^p: the integral over u of |F^-1(u) - G^-1(u)|^p, both quantile functions being steps."""
    n, m = len(x), len(y)
    x, y = np.sort(x), np.sort(y)
    return sum(abs(x[k // m] - y[k // n]) ** p for k in range(n * m)) / (n * m)


def sliced(X, Y, p, directions):
    return np.mean([on_a_line(X @ t, Y @ t, p) for t in directions]) ** (1 / p)


def entropic(X, Y, p, eps, rounds=20000):
    """min <P, c> + eps KL(P | a b') by plain alternating updates, as primal cost of the plan it ends with."""
    c = ground(X, Y, p) / p
    n, m = c.shape
    kernel, v = np.exp(-c / eps), np.ones(m)
    for _ in range(rounds):
        before = v
        if X is Y:  # the geometric mean of old and new: of a set to itself far faster
            u = v = np.sqrt(v * n / (kernel @ v))
        else:
            u = m / (kernel @ v)
            v = n / (u @ kernel)
        if np.abs(v / before - 1).max() < 1e-12:
            break
    ratio = u[:, None] * kernel * v
    return float((ratio * eps * (np.log(u)[:, None] + np.log(v))).mean())  # c + eps log(ratio)


def sinkhorn_divergence(X, Y, p, blur):
    eps = blur**p
    return entropic(X, Y, p, eps) - (entropic(X, X, p, eps) + entropic(Y, Y, p, eps)) / 2
