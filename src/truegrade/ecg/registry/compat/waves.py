"""prd, mae, psnr, ssim and dtw of ecgen-eval 0.5.0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from truegrade.ecg.registry.compat import Array, Numbers, draws_of, leads_of
from truegrade.ecg.registry.sides import Pair


def partners(metric: Any, pair: Pair) -> Iterator[tuple[Array, Array]]:
    """x (n, T) of each lead, float64, and of each the y nearest by squares."""
    for x, y in leads_of(metric, pair, draws_of(metric, 500)):
        real, synthetic = x.astype(np.float64), y.astype(np.float64)
        yield real, synthetic[cdist(real, synthetic, "sqeuclidean").argmin(axis=1)]


def mae(metric: Any, pair: Pair) -> list[Numbers]:
    out: list[Numbers] = []
    for x, y in partners(metric, pair):
        rmse = float(np.sqrt(((y - x) ** 2).mean(axis=1)).mean())
        out.append((float(np.abs(y - x).mean(axis=1).mean()), {"rmse": rmse}))
    return out


def psnr(metric: Any, pair: Pair) -> list[Numbers]:
    """100 dB for a flat real lead and for an error below 1e-15."""
    out: list[Numbers] = []
    for x, y in partners(metric, pair):
        error, most = ((y - x) ** 2).mean(axis=1), np.ptp(x, axis=1)
        plain = (most >= 1e-9) & (error >= 1e-15)
        decibels = np.full(len(x), 100.0)
        decibels[plain] = 10.0 * np.log10(most[plain] ** 2 / error[plain])
        out.append((float(decibels.mean()), {}))
    return out


def ssim(metric: Any, pair: Pair) -> list[Numbers]:
    """Over the whole recording, with the nearest by squares."""
    out: list[Numbers] = []
    for x, y in partners(metric, pair):
        most = np.ptp(x, axis=1)
        most = np.where(most > 1e-9, most, 1.0)
        first, second = (metric.k1 * most) ** 2, (metric.k2 * most) ** 2
        a, b = x.mean(axis=1), y.mean(axis=1)
        together = ((x - a[:, None]) * (y - b[:, None])).mean(axis=1)
        above = (2 * a * b + first) * (2 * together + second)
        below = (a**2 + b**2 + first) * (x.var(axis=1) + y.var(axis=1) + second)
        out.append((float(np.where(below > 1e-15, above / below, 1.0).mean()), {}))
    return out


def prd(metric: Any, pair: Pair) -> list[Numbers]:
    """The partner is the nearest by squares summed over all leads."""
    pairs = [
        (x.astype(np.float64), y.astype(np.float64))
        for x, y in leads_of(metric, pair, draws_of(metric, 500, "together"))
    ]
    nearest = sum(cdist(x, y, "sqeuclidean") for x, y in pairs).argmin(axis=1)
    return [
        (float((100.0 * np.linalg.norm(x - y[nearest], axis=1) / (np.linalg.norm(x, axis=1) + 1e-9)).mean()), {})
        for x, y in pairs
    ]


def dtw(metric: Any, pair: Pair) -> list[Numbers]:
    """Random pairs, every fifth sample, and the band of dtaidistance, which is one narrower than it says."""
    from truegrade.ecg.registry.loops import warp

    rng = np.random.default_rng(metric.seed)
    rows = [rng.integers(0, len(side), size=metric.n_pairs) for side in (pair.real, pair.synthetic)]
    step = int(metric.downsample or 5)
    out: list[Numbers] = []
    for lead in range(len(pair.leads)):
        x, y = (
            np.ascontiguousarray(side.raw(lead)[some, ::step], dtype=np.float64)
            for side, some in zip((pair.real, pair.synthetic), rows, strict=True)
        )
        band = max(1, int(metric.window * x.shape[1])) - 1
        out.append((float(np.mean([np.sqrt(warp(a, b, band)) for a, b in zip(x, y, strict=True)])), {}))
    return out


METRICS: dict[str, Callable[[Any, Pair], list[Numbers]]] = {
    "mae": mae,
    "psnr": psnr,
    "ssim": ssim,
    "prd": prd,
    "dtw": dtw,
}
