"""psd, spectral_entropy, heart_rate, hrv and sqi of ecgen-eval 0.5.0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.signal import find_peaks, welch

from truegrade.ecg.registry.compat import Array, Numbers, draws_of, leads_of
from truegrade.ecg.registry.sides import Pair


def _spectra(metric: Any, pair: Pair, rows: Array) -> Array:
    segment = metric.nperseg or min(256, rows.shape[1])
    return np.asarray(welch(rows, fs=pair.fs, nperseg=segment, axis=1)[1])


def psd(metric: Any, pair: Pair) -> list[Numbers]:
    """Segments of 256 samples, whatever the rate; small constants in the shares and logarithms."""
    out: list[Numbers] = []
    for rows in leads_of(metric, pair, draws_of(metric, 1000, "together", seed=42)):
        shares = []
        for one in rows:
            power = _spectra(metric, pair, one.astype(np.float64))
            mean = ((power + 1e-12) / (power.sum(axis=1, keepdims=True) + 1e-12)).mean(axis=0)
            shares.append(mean / (mean.sum() + 1e-12))
        middle = 0.5 * (shares[0] + shares[1]) + 1e-12
        out.append((float(sum(0.5 * (p * np.log(p / middle)).sum() for p in shares)), {}))
    return out


def spectral_entropy(metric: Any, pair: Pair) -> list[Numbers]:
    """Entropies in bits, float32."""
    out: list[Numbers] = []
    for rows in leads_of(metric, pair, draws_of(metric, 1000)):
        entropies = []
        for one in rows:
            power = _spectra(metric, pair, one) + 1e-15
            power /= power.sum(axis=1, keepdims=True)
            entropies.append(-(power * np.log2(power)).sum(axis=1).astype(np.float32))
        out.append((divergence(*entropies), {}))
    return out


def divergence(x: Array, y: Array) -> float:
    """Jensen-Shannon divergence of histograms of 50 bins between the extremes of both; 0 where either is empty."""
    x, y = x[~np.isnan(x)], y[~np.isnan(y)]
    if not len(x) or not len(y):
        return 0.0
    low, high = min(x.min(), y.min()), max(x.max(), y.max())
    if high <= low:
        return 0.0
    edges = np.linspace(low, high, 51)
    shares = []
    for values in (x, y):
        counts = np.histogram(values, bins=edges, density=True)[0] + 1e-10
        shares.append(counts / counts.sum())
    middle = 0.5 * (shares[0] + shares[1])
    total = 0.5 * sum((p * np.log((p + 1e-15) / (middle + 1e-15))).sum() for p in shares)
    return float(np.clip(total, 0.0, np.log(2)))


def _peaks(row: Array, fs: float) -> Array:
    """Maxima above mean + sd / 2, at least half a second apart."""
    height = row.mean() + 0.5 * row.std()
    return np.asarray(find_peaks(row, height=height, distance=max(1, int(fs * 0.5)))[0])


def heart_rate(metric: Any, pair: Pair) -> list[Numbers]:
    """60 / mean interval; recordings with fewer than two peaks are left out."""
    assert pair.fs is not None
    fs = pair.fs
    out: list[Numbers] = []
    for rows in leads_of(metric, pair, draws_of(metric, 1000)):
        gaps = [[np.diff(_peaks(row, fs)) / fs for row in one] for one in rows]
        rates = [np.array([60.0 / g.mean() if len(g) else np.nan for g in one], dtype=np.float32) for one in gaps]
        out.append((divergence(*rates), {}))
    return out


def hrv(metric: Any, pair: Pair) -> list[Numbers]:
    """The mean of the divergences of SDNN, RMSSD and pNN50."""
    assert pair.fs is not None
    fs = pair.fs
    out: list[Numbers] = []
    for rows in leads_of(metric, pair, draws_of(metric, 1000)):
        x, y = (np.array([_variability(row, fs) for row in one], dtype=np.float32).T for one in rows)
        parts = [divergence(a, b) for a, b in zip(x, y, strict=True)]
        out.append((float(np.mean(parts)), dict(zip(("sdnn", "rmssd", "pnn50"), parts, strict=True))))
    return out


def _variability(row: Array, fs: float) -> tuple[float, float, float]:
    gaps = (np.diff(_peaks(row, fs)) / fs * 1000.0).astype(np.float32)
    if len(gaps) < 2:
        return np.nan, np.nan, np.nan
    steps = np.diff(gaps)
    return float(gaps.std(ddof=1)), float(np.sqrt((steps**2).mean())), float((np.abs(steps) > 50.0).mean())


def sqi(metric: Any, pair: Pair) -> list[Numbers]:
    """Correlation with the mean of the real recordings as they are, which are not aligned."""
    out: list[Numbers] = []
    for rows in leads_of(metric, pair, draws_of(metric, 1000)):
        x, y = (_to_range(one) for one in rows)
        template = x.mean(axis=0)
        alike = [_correlation(one, template) for one in (x, y)]
        out.append((float(alike[1].mean()), {"real_self": float(alike[0].mean())}))
    return out


def _to_range(rows: Array) -> Array:
    centred = rows - rows.mean(axis=1, keepdims=True)
    most = np.ptp(centred, axis=1, keepdims=True)
    return np.asarray(centred / np.where(most < 1e-9, 1.0, most))


def _correlation(rows: Array, template: Array) -> Array:
    a, b = rows - rows.mean(axis=1, keepdims=True), template - template.mean()
    return np.asarray((a @ b) / (np.sqrt((a**2).sum(axis=1) * (b @ b)) + 1e-15))


METRICS: dict[str, Callable[[Any, Pair], list[Numbers]]] = {
    "psd": psd,
    "spectral_entropy": spectral_entropy,
    "heart_rate": heart_rate,
    "hrv": hrv,
    "sqi": sqi,
}
