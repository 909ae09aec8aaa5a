"""The metrics of the ECG registry again, as their definitions read: float64, loops, nothing of truegrade."""

import itertools
import math

import numpy as np
from scipy import linalg, stats


def mmd_squared(x, y, factors):
    median = np.median([((a - b) ** 2).sum() for a, b in itertools.combinations(x, 2)])

    def kernel(a, b):
        return np.mean([math.exp(-((a - b) ** 2).sum() / (2 * factor * median)) for factor in factors])

    within = [np.mean([kernel(a, b) for a, b in itertools.permutations(s, 2)]) for s in (x, y)]
    return within[0] + within[1] - 2 * np.mean([kernel(a, b) for a, b in itertools.product(x, y)])


def frechet(x, y):
    first, second = np.cov(x.T), np.cov(y.T)
    root = linalg.sqrtm(first @ second).real
    return ((x.mean(0) - y.mean(0)) ** 2).sum() + np.trace(first + second - 2 * root)


def sliced(x, y, directions):
    return np.mean([stats.wasserstein_distance(x @ d, y @ d) for d in directions])


def shares_inside(centres, points, k, rule):
    def far(a, b):
        return math.sqrt(((a - b) ** 2).sum())

    radii = [sorted(far(a, b) for j, b in enumerate(centres) if j != i)[k - 1] for i, a in enumerate(centres)]
    hits = 0
    for point in points:
        distances = [far(point, centre) for centre in centres]
        near = [int(np.argmin(distances))] if rule == "nearest" else range(len(centres))
        hits += any(distances[i] <= radii[i] for i in near)
    return hits / len(points)


def ssim(x, y, k1=0.01, k2=0.03):
    c1, c2 = (k1 * (x.max() - x.min())) ** 2, (k2 * (x.max() - x.min())) ** 2
    together = ((x - x.mean()) * (y - y.mean())).mean()
    above = (2 * x.mean() * y.mean() + c1) * (2 * together + c2)
    return above / ((x.mean() ** 2 + y.mean() ** 2 + c1) * (x.var() + y.var() + c2))


def warped(a, b, band):
    total = np.full((len(a), len(b)), np.inf)
    for i, j in itertools.product(range(len(a)), range(len(b))):
        if abs(i - j) > band:
            continue
        before = [total[i - 1, j] if i else np.inf, total[i, j - 1] if j else np.inf]
        before.append(total[i - 1, j - 1] if i and j else np.inf)
        total[i, j] = (a[i] - b[j]) ** 2 + (0.0 if i == j == 0 else min(before))
    return math.sqrt(total[-1, -1])


def jensen_shannon(p, q):
    def kl(a, b):
        return sum(u * math.log(u / v) for u, v in zip(a, b, strict=True) if u > 0)

    middle = [(u + v) / 2 for u, v in zip(p, q, strict=True)]
    return kl(p, middle) / 2 + kl(q, middle) / 2
