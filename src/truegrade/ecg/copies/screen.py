"""Which few recordings of one side may be copied by one of the other: all pairs, coarsely.

The leads are summed up in three components and everything above 10 Hz is left out; the cross-correlation of that is
taken at all shifts, of all pairs. What it finds is compared in full by `match`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, rfft

from truegrade.ecg.copies.waves import Places, Singles, Waves, overlapping, shifts

RATE = 20.0  # Hz
COMPONENTS = 3
SIMILAR, ALIKE = 6, 3
PAIRS = 2_000_000  # pairs that are compared; of more, those with the most similar spectra
_BLOCK = (4, 128)  # recordings of each side whose shifts are held at once
_ENERGY = 0.2

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Coarse:
    """Components of recordings at a low rate: values (N, C, T), the energy of each recording 1."""

    values: Singles

    @property
    def length(self) -> int:
        return int(self.values.shape[2])


def components(waves: Waves) -> NDArray[np.float64]:
    """(C, L): the leading directions of the leads, over all recordings (of many, over 500 evenly spaced)."""
    both = np.zeros((waves.values.shape[1],) * 2)
    for row in range(0, len(waves), max(1, len(waves) // 500)):
        values = waves.values[row].astype(np.float64)
        both += values @ values.T
    return np.asarray(np.linalg.eigh(both)[1][:, ::-1][:, :COMPONENTS].T)


def coarse(waves: Waves, directions: NDArray[np.float64]) -> Coarse:
    """The components of recordings; where leads are missing, those that fit the others best (least squares)."""
    length = max(2, round(waves.length / waves.rate * min(RATE, waves.rate)))
    out = np.zeros((len(waves), len(directions), length), np.float32)
    patterns, which = np.unique(waves.has, axis=0, return_inverse=True)
    for number, has in enumerate(patterns):
        fit = np.zeros(directions.shape, np.float32)
        if has.any():
            fit[:, has] = np.linalg.pinv(directions[:, has].T, rcond=0.05)
        rows = np.flatnonzero(which.reshape(-1) == number)
        for start in range(0, len(rows), 256):
            some = rows[start : start + 256]
            low = irfft(rfft(fit @ waves.values[some], axis=2)[:, :, : length // 2 + 1], n=length, axis=2)
            norm = np.sqrt((low**2).sum(axis=(1, 2), keepdims=True))
            out[some] = np.divide(low, norm, out=np.zeros_like(low), where=norm > 0)
    return Coarse(out)


def candidates(ours: Coarse, theirs: Coarse, *, groups: tuple[Rows, Rows] | None = None, pairs: int = PAIRS) -> Rows:
    """(m, k) rows of ours that each of theirs may copy, some twice: the SIMILAR most similar ones at their best shift,
    and the ALIKE ones with the most similar spectra, among which is whatever was turned around the circle.

    groups: of ours and of theirs; pairs of one group do not count, and come last. Of more than `pairs` pairs only
    those with the most similar spectra are compared, which still finds most of what was shifted by less than a third
    of its length.
    """
    n, m = len(ours.values), len(theirs.values)
    search, spectra = _Search(ours, theirs), _spectra(ours, theirs)
    nearest = max(SIMILAR, pairs // m)
    out = np.empty((m, min(n, SIMILAR) + min(n, ALIKE)), np.intp)
    size = _BLOCK[0] if nearest >= n else 1
    for start in range(0, m, size):
        some = np.arange(start, min(start + size, m))
        barred = None if groups is None else groups[1][some][:, None] == groups[0][None]
        alike = spectra[1][some] @ spectra[0].T
        if barred is not None:
            alike[barred] = -2.0
        rows = np.arange(n) if nearest >= n else _largest(alike, nearest)[0]
        best = np.concatenate([search.best(rows[i : i + _BLOCK[1]], some) for i in range(0, len(rows), _BLOCK[1])], 1)
        if barred is not None:
            best[barred[:, rows]] = -2.0
        out[some] = np.concatenate([rows[_largest(best, SIMILAR)], _largest(alike, ALIKE)], axis=1)
    return out


def _largest(values: Singles, count: int) -> Rows:
    """(m, count) places of the largest of each row, in no order of their own."""
    count = min(count, values.shape[1])
    return np.asarray(np.argpartition(-values, count - 1, axis=1)[:, :count], np.intp)


class _Search:
    """Similarity of coarse recordings at the best shift along a longer recording, many pairs at once."""

    def __init__(self, ours: Coarse, theirs: Coarse) -> None:
        self._size, lags = shifts(ours.length, theirs.length)
        self._ours = np.ascontiguousarray(rfft(ours.values, n=self._size, axis=2).transpose(2, 1, 0))
        self._theirs = np.ascontiguousarray(rfft(theirs.values, n=self._size, axis=2).conj().transpose(2, 0, 1))
        self._lags, first, last = overlapping(ours.length, theirs.length, lags)
        lags = lags[self._lags]
        self._weights = _inverse(ours.values, first, last), _inverse(theirs.values, first - lags, last - lags)

    def best(self, ours: Rows, theirs: Rows) -> Singles:
        """(len(theirs), len(ours))."""
        product = self._theirs[:, theirs] @ self._ours[:, :, ours]
        cut = irfft(product, n=self._size, axis=0)[self._lags]
        a, b = self._weights
        cut *= a[:, ours][:, None]
        cut *= b[:, theirs][:, :, None]
        return np.asarray(cut.max(axis=0), np.float32)


def _inverse(values: Singles, first: Places, last: Places) -> Singles:
    """(lags, N): 1 / root of the energy between two places, 0 where there is little of it."""
    energy = np.zeros((len(values), values.shape[2] + 1))
    np.cumsum((values.astype(np.float64) ** 2).sum(axis=1), axis=1, out=energy[:, 1:])
    part = (energy[:, last.astype(np.intp)] - energy[:, first.astype(np.intp)]).T
    return np.where(part >= _ENERGY, 1.0 / np.sqrt(np.maximum(part, _ENERGY)), 0.0).astype(np.float32)


def _spectra(*sides: Coarse) -> list[Singles]:
    """Of each side the amplitudes by component and frequency (N, C F), of length 1. The product of two recordings is
    what their similarity around the circle would be if all frequencies agreed in phase."""
    longest = max(side.length for side in sides)
    out = []
    for side in sides:
        size = np.abs(rfft(side.values, n=longest, axis=2)).reshape(len(side.values), -1)
        norm = np.linalg.norm(size, axis=1, keepdims=True)
        out.append(np.divide(size, norm, out=np.zeros_like(size), where=norm > 0).astype(np.float32))
    return out
