"""Simulated 12-lead ECG recordings: a turning heart dipole of Gaussian waves, seen by the leads through Dower's matrix.

For tests, demonstrations and yardsticks; no claim to be mistaken for a person. Own code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.recordings import LEADS_8, LEADS_12, Recordings
from truegrade.recordings.leads import DERIVED

# Dower's matrix (Dower et al. 1980): leads, in the order of LEADS_8, from the axes left, down, back
DOWER = np.array(
    [
        [0.632, -0.235, 0.059],
        [0.235, 1.066, -0.132],
        [-0.515, 0.157, -0.917],
        [0.044, 0.164, -1.387],
        [0.882, 0.098, -1.277],
        [1.213, 0.127, -0.601],
        [1.125, 0.127, -0.086],
        [0.831, 0.076, 0.230],
    ]
)


@dataclass(frozen=True)
class Wave:
    """One wave of a beat: seconds from the R peak to its middle, its width (sd, s), its dipole (mV)."""

    at: float
    width: float
    dipole: tuple[float, float, float]


BEATS: dict[str, tuple[Wave, ...]] = {
    "normal": (
        Wave(-0.170, 0.022, (0.05, 0.11, -0.01)),  # P
        Wave(-0.026, 0.010, (-0.15, -0.05, -0.25)),  # q
        Wave(0.000, 0.012, (1.40, 1.05, 0.30)),  # R
        Wave(0.028, 0.011, (-0.12, -0.10, 0.38)),  # S
        Wave(0.290, 0.045, (0.25, 0.22, -0.10)),  # T
    ),
    "bundle branch block": (
        Wave(-0.190, 0.022, (0.05, 0.11, -0.01)),
        Wave(-0.030, 0.020, (0.25, 0.05, 0.10)),
        Wave(0.000, 0.026, (0.85, 0.30, 0.70)),
        Wave(0.050, 0.024, (0.65, 0.10, 0.50)),
        Wave(0.330, 0.055, (-0.30, -0.05, -0.25)),
    ),
}


def simulate_ecg(
    n: int,
    *,
    fs: float = 500.0,
    seconds: float = 10.0,
    seed: int = 0,
    classes: Sequence[str] = tuple(BEATS),
    rate: float | tuple[float, float] = (50.0, 110.0),
    rr_sd: float = 0.03,
    spread: float = 1.0,
    noise: float = 0.02,
    leads: Sequence[str] = LEADS_12,
    name: str = "simulated",
) -> Recordings:
    """n recordings of 12 leads in mV, float32; each is a patient of its own, labels are the classes in turn.

    Args:
        fs, seconds: sampling rate in Hz and length.
        classes: of "normal" and "bundle branch block".
        rate: heart rate in beats per minute; of (low, high) a uniform draw per recording.
        rr_sd: standard deviation of the beat-to-beat interval as a part of it.
        spread: how far recordings differ in voltage, axis, widths and intervals; 1 is usual, 0 makes them alike.
        noise: sd of the white noise in mV; baseline wander has three times as much.

    Raises InputError for an unknown class and for n below 1.
    """
    unknown = [one for one in classes if one not in BEATS]
    if unknown or not classes:
        raise InputError(f"classes={list(classes)!r} given; {', '.join(map(repr, BEATS))} is accepted.")
    if n < 1:
        raise InputError(f"n={n} given; at least 1 recording is needed.")
    time = np.arange(round(fs * seconds)) / fs
    labels = np.array([classes[at % len(classes)] for at in range(n)])
    out = np.empty((n, len(leads), len(time)), dtype=np.float32)
    for at, label in enumerate(labels):
        rng = np.random.default_rng([seed, at])
        eight = _record(time, BEATS[str(label)], rate, rr_sd, spread, noise, rng)
        out[at] = _in_leads(eight, leads)
    return Recordings.from_array(
        out,
        fs=fs,
        units="mV",
        leads=leads,
        name=name,
        ids=[f"{name}-{at}" for at in range(n)],
        patients=[f"{name}-p{at}" for at in range(n)],
        labels=labels,
    )


def _record(
    time: NDArray[np.float64],
    beat: tuple[Wave, ...],
    rate: float | tuple[float, float],
    rr_sd: float,
    spread: float,
    noise: float,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """The eight leads (8, T) of one recording."""
    bpm = rng.uniform(*rate) if isinstance(rate, tuple) else float(rate)
    interval = 60.0 / bpm
    count = int(time[-1] / interval * 1.5) + 4
    steps = np.maximum(interval * (1.0 + rr_sd * rng.standard_normal(count)), 0.2)
    peaks = rng.uniform(0.0, interval) - interval + np.concatenate([[0.0], np.cumsum(steps)])
    voltage = np.exp(0.25 * spread * rng.standard_normal())
    turned = _rotation(0.35 * spread * rng.standard_normal(3))
    dipole = np.zeros((3, len(time)))
    for wave in beat:
        late = np.sqrt(interval) if wave.at > 0.1 else min(1.0, interval / 0.5)  # QT follows the rate, PR a little
        middle = wave.at * late * np.exp(0.06 * spread * rng.standard_normal())
        width = wave.width * np.exp(0.10 * spread * rng.standard_normal()) * (late if wave.at > 0.1 else 1.0)
        size = np.asarray(wave.dipole) * np.exp(0.20 * spread * rng.standard_normal())
        dipole += (turned @ size)[:, None] * _bumps(time, peaks + middle, width)
    heart = voltage * (DOWER @ dipole)
    wander = np.sin(2 * np.pi * (0.25 * time[None, :] + rng.uniform(size=(8, 1))))
    out: NDArray[np.float64] = (
        heart + noise * rng.standard_normal(heart.shape) + 3.0 * noise * wander * rng.uniform(0.5, 1.5, (8, 1))
    )
    return out


def _bumps(time: NDArray[np.float64], middles: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """The sum of one Gaussian per middle, cut off at six widths."""
    out = np.zeros(len(time))
    for middle in middles:
        low, high = np.searchsorted(time, (middle - 6.0 * width, middle + 6.0 * width))
        out[low:high] += np.exp(-0.5 * ((time[low:high] - middle) / width) ** 2)
    return out


def _rotation(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3, 3) rotation by three angles in radians, about each axis in turn."""
    out: NDArray[np.float64] = np.eye(3)
    for axis, angle in enumerate(angles):
        one, two = (axis + 1) % 3, (axis + 2) % 3
        turn: NDArray[np.float64] = np.eye(3)
        turn[[one, two], [one, two]] = np.cos(angle)
        turn[one, two], turn[two, one] = -np.sin(angle), np.sin(angle)
        out = np.asarray(turn @ out)
    return out


def _in_leads(eight: NDArray[np.float64], leads: Sequence[str]) -> NDArray[np.float64]:
    """The leads asked for, derived ones by Einthoven's and Goldberger's laws."""
    have = dict(zip(LEADS_8, eight, strict=True))
    for lead, parts in DERIVED.items():
        have[lead] = np.sum([factor * have[one] for one, factor in parts.items()], axis=0)
    unknown = [lead for lead in leads if lead not in have]
    if unknown:
        raise InputError(f"leads={list(leads)!r} asked for; {', '.join(LEADS_12)} is simulated.")
    return np.stack([have[lead] for lead in leads])
