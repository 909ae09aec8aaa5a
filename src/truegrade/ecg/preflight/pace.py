"""How fast hearts beat and how wide R waves are, in samples: without knowing the sampling rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

REGULAR = 0.3  # autocorrelation from which a period is believed
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pace:
    """Median beat period and R wave width of a side, in samples; how many recordings have them."""

    period: float
    width: float
    known: int


def pace_of(values: Array) -> Pace | None:
    """Beat period and R wave width of recordings (s, L, T), from the autocorrelation of the squared signal.

    The width is where the autocorrelation has fallen to half, twice; the period its first high return. Recordings
    without a regular one are left out; None where all are.
    """
    found = [one for one in (_pace(record) for record in values) if one]
    if not found:
        return None
    period, width = np.median(np.array(found), axis=0)
    return Pace(float(period), float(width), len(found))


def _pace(record: Array) -> tuple[float, float] | None:
    there = record[np.isfinite(record).all(axis=1)]
    if not len(there) or there.shape[1] < 16:
        return None
    energy = np.square(there - np.median(there, axis=1, keepdims=True)).sum(axis=0)
    energy = energy - energy.mean()
    length = len(energy)
    spectrum = rfft(energy, next_fast_len(2 * length))
    raw = irfft(np.square(np.abs(spectrum)), next_fast_len(2 * length))[: length // 2]
    if not raw[0] > 0:
        return None
    same = raw / raw[0] * (length / (length - np.arange(len(raw))))
    below = np.flatnonzero(same < 0.5)
    if not len(below):
        return None
    half = below[0] - (0.5 - same[below[0]]) / (same[below[0] - 1] - same[below[0]])
    start = max(int(4 * half), 3)
    later = same[start:]
    if len(later) < 3 or later.max() < REGULAR:
        return None
    tops = np.flatnonzero((later[1:-1] >= later[:-2]) & (later[1:-1] > later[2:]) & (later[1:-1] >= 0.8 * later.max()))
    return (float(start + 1 + tops[0]), 2.0 * float(half)) if len(tops) else None
