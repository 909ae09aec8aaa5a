"""Similarity of two recordings at the best shift: normalised cross-correlation over all leads that both have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, rfft

from truegrade.ecg.copies.waves import LEAST_LEADS, Bools, Singles, Waves, overlapping, shifts

FINER = 2  # lags per sample
_ENERGY = 0.2  # of a recording that the overlap must hold, at the least

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class Matcher:
    """Compares single recordings of one side (`theirs`) with chosen ones of another (`ours`).

    They are shifted as two that are cut from a longer one, so that only a part of both overlaps, at least half of the
    shorter: of a recording that was turned around the circle, the longer of its two pieces.
    """

    def __init__(self, ours: Waves, theirs: Waves) -> None:
        self.ours, self.theirs = ours, theirs
        self._size, self._lags = shifts(ours.length, theirs.length, FINER)
        self._ours = self._spectra(ours)
        self._theirs = self._ours if theirs is ours else self._spectra(theirs)

    def _spectra(self, side: Waves) -> NDArray[np.complex64]:
        out = np.empty((*side.values.shape[:2], self._size // 2 + 1), np.complex64)
        for start in range(0, len(side), 64):
            out[start : start + 64] = rfft(side.values[start : start + 64], n=self._size, axis=2)
        return out

    def similarity(self, row: int, candidates: Rows) -> tuple[Floats, Floats]:
        """Of recording `row` of theirs with each candidate of ours: the similarity, -1 to 1, and the shift in seconds:
        theirs at t is ours at t + shift. Similarity is -1 where there are too few leads in common."""
        common = self.ours.has[candidates] & self.theirs.has[row]
        product = np.einsum("klf,lf->kf", self._ours[candidates], self._theirs[row].conj())
        sums = FINER * irfft(product, n=FINER * self._size, axis=1)
        ours, theirs = self._energies(row, candidates, common)
        best, lag = _peak(self._normalised(sums, ours, theirs), self._lags)
        best[common.mean(axis=1) < LEAST_LEADS] = -1.0
        return np.minimum(best, 1.0), lag / self.ours.rate

    def _energies(self, row: int, candidates: Rows, common: Bools) -> tuple[Floats, Floats]:
        """Cumulative energy over the common leads, (k, T + 1) of each side."""
        ours = np.einsum("kl,klt->kt", common.astype(np.float32), self.ours.values[candidates] ** 2)
        theirs = common.astype(np.float32) @ self.theirs.values[row] ** 2
        return _cumulative(ours), _cumulative(theirs)

    def _normalised(self, sums: Singles, ours: Floats, theirs: Floats) -> Floats:
        """Normalised by the energies in the overlap; -1 where the overlap is too short or nearly empty."""
        long, first, last = overlapping(self.ours.length, self.theirs.length, self._lags)
        lags = self._lags[long]
        out = np.full(sums.shape, -1.0)
        a, b = _between(ours, first, last), _between(theirs, first - lags, last - lags)
        full = (a >= _ENERGY * ours[:, -1:]) & (b >= _ENERGY * theirs[:, -1:]) & (a > 0) & (b > 0)
        out[:, long] = np.where(full, sums[:, long] / np.sqrt(np.where(full, a * b, 1.0)), -1.0)
        return out


def _peak(values: Floats, lags: Floats) -> tuple[Floats, Floats]:
    """The largest value of each row and its lag, by a parabola through it and its neighbours."""
    rows = np.arange(len(values))
    at = values.argmax(axis=1)
    top = values[rows, at]
    before, after = values[rows, at - 1], values[rows, (at + 1) % values.shape[1]]
    bend = 2.0 * top - before - after
    fits = (before > -1.0) & (after > -1.0) & (bend > 0)
    step = np.where(fits, 0.5 * (after - before) / np.where(fits, bend, 1.0), 0.0)
    return top + 0.25 * np.where(fits, after - before, 0.0) * step, lags[at] + step / FINER


def _cumulative(energy: Singles) -> Floats:
    out = np.zeros((energy.shape[0], energy.shape[1] + 1))
    np.cumsum(energy, axis=1, out=out[:, 1:], dtype=np.float64)
    return out


def _between(cumulative: Floats, first: Floats, last: Floats) -> Floats:
    """Energy between two places, which may lie between samples."""
    return np.asarray(_at(cumulative, last) - _at(cumulative, first))


def _at(cumulative: Floats, place: Floats) -> Floats:
    below = np.clip(np.floor(place).astype(np.intp), 0, cumulative.shape[1] - 1)
    above = np.minimum(below + 1, cumulative.shape[1] - 1)
    part = place - below
    return np.asarray((1.0 - part) * cumulative[:, below] + part * cumulative[:, above])
