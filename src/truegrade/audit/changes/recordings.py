"""ECG recordings changed before their features are taken."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from truegrade.recordings import Recordings
from truegrade.recordings.checking import rechecked
from truegrade.samples import Samples

Signal = NDArray[np.float64]
Change = Callable[[Signal, np.random.Generator], Signal]
"""One recording (leads, samples) to another; missing leads stay missing."""
_NOISE, _GAIN = 0.25, 2.0


def ecg_changes(
    recordings: Recordings, features: Callable[[Recordings], Samples], seed: int
) -> Mapping[str, Callable[[], Samples]]:
    """By name, all recordings with a change, as features when asked for.

    noise: white noise of a quarter of each lead's standard deviation. gain: twice the voltage. dead lead: one lead,
    another in every recording, is a line at 0. shift: each recording begins elsewhere, and goes on from its end with
    its beginning.
    """
    changes = {"noise": noisy, "gain": amplified, "dead lead": without_a_lead, "shift": begun_elsewhere}
    return {name: partial(_as_features, recordings, features, name, made, seed) for name, made in changes.items()}


def _as_features(
    recordings: Recordings, features: Callable[[Recordings], Samples], name: str, change: Change, seed: int
) -> Samples:
    return replace(features(changed(recordings, name, change, seed)), ecg=None)  # the recordings are not kept


def changed(recordings: Recordings, name: str, change: Change, seed: int) -> Recordings:
    """The same recordings with a change, in memory; what is drawn for one depends on its place and the seed alone."""
    kind = recordings.values.dtype
    single = kind.kind == "f" and kind.itemsize == 4
    values = np.empty(recordings.values.shape, np.float32 if single else np.float64)
    for start, block in recordings.blocks():
        for row, signal in enumerate(block, start):
            values[row] = change(signal, np.random.default_rng([seed, zlib.crc32(name.encode()), row]))
    return rechecked(replace(recordings, values=values, scale=1.0, name=f"{recordings.name}: {name}"))


def noisy(signal: Signal, rng: np.random.Generator) -> Signal:
    """With white noise of a quarter of each lead's standard deviation."""
    with np.errstate(invalid="ignore"):  # a lead with an infinity has no spread
        spread = signal.std(axis=1, keepdims=True)
    return np.asarray(signal + _NOISE * spread * rng.standard_normal(signal.shape))


def amplified(signal: Signal, rng: np.random.Generator) -> Signal:
    """Twice the voltage, as where 5 mm/mV are read as 10."""
    return _GAIN * signal


def without_a_lead(signal: Signal, rng: np.random.Generator) -> Signal:
    """One lead, drawn, is a line at 0."""
    made = signal.copy()
    made[rng.integers(len(signal))] = 0.0
    return made


def begun_elsewhere(signal: Signal, rng: np.random.Generator) -> Signal:
    """From a drawn sample on, and then the samples before it."""
    return np.roll(signal, -int(rng.integers(1, signal.shape[1])), axis=1)
