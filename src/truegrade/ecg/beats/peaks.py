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

from truegrade.ecg.beats.picking import pick
from truegrade.ecg.beats.placing import Slow, place
from truegrade.errors import InputError
from truegrade.recordings import Recordings

Peaks = list[NDArray[np.int64]]
BAND = (4.0, 20.0)  # Hz: most of a QRS complex, little of a T wave
SLOW = 125.0  # Hz: rate at which beats are looked for; their place is refined at the full rate
SPAN = 0.10  # s over which energy is gathered: a QRS complex
SPANS = (0.10, 0.06)
DERIV = False
QUANT = 0.3
LEAST_FS = 40.0
BLOCK = 64
_cache: WeakKeyDictionary[Recordings, Peaks] = WeakKeyDictionary()


def r_peaks(values: NDArray[np.floating] | NDArray[np.integer], fs: float) -> Peaks:
    """Samples of the R peaks of each recording, ascending: one int64 array per recording, empty where there are none.

    The squared slope of each lead between 5 and 25 Hz, in units of the lead's own background, is summed over leads and
    gathered over 100 ms; its maxima at least 200 ms apart above a third of their usual height are beats, smaller ones
    where a beat is overdue. Beats have to stand out of the background and to look like each other, so noise has none.
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


def _peaks(values: NDArray[np.float64], fs: float) -> Peaks:
    """Of (b, L, T) float64."""
    usable = np.isfinite(values).all(axis=2)
    clean = np.where(usable[:, :, None], values, 0.0)
    middle = clean.mean(axis=2, keepdims=True)
    step = max(1, int(fs // SLOW))
    rate = fs / step
    thin = _thinned(clean - middle, step)
    if thin.shape[2] < rate * 0.5:
        return [np.empty(0, np.int64) for _ in values]
    slow = _slow(thin, rate, step)
    return place(clean - middle, slow, [pick(line, rate) for line in slow.envelope], fs)


def _thinned(values: NDArray[np.float64], step: int) -> NDArray[np.float64]:
    """Means of `step` samples in a row."""
    if step == 1:
        return values
    n, leads, length = values.shape
    whole = length // step
    out: NDArray[np.float64] = values[:, :, : whole * step].reshape(n, leads, whole, step).mean(axis=3)
    return out


def _slow(thin: NDArray[np.float64], rate: float, step: int) -> Slow:
    """The band-passed leads, and the root of the gathered energy of their slopes."""
    sos = butter(2, (BAND[0], min(BAND[1], 0.4 * rate)), "bandpass", fs=rate, output="sos")
    passed = sosfiltfilt(sos, thin, axis=2, padlen=min(int(rate), thin.shape[2] - 1))
    energy = (np.gradient(passed, axis=2) if DERIV else passed) ** 2
    usual, high = np.quantile(energy, (QUANT, 0.98), axis=2)[..., None]
    background = usual + 1e-3 * high
    alive = high > 1e-10 * (thin**2).mean(axis=2, keepdims=True)  # else only rounding is left of a slow curve
    weights = np.where(alive, 1.0 / np.where(alive, background, 1.0), 0.0)
    summed = (np.minimum(energy, 3.0 * high) * weights).sum(axis=1)
    gathered = summed
    for span in SPANS:
        gathered = uniform_filter1d(gathered, max(3, round(span * rate)), axis=1)
    return Slow(passed, np.sqrt(np.maximum(gathered, 0.0)), weights[..., 0], step)
