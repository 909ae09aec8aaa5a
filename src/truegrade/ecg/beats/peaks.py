"""R peaks of recordings: energy of the band-passed slope over all leads, robust thresholds, a test that it is beats.

Own detector on scipy alone. Noise and flat lines have no peaks: an empty array, never a plausible rate.
"""

from __future__ import annotations

import math
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d
from scipy.signal import butter, sosfiltfilt

from truegrade.ecg.beats.picking import pick, usual_heights
from truegrade.ecg.beats.placing import Slow, place
from truegrade.errors import InputError
from truegrade.recordings import Recordings

Peaks = list[NDArray[np.int64]]
BAND = (3.0, 20.0)  # Hz: most of a QRS complex, a wide one as well, little of a T wave
SLOW = 125.0  # Hz: rate at which beats are looked for; their place is refined at the full rate
SPANS = (0.10, 0.06)  # s, one after the other, over which energy is gathered: a QRS complex
LEAST_FS = 40.0
BLOCK = 64
_cache: WeakKeyDictionary[Recordings, Peaks] = WeakKeyDictionary()


def r_peaks(values: NDArray[np.floating] | NDArray[np.integer], fs: float) -> Peaks:
    """Samples of the R peaks of each recording, ascending: one int64 array per recording, empty where there are none.

    Between 3 and 20 Hz the energy of each lead, and that of its slope, in units of the lead's own background, are
    summed over leads and gathered over 100 ms. Maxima of the lesser of both are beats: those above .6 of the usual
    height, above .33 if far from such (else they are P or T waves), and smaller ones where a beat is overdue. Beats
    have to stand out of the background and to look like each other, so noise has none.
    A peak is the largest excursion of either sign within the complex. After Pan and Tompkins (1985); own thresholds.

    Args:
        values: (N, T) one lead, or (N, L, T) all of whose leads are used together; any unit, any offset. Leads that
            are constant, or have a NaN or an infinity, are left out.
        fs: sampling rate in Hz, at least 40.

    Raises InputError for another shape or rate. Source: J. Pan, W. J. Tompkins, doi:10.1109/TBME.1985.325532.
    """
    array = np.asarray(values)
    if array.ndim not in (2, 3):
        raise InputError(
            f"values of the shape {array.shape} given; (recordings, samples) or (recordings, leads, samples)."
        )
    if not (math.isfinite(fs) and fs >= LEAST_FS):
        raise InputError(f"fs={fs!r} given; beats can be found from {LEAST_FS:g} Hz on.")
    if array.ndim == 2:
        array = array[:, None, :]
    found: Peaks = []
    for start in range(0, len(array), BLOCK):
        found += _peaks(np.asarray(array[start : start + BLOCK], dtype=np.float64), fs)
    return found


def peaks_of(recordings: Recordings) -> Peaks:
    """`r_peaks` of all leads together, remembered as long as the recordings live. Raises InputError without fs."""
    if recordings not in _cache:
        if recordings.fs is None:
            raise InputError(
                f"The sampling rate of {recordings.name} is not known, and beats cannot be found without; "
                "give fs=, such as fs=500."
            )
        found: Peaks = []
        for _, block in recordings.blocks(BLOCK):
            found += r_peaks(block, recordings.fs)
        _cache[recordings] = found
    return _cache[recordings]


def hand_on(recordings: Recordings, part: Recordings, rows: NDArray[np.intp]) -> None:
    """What is known of the recordings `rows` is known of them as a set of their own."""
    if recordings in _cache:
        _cache[part] = [_cache[recordings][row] for row in rows]


def _peaks(values: NDArray[np.float64], fs: float) -> Peaks:
    """Of (b, L, T) float64."""
    usable = np.isfinite(values.sum(axis=2))
    clean = values if usable.all() else np.where(usable[:, :, None], values, 0.0)
    step = max(1, int(fs // SLOW))
    rate = fs / step
    thin = _thinned(clean, step)
    thin -= thin.mean(axis=2, keepdims=True)
    if thin.shape[2] < rate * 0.5:
        return [np.empty(0, np.int64) for _ in values]
    slow = _slow(thin, rate, step)
    heights = usual_heights(slow.envelope, rate)
    return place(clean, slow, *pick(slow.envelope, heights, rate), fs)


def _thinned(values: NDArray[np.float64], step: int) -> NDArray[np.float64]:
    """Means of `step` samples in a row."""
    if step == 1:
        return values.copy()
    n, leads, length = values.shape
    whole = length // step
    out: NDArray[np.float64] = values[:, :, : whole * step].reshape(n, leads, whole, step).mean(axis=3)
    return out


def _slow(thin: NDArray[np.float64], rate: float, step: int) -> Slow:
    """The band-passed leads; what stands out in size as a wide complex does, and in slope as no P or T wave does."""
    sos = butter(2, (BAND[0], min(BAND[1], 0.4 * rate)), "bandpass", fs=rate, output="sos")
    passed = sosfiltfilt(sos, thin, axis=2, padlen=min(int(rate), thin.shape[2] - 1))
    power = (thin**2).mean(axis=2)
    size, weights = _gathered(passed**2, power, rate)
    steep, _ = _gathered(np.gradient(passed, axis=2) ** 2, power, rate)
    both = [line / np.maximum(usual_heights(line, rate), 1e-300)[:, None] for line in (size, steep)]
    return Slow(passed, np.minimum(*both), weights, step)


def _gathered(
    energy: NDArray[np.float64], power: NDArray[np.float64], rate: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(b, T') root of the energy over leads, each in units of its background, in about 100 ms; (b, L) those units."""
    places = [round(part * (energy.shape[2] // 2 - 1)) for part in (0.3, 0.98)]
    usual, high = np.moveaxis(np.partition(energy[:, :, ::2], places, axis=2)[:, :, places], 2, 0)
    background = usual + 1e-3 * high
    alive = high > 1e-10 * power  # else only rounding is left of a slow curve
    weights = np.where(alive, 1.0 / np.where(alive, background, 1.0), 0.0)
    gathered = np.einsum("blt,bl->bt", np.minimum(energy, 3.0 * high[:, :, None]), weights)
    for span in SPANS:
        gathered = uniform_filter1d(gathered, max(3, round(span * rate)), axis=1)
    return np.sqrt(np.maximum(gathered, 0.0)), weights
