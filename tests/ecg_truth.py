"""What `simulate_ecg` put into its recordings: beats, waves and dipoles, drawn again from the same seeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.samplers import ecg


@dataclass(frozen=True)
class Truth:
    """Seconds: `peaks` of the R waves inside the recording; `middles`, `widths` (waves,) relative to R; `interval`.
    `dipoles` (waves, 3) in mV. A wave begins two widths before its middle where a tangent shows it (P, T) and two and
    a half before where it is seen to (QRS)."""

    peaks: NDArray[np.float64]
    middles: NDArray[np.float64]
    widths: NDArray[np.float64]
    dipoles: NDArray[np.float64]
    interval: float

    @property
    def qrs_on(self) -> float:
        return float((self.middles - 2.5 * self.widths)[1:4].min())

    @property
    def qrs(self) -> float:
        return float((self.middles + 2.5 * self.widths)[1:4].max()) - self.qrs_on

    @property
    def pr(self) -> float:
        return self.qrs_on - float(self.middles[0] - 2.0 * self.widths[0])

    @property
    def qt(self) -> float:
        return float(self.middles[4] + 2.0 * self.widths[4]) - self.qrs_on

    @property
    def axis(self) -> float:
        """Degrees, of the areas of the QRS waves in leads I and aVF: those of Gaussians."""
        areas = (ecg.DOWER @ (self.dipoles * self.widths[:, None])[1:4].T).sum(axis=1)
        foot = areas[1] - 0.5 * areas[0]
        return float(np.degrees(np.arctan2(foot * 2.0 / np.sqrt(3.0), areas[0])))


def truths(
    n: int, *, seed: int, rate: float | tuple[float, float] = (50.0, 110.0), label: str = "normal", fs: float = 500.0
) -> list[Truth]:
    """Of simulate_ecg(n, seed=seed, rate=rate, classes=(label,), fs=fs), else as it is by default."""
    return [_truth(np.random.default_rng([seed, at]), rate, label, round(10 * fs) / fs - 1.0 / fs) for at in range(n)]


def _truth(rng: np.random.Generator, rate: float | tuple[float, float], label: str, end: float) -> Truth:
    interval = 60.0 / (rng.uniform(*rate) if isinstance(rate, tuple) else rate)
    count = int(end / interval * 1.5) + 4
    steps = np.maximum(interval * (1.0 + 0.03 * rng.standard_normal(count)), 0.2)
    peaks = rng.uniform(0.0, interval) - interval + np.concatenate([[0.0], np.cumsum(steps)])
    voltage = np.exp(0.25 * rng.standard_normal())
    turned = ecg._rotation(0.35 * rng.standard_normal(3))
    middles, widths, dipoles = [], [], []
    for wave in ecg.BEATS[label]:
        late = np.sqrt(interval) if wave.at > 0.1 else min(1.0, interval / 0.5)
        middles.append(wave.at * late * np.exp(0.06 * rng.standard_normal()))
        widths.append(wave.width * np.exp(0.10 * rng.standard_normal()) * (late if wave.at > 0.1 else 1.0))
        size = np.asarray(wave.dipole) * np.exp(0.20 * rng.standard_normal())
        dipoles.append(voltage * turned @ size)
    inside = peaks[(peaks > 0.0) & (peaks < end)]
    return Truth(inside, np.array(middles), np.array(widths), np.array(dipoles), float(interval))
