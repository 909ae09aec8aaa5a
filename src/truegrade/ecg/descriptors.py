"""What one lead of a recording is like, as 7 or 11 plain numbers: the vectors that the vector metrics grade."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEVEN = ("mean", "sd", "rms", "max", "energy", "zero_crossing", "autocorrelation")
ELEVEN = (
    "mean",
    "sd",
    "rms",
    "energy",
    "max",
    "skewness",
    "kurtosis",
    "zero_crossing",
    "autocorrelation",
    "spectral_centroid",
    "spectral_bandwidth",
)
_ROWS = 128  # rows that are held as float64 at once


def seven(values: NDArray[Any]) -> NDArray[np.float64]:
    """(N, 7) of one lead (N, T), in the order of `SEVEN`.

    x is a row: mean; sd (divided by T); root mean square; max |x|; energy sum(x^2) / T; zero crossings per step
    sum |diff sign x| / (2 (T - 1)), 0 to 1; lag-1 autocorrelation sum (x_t - mean)(x_t+1 - mean) / sum (x_t - mean)^2,
    -1 to 1. Computed in float64 from any numbers. Of a constant row sd and autocorrelation are 0; a row with a NaN or
    an infinity is NaN throughout.
    """
    return _by_rows(values, _seven, len(SEVEN))


def eleven(values: NDArray[Any], fs: float) -> NDArray[np.float64]:
    """(N, 11) of one lead (N, T) at fs Hz, in the order of `ELEVEN`.

    Those of `seven`, and with z = (x - mean) / sd: skewness mean z^3; kurtosis mean z^4 (3 for a Gaussian); centroid
    sum f |X| / sum |X| and bandwidth sqrt(sum (f - centroid)^2 |X| / sum |X|), in Hz, where |X| is the magnitude of
    the Fourier transform of x - mean. Of a constant row the last four are 0; a row with a NaN or an infinity is NaN.
    """
    return _by_rows(values, lambda x: _eleven(x, fs), len(ELEVEN))


def _by_rows(
    values: NDArray[Any], describe: Callable[[NDArray[np.float64]], NDArray[np.float64]], d: int
) -> NDArray[np.float64]:
    out = np.full((values.shape[0], d), np.nan)
    for start in range(0, len(out), _ROWS):
        x = np.asarray(values[start : start + _ROWS], dtype=np.float64)
        whole = np.isfinite(x).all(axis=1)
        if whole.any():
            out[start : start + _ROWS][whole] = describe(x if whole.all() else x[whole])
    return out


def _seven(x: NDArray[np.float64]) -> NDArray[np.float64]:
    mean, centred = _centred(x)
    energy = _dot(x, x) / x.shape[1]
    crossing, lagged = _in_time(x, centred)
    most = np.maximum(x.max(axis=1), -x.min(axis=1))
    return np.stack([mean, _sd(centred), np.sqrt(energy), most, energy, crossing, lagged], axis=1)


def _eleven(x: NDArray[np.float64], fs: float) -> NDArray[np.float64]:
    mean, sd, rms, most, energy, crossing, lagged = _seven(x).T
    _, centred = _centred(x)
    squares = centred * centred
    skewness = _over(_dot(squares, centred) / x.shape[1], sd**3)
    kurtosis = _over(_dot(squares, squares) / x.shape[1], sd**4)
    size = np.abs(np.fft.rfft(centred, axis=1))
    frequency = np.fft.rfftfreq(x.shape[1], 1.0 / fs)
    total = size.sum(axis=1)
    centroid = _over(size @ frequency, total)
    # sum of (f - c)^2 |X|, not the mean square less the squared mean: that cancels where the band is narrow
    bandwidth = np.sqrt(_over(_dot(size, (frequency - centroid[:, None]) ** 2), total))
    parts = [mean, sd, rms, energy, most, skewness, kurtosis, crossing, lagged, centroid, bandwidth]
    return np.stack(parts, axis=1)


def _centred(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean, and x less it; exactly 0 for a constant row, whose mean may be rounded."""
    mean = x.mean(axis=1)
    mean = np.where(x.max(axis=1) == x.min(axis=1), x[:, 0], mean)
    return mean, x - mean[:, None]


def _in_time(x: NDArray[np.float64], centred: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Zero crossings per step, and the lag-1 autocorrelation."""
    signs = (x > 0).astype(np.int8) - (x < 0).astype(np.int8)
    crossing = np.abs(np.diff(signs, axis=1)).sum(axis=1, dtype=np.float64) / (2.0 * (x.shape[1] - 1))
    return crossing, _over(_dot(centred[:, :-1], centred[:, 1:]), _dot(centred, centred))


def _sd(centred: NDArray[np.float64]) -> NDArray[np.float64]:
    out: NDArray[np.float64] = np.sqrt(_dot(centred, centred) / centred.shape[1])
    return out


def _dot(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    out: NDArray[np.float64] = np.einsum("ij,ij->i", a, b)
    return out


def _over(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """a / b, 0 where b is 0."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
