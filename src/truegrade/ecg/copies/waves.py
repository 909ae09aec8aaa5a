"""Recordings as they are searched for copies: one band of frequencies, one low rate, one size, no missing leads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from truegrade.recordings import Recordings

RATE = 100.0  # Hz: all below 40 Hz is kept
BAND = (0.5, 40.0)  # Hz: without the wander of the baseline
USUAL = 10.0  # s that recordings of an unknown rate are taken to last
OVERLAP = 0.5  # of the shorter of two recordings, at the least
LEAST_LEADS = 0.5  # share of the leads that two recordings must have in common
_BLOCK = 64

Singles = NDArray[np.float32]
Bools = NDArray[np.bool_]
Places = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Waves:
    """Band-passed recordings at a low rate.

    values: (N, L, T), the energy of each recording 1, of leads that are missing 0. has: (N, L), whether there is a
    signal. rate: Hz.
    """

    values: Singles
    has: Bools
    rate: float

    def __len__(self) -> int:
        return len(self.values)

    @property
    def length(self) -> int:
        return int(self.values.shape[2])

    @cached_property
    def enough(self) -> Bools:
        """(N,) whether so many leads have a signal that the recording can be compared."""
        return np.asarray(self.has.mean(axis=1) >= LEAST_LEADS)


def common_leads(*sides: Recordings) -> tuple[str, ...]:
    """The leads that all sides have, in the order of the first."""
    return tuple(lead for lead in sides[0].leads if all(lead in side.leads for side in sides[1:]))


def rate_of(recordings: Recordings, others: Recordings) -> float:
    """The sampling rate, else that of the others, else that of recordings that last 10 s."""
    return recordings.fs or others.fs or recordings.length / USUAL


def waves(recordings: Recordings, leads: tuple[str, ...], fs: float, rate: float) -> Waves:
    """`recordings`, sampled at fs, as `Waves` of the given leads at `rate` (at most fs). 4 bytes a value in all."""
    at = [recordings.leads.index(lead) for lead in leads]
    has = ~recordings.missing[:, at]
    length = max(2, round(recordings.length / fs * rate))
    out = np.zeros((len(recordings), len(leads), length), np.float32)
    frequency = np.fft.rfftfreq(recordings.length, 1.0 / fs)
    kept = (frequency >= BAND[0]) & (frequency <= min(BAND[1], 0.4 * rate))
    for start in range(0, len(recordings), _BLOCK):
        stop = start + _BLOCK
        values = recordings.values[start:stop][:, at]
        values = values.astype(np.float32 if values.dtype in (np.float32, np.int16) else np.float64)
        values[~has[start:stop]] = 0.0
        spectra = rfft((values - values.mean(axis=2, keepdims=True)).astype(np.float32), axis=2) * kept
        block = irfft(spectra[:, :, : length // 2 + 1], n=length, axis=2)
        norm = np.sqrt((block.astype(np.float64) ** 2).sum(axis=(1, 2), keepdims=True))
        out[start:stop] = np.divide(block, norm, out=np.zeros_like(block), where=norm > 0)
    return Waves(out, has & (out != 0).any(axis=2), rate)


def shifts(ours: int, theirs: int, finer: int = 1) -> tuple[int, NDArray[np.float64]]:
    """How long the transforms of two recordings of these lengths have to be, and the shifts, in samples, that the
    `finer` times as many values of their correlation are for: ours at t + shift stands beside theirs at t. Shifts that
    overlap by half of the shorter do not mix; others may."""
    least = max(1, int(OVERLAP * min(ours, theirs)))
    size = int(next_fast_len(ours + theirs - least, real=True))
    lags = np.arange(finer * size) / finer
    return size, np.where(lags > ours - least, lags - size, lags)


def overlapping(ours: int, theirs: int, lags: NDArray[np.float64]) -> tuple[NDArray[np.intp], Places, Places]:
    """Which shifts overlap by half of the shorter recording, and from where to where in ours these overlap."""
    first, last = np.maximum(lags, 0.0), np.minimum(ours, theirs + lags)
    long = np.flatnonzero(last - first >= max(1, int(OVERLAP * min(ours, theirs))))
    return long, first[long], last[long]
