"""Metrics of power spectra, lead by lead: psd, spectral_entropy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.fft import rfft
from scipy.signal import get_window

from truegrade.ecg.registry.base import Floor, Found, RegistryMetric, check_whole
from truegrade.ecg.registry.shares import WORST, described, divergence, jensen_shannon
from truegrade.ecg.registry.sides import Floats, Lead, Pair
from truegrade.errors import InputError

SEGMENT = 4.0  # s: 0.25 Hz apart
HIGHEST = 150.0  # Hz


@dataclass(frozen=True, kw_only=True)
class SpectralMetric(RegistryMetric):
    """What psd and spectral_entropy share: Welch spectra up to 150 Hz (or fs / 2), each normalised to 1."""

    fs: float | None = None
    nperseg: int | None = None
    n_subsample: int | None = None
    seed: int = 42

    needs_fs: ClassVar[bool] = True
    worst: ClassVar[float | None] = WORST

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("nperseg", self.nperseg, 4)

    def check(self, pair: Pair) -> None:
        super().check(pair)
        shortest = min(pair.real.length, pair.synthetic.length)
        if self.nperseg is not None and self.nperseg > shortest:
            raise InputError(f"nperseg={self.nperseg} given for recordings of {shortest} samples; at most that many.")

    def spectra(self, lead: Lead) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(n, bins) and (m, bins) shares of the power by frequency."""
        pair = lead.pair
        assert pair.fs is not None
        segment = self.nperseg or min(round(SEGMENT * pair.fs), pair.real.length, pair.synthetic.length)
        return lead.each(f"power {segment}", shares_of_power(pair.fs, segment))


def shares_of_power(fs: float, segment: int) -> Callable[[Floats], NDArray[np.float32]]:
    """What gives (n, bins) float32 shares of the power of rows above 0 Hz and up to 150 Hz, by Welch's method: segments
    that overlap by half, less their mean, under a Hann window; in float32, which is twice as quick."""
    hertz = np.fft.rfftfreq(segment, 1.0 / fs)
    band = (hertz > 0) & (hertz <= HIGHEST)
    weights = np.where(hertz == fs / 2.0, 1.0, 2.0)[band].astype(np.float32)  # both signs of a frequency
    window = get_window("hann", segment).astype(np.float32)

    def describe(rows: Floats) -> NDArray[np.float32]:
        power = np.zeros((len(rows), len(weights)), dtype=np.float32)
        scale = np.maximum(np.ptp(rows, axis=1, keepdims=True), np.finfo(np.float64).tiny)
        for start in range(0, rows.shape[1] - segment + 1, segment - segment // 2):
            part = rows[:, start : start + segment]
            part = ((part - part.mean(axis=1, keepdims=True)) / scale).astype(np.float32)
            found = rfft(part * window, axis=1)[:, band]
            power += found.real**2 + found.imag**2
        power *= weights
        total = power.sum(axis=1, keepdims=True)
        flat = np.full_like(power, 1.0 / power.shape[1])  # no power in the band at all: a shape of its own is not known
        return np.asarray(np.divide(power, total, out=flat, where=total > 0))

    return describe


@dataclass(frozen=True, kw_only=True)
class PSD(SpectralMetric):
    """Jensen-Shannon divergence of the mean normalised power spectra of a lead.

    Welch spectra with segments of `nperseg` samples (None: 4 s, that is 0.25 Hz), above 0 and up to 150 Hz; each
    recording's is divided by its sum, then they are averaged. A synthetic recording without a signal adds its share to
    an outcome of its own. Range 0 to log 2, lower is better. Source: Welch 1967; Lin 1991.
    """

    key: ClassVar[str] = "psd"
    floor: ClassVar[Floor] = "1/n"
    title: ClassVar[str] = "Spectral divergence"
    description: ClassVar[str] = "Divergence of mean power spectra, 0 to log 2; lower is better."
    reference: ClassVar[str] = "Welch 1967, IEEE Trans. Audio Electroacoust. 15(2); Lin 1991, Divergence measures."
    corrected: ClassVar[str] = (
        "A resolution of 0.25 Hz (there 2 Hz, so that heart rates are not seen), a sampling rate that must be told "
        "(there 500 Hz unless told), no constants added to the shares."
    )

    def one_lead(self, lead: Lead) -> Found:
        x, y = self.spectra(lead)
        p = np.append(x.mean(axis=0, dtype=np.float64), 0.0)
        q = np.append(y.mean(axis=0, dtype=np.float64) * lead.share, 1.0 - lead.share)
        return Found(jensen_shannon(p / p.sum(), q / q.sum()))


@dataclass(frozen=True, kw_only=True)
class SpectralEntropy(SpectralMetric):
    """Jensen-Shannon divergence of the spectral entropies of a lead's recordings.

    Entropy of a recording's normalised power spectrum (see `PSD`) divided by the logarithm of the number of
    frequencies, 0 to 1, in 50 equal bins. Range 0 to log 2, lower is better; with few recordings two samples of one law
    have more than 0, about (occupied bins) / (8 n), so read it beside its floor. `extra`: means, sds, Wasserstein-1.
    Source: Inouye et al. 1991.
    """

    key: ClassVar[str] = "spectral_entropy"
    floor: ClassVar[Floor] = "1/n"
    title: ClassVar[str] = "Spectral entropy"
    description: ClassVar[str] = "Divergence of the laws of spectral entropies, 0 to log 2; lower is better."
    reference: ClassVar[str] = (
        "Inouye et al. 1991, Quantification of EEG irregularity, Electroenceph. clin. Neurophys. 79."
    )
    corrected: ClassVar[str] = (
        "A resolution of 0.25 Hz (there 2 Hz), entropy as a share of its largest value, fixed bins (there between the "
        "extremes of both sides, so that one outlier changes them all), float64."
    )

    def one_lead(self, lead: Lead) -> Found:
        x, y = (entropies(shares) for shares in self.spectra(lead))
        value = divergence(x, y, lead.total - lead.m, np.linspace(0.02, 0.98, 49))
        return Found(value, described(x, y, lead.total - lead.m))


def entropies(shares: NDArray[np.floating]) -> Floats:
    """(n,) entropy of each row of shares as a part of the largest possible."""
    p = shares.astype(np.float64)
    p /= p.sum(axis=1, keepdims=True)
    out: Floats = -np.sum(p * np.log(np.where(p > 0, p, 1.0)), axis=1) / np.log(p.shape[1])
    return out
