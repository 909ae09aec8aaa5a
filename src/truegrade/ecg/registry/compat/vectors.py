"""mmd, fd, swd, pr_dist and nn_dist of ecgen-eval 0.5.0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from truegrade.ecg.registry.compat import Array, Numbers, draws_of, leads_of
from truegrade.ecg.registry.sides import Pair

_TINY = 1e-9


def descriptors(x: Array) -> Array:
    """(n, 7) float32, computed in the precision given."""
    mean = x.mean(axis=1)
    centred = x - mean[:, None]
    square = (x**2).mean(axis=1)
    crossing = np.abs(np.diff(np.sign(x), axis=1)).sum(axis=1) / (2.0 * (x.shape[1] - 1))
    lagged = (centred[:, :-1] * centred[:, 1:]).sum(axis=1) / ((centred**2).sum(axis=1) + _TINY)
    energy = (x**2).sum(axis=1) / x.shape[1]
    parts = [mean, x.std(axis=1), np.sqrt(square), np.abs(x).max(axis=1), energy, crossing, lagged]
    return np.stack(parts, axis=1).astype(np.float32)


def scaled(x: Array, y: Array) -> tuple[Array, Array]:
    """Descriptors of both sides in units of the real sd, float32."""
    real, synthetic = descriptors(x), descriptors(y)
    spread = real.std(axis=0) + np.float32(_TINY)
    return real / spread, synthetic / spread


def squared(a: Array, b: Array) -> Array:
    """(n, m) squared distances of float32 rows, added up as float32."""
    return np.stack([((row - b) ** 2).sum(axis=-1) for row in a])


def mmd(metric: Any, pair: Pair) -> list[Numbers]:
    """Each of the three means with a bandwidth of its own, cut off at 0."""

    def kernel(a: Array, b: Array) -> Array:
        apart = squared(a, b)
        middle = np.median(apart) + _TINY
        parts = [np.exp(-apart / (2.0 * factor * middle)) for factor in metric.factors()]
        return np.asarray(sum(parts) / len(parts))

    out: list[Numbers] = []
    # sub-samples are drawn of the descriptors, each time from the start of the same generator
    for x, y in leads_of(metric, pair, draws_of(metric, 1000, seed=42, restart=True)):
        real, synthetic = descriptors(x), descriptors(y)
        means = []
        for one in (real, synthetic):
            within = kernel(one, one)
            np.fill_diagonal(within, 0.0)
            means.append(within.sum() / (len(one) * (len(one) - 1)))
        out.append((max(float(means[0] + means[1] - 2.0 * kernel(real, synthetic).mean()), 0.0), {}))
    return out


def frechet_of_symmetric_part(x: Array, y: Array, eps: float) -> float:
    """|mu_x - mu_y|^2 + tr S_x + tr S_y - 2 tr of the root of (S_x S_y + S_y S_x) / 2, its negative part cut off."""
    first, second = (np.atleast_2d(np.cov(rows, rowvar=False)) + eps * np.eye(rows.shape[1]) for rows in (x, y))
    product = first @ second
    values = np.linalg.eigvalsh((product + product.T) / 2.0)
    apart = x.mean(axis=0) - y.mean(axis=0)
    root = np.sqrt(np.maximum(values, 0.0)).sum()
    return float(apart @ apart + np.trace(first) + np.trace(second) - 2.0 * root)


def fd(metric: Any, pair: Pair) -> list[Numbers]:
    """Of eleven descriptors, the spectral ones in bins and with the mean of the recording."""
    out: list[Numbers] = []
    for pair_of_lead in leads_of(metric, pair, draws_of(metric, 2000, "together", seed=42)):
        x, y = (_eleven(rows.astype(np.float64)) for rows in pair_of_lead)
        middle, spread = x.mean(axis=0), x.std(axis=0) + _TINY
        eps = 1e-6 if metric.eps is None else metric.eps
        out.append((frechet_of_symmetric_part((x - middle) / spread, (y - middle) / spread, eps), {}))
    return out


def _eleven(x: Array) -> Array:
    mean, spread = x.mean(axis=1), x.std(axis=1) + _TINY
    centred = x - mean[:, None]
    standard = centred / spread[:, None]
    energy = (x**2).sum(axis=1) / x.shape[1]
    crossing = np.abs(np.diff(np.sign(x), axis=1)).sum(axis=1) / (2.0 * (x.shape[1] - 1))
    lagged = (centred[:, :-1] * centred[:, 1:]).sum(axis=1) / ((centred**2).sum(axis=1) + _TINY)
    size = np.abs(np.fft.rfft(x, axis=1))
    total, bins = size.sum(axis=1) + _TINY, np.arange(size.shape[1], dtype=np.float64)
    centroid = (size @ bins) / total
    width = np.sqrt((size * (bins - centroid[:, None]) ** 2).sum(axis=1) / total)
    cubes, fourths = (standard**3).mean(axis=1), (standard**4).mean(axis=1)
    root = np.sqrt((x**2).mean(axis=1))
    parts = [mean, spread, root, energy, np.abs(x).max(axis=1), cubes, fourths, crossing, lagged, centroid, width]
    return np.stack(parts, axis=1)


def swd(metric: Any, pair: Pair) -> list[Numbers]:
    """Quantiles interpolated to as many points as the larger side has; every lead draws directions of its own."""
    draws = draws_of(metric, 1000)
    out: list[Numbers] = []
    for x, y in leads_of(metric, pair, draws):
        real, synthetic = scaled(x, y)
        directions = draws.rng.standard_normal((metric.n_projections, real.shape[1]))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True) + 1e-15
        steps = np.linspace(0.0, 1.0, max(len(real), len(synthetic)))
        lines = (np.quantile(one @ directions.T, steps, axis=0) for one in (real, synthetic))
        out.append((float(np.abs(next(lines) - next(lines)).mean(axis=0).mean()), {}))
    return out


def pr_dist(metric: Any, pair: Pair) -> list[Numbers]:
    """Nearest-ball precision and recall of float32 descriptors."""

    def share(centres: Array, points: Array) -> float:
        own = squared(centres, centres)
        np.fill_diagonal(own, np.inf)
        radii = np.sqrt(np.sort(own, axis=1)[:, min(metric.k, len(centres) - 1) - 1])
        apart = squared(points, centres)
        return float((np.sqrt(apart.min(axis=1)) <= radii[apart.argmin(axis=1)]).mean())

    out: list[Numbers] = []
    for x, y in leads_of(metric, pair, draws_of(metric, 1000)):
        real, synthetic = scaled(x, y)
        precision, recall = share(real, synthetic), share(synthetic, real)
        value = 2 * precision * recall / (precision + recall + _TINY)
        out.append((value, {"precision": precision, "recall": recall}))
    return out


def nn_dist(metric: Any, pair: Pair) -> list[Numbers]:
    """Mean nearest distance, and authenticity against the median gap of real recordings."""
    out: list[Numbers] = []
    for x, y in leads_of(metric, pair, draws_of(metric, 1000)):
        real, synthetic = (rows.astype(np.float64) for rows in scaled(x, y))
        apart, own = cdist(real, synthetic), cdist(real, real)
        np.fill_diagonal(own, np.inf)
        authentic = apart.min(axis=0) > np.median(own.min(axis=1))
        out.append((float(apart.min(axis=1).mean()), {"authenticity": float(authentic.mean())}))
    return out


METRICS: dict[str, Callable[[Any, Pair], list[Numbers]]] = {
    "mmd": mmd,
    "fd": fd,
    "swd": swd,
    "pr_dist": pr_dist,
    "nn_dist": nn_dist,
}
