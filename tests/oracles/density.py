"""The scores of a pair of columns from their definitions: exact kernels at every point of a lattice, float64.

Coordinates are those in which the covariances' sum is the identity (areas' ratios do not change under affine maps),
the lattice reaches 5 kernel standard deviations beyond the points. Nothing is binned, nothing is cut.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]


def log_density(points: Array, at: Array, factor: float | None = None) -> Array:
    """Logarithm of the Gaussian kernel density of points (n, d) at places (k, d); Scott's factor unless given."""
    n, d = points.shape
    kernel = np.atleast_2d(np.cov(points.T)) * (n ** (-1 / (d + 4)) if factor is None else factor) ** 2
    white = np.linalg.inv(np.linalg.cholesky(kernel))
    norm = np.log(n) + d / 2 * np.log(2 * np.pi) + np.linalg.slogdet(kernel)[1] / 2
    found = []
    for block in np.array_split(at, max(1, len(at) * n // 2_000_000)):
        exponent = -0.5 * sum((np.subtract.outer(block @ row, points @ row)) ** 2 for row in white)
        most = exponent.max(axis=1)
        found.append(most + np.log(np.exp(exponent - most[:, None]).sum(axis=1)) - norm)
    return np.concatenate(found)


def lattice(p: Array, q: Array, cells: int) -> Array:
    """(cells ** d, d) places around both sets."""
    ends = []
    for points in (p, q):
        reach = 5 * points.std(axis=0) * len(points) ** (-1 / (points.shape[1] + 4))
        ends.append((points.min(axis=0) - reach, points.max(axis=0) + reach))
    low, high = np.minimum(ends[0][0], ends[1][0]), np.maximum(ends[0][1], ends[1][1])
    axes = [np.linspace(a, b, cells) for a, b in zip(low, high, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, p.shape[1])


def annuli(f: Array, shares: Array) -> list[Array]:
    """Membership of each place in the annuli between the iso-mass levels; the top annulus is closed."""
    ordered = np.sort(f)
    mass = np.cumsum(ordered) / ordered.sum()
    levels = [ordered[np.argmax(mass >= share)] for share in shares[:-1]]
    return [(f >= a) & (f < b) for a, b in zip(levels, [*levels[1:], np.inf], strict=True)]


def eden(f: Array, g: Array, levels: int = 5, thresh: float = 0.05) -> float:
    shares = np.linspace(thresh, 1, levels)
    ratios = []
    for a, b in zip(annuli(f, shares), annuli(g, shares), strict=True):
        if (a | b).any():
            ratios.append((a & b).sum() / (a | b).sum())
    return float(np.mean(ratios))


def pair_scores(p: Array, q: Array, levels: int = 5, cells: int = 300) -> dict[str, float]:
    """All but the earth mover's, each by its line in the table of definitions."""
    root = np.linalg.inv(np.linalg.cholesky(np.cov(p.T) + np.cov(q.T))).T
    centre = p.mean(axis=0)
    x, y = (p - centre) @ root, (q - centre) @ root
    at = lattice(x, y, cells)
    log_f, log_g = log_density(x, at), log_density(y, at)
    f, g = np.exp(log_f), np.exp(log_g)
    log_m = np.logaddexp(log_f, log_g) - np.log(2)
    own = [[log_density(a, b) for b in (x, y)] for a in (x, y)]
    inside = (own[1][0] > own[1][1].max() + np.log(0.1)).sum() + (own[0][1] > own[0][0].max() + np.log(0.1)).sum()
    js = (f * (log_f - log_m)).sum() / f.sum() / 2 + (g * (log_g - log_m)).sum() / g.sum() / 2
    return {
        "correlation_score": 1 - abs(np.corrcoef(p.T)[0, 1] - np.corrcoef(q.T)[0, 1]) / 2,
        "jaccard_score": inside / (len(p) + len(q)),
        "kl_score": np.exp(-(f * (log_f - log_g)).sum() / f.sum()),
        "js_score": np.exp(-js),
        "cs_score": (f * g).sum() / np.sqrt((f * f).sum() * (g * g).sum()),
        "eden_score": eden(f, g, levels),
    }


def line_eden(x: Array, y: Array, levels: int = 5, cells: int = 12_001) -> float:
    """Eden of two columns."""
    at = lattice(x[:, None], y[:, None], cells)
    return eden(np.exp(log_density(x[:, None], at)), np.exp(log_density(y[:, None], at)), levels)


def convolved(points: Array, low: Array, high: Array, cells: int) -> Array:
    """Density on a fine grid by nearest cells and a Fourier transform with the full kernel; for large sets."""
    n = len(points)
    edges = [np.linspace(a, b, cells + 1) for a, b in zip(low, high, strict=True)]
    counts = np.histogram2d(points[:, 0], points[:, 1], edges)[0] / n
    step = (high - low) / cells
    kernel = np.cov(points.T) * n ** (-1 / 3) / np.outer(step, step)
    u, v = 2 * np.pi * np.fft.fftfreq(cells)[:, None], 2 * np.pi * np.fft.rfftfreq(cells)[None, :]
    response = np.exp(-0.5 * (kernel[0, 0] * u**2 + 2 * kernel[0, 1] * u * v + kernel[1, 1] * v**2))
    return np.maximum(np.fft.irfft2(np.fft.rfft2(counts) * response, (cells, cells)), 0).ravel()
