"""Recordings at another sampling rate, and cut to a length."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, notice
from truegrade.recordings.checking import check_fs, rechecked
from truegrade.recordings.record import Recordings

_MOST_PARTS = 1000  # of the ratio of two rates: the filter has twenty times as many coefficients


def resampled(recordings: Recordings, hz: float) -> Recordings:
    """See `Recordings.resampled`."""
    target = check_fs(hz, recordings.name)
    if recordings.fs is None or target is None:
        raise InputError(f"{recordings.name} has no known sampling rate, so it cannot be resampled; give fs (--fs).")
    if recordings.fs == target:
        return recordings
    dtype = np.float32 if recordings.values.dtype.kind == "f" and recordings.values.dtype.itemsize == 4 else np.float64
    length = resampled_length(recordings.length, recordings.fs, target)
    if length < 2:
        raise InputError(f"{recordings.name} would have {length} sample at {target:g} Hz; at least 2 are needed.")
    values = np.empty((len(recordings), len(recordings.leads), length), dtype)
    for start, block in recordings.blocks():
        values[start : start + len(block)] = resample(block, recordings.fs, target)
    told = notice("recordings_resampled", side=recordings.name, count=len(recordings), n=len(recordings), hz=target)
    kept = replace(recordings, values=values, scale=1.0, fs=target, notices=(*recordings.notices, told))
    return rechecked(kept)


def cropped(recordings: Recordings, seconds: float) -> Recordings:
    """See `Recordings.cropped`."""
    if recordings.fs is None:
        raise InputError(f"{recordings.name} has no known sampling rate, so seconds mean nothing; give fs (--fs).")
    length = samples_of(seconds, recordings.fs, recordings.name)
    if length > recordings.length:
        raise InputError(
            f"{recordings.name} cannot be cropped to {seconds:g} s: its recordings have "
            f"{recordings.length / recordings.fs:g} s."
        )
    if length == recordings.length:
        return recordings
    return rechecked(replace(recordings, values=recordings.values[:, :, :length]))


def resample(values: NDArray[np.float64], fs: float, hz: float) -> NDArray[np.float64]:
    """(..., T) at `fs` as (..., T') at `hz`: anti-aliased, flat signals stay flat, NaN spreads as far as the filter."""
    from scipy.signal import resample_poly

    parts = ratio(fs, hz)
    with np.errstate(invalid="ignore"):
        out = resample_poly(values, parts.numerator, parts.denominator, axis=-1, padtype="line")
    flat = values.max(axis=-1) == values.min(axis=-1)
    out[flat] = values[flat][..., :1]
    return np.asarray(out, dtype=np.float64)


def resampled_length(length: int, fs: float, hz: float) -> int:
    """Samples that `resample` makes of so many."""
    parts = ratio(fs, hz)
    return -(-length * parts.numerator // parts.denominator)


def ratio(fs: float, hz: float) -> Fraction:
    """hz / fs in whole numbers; InputError where there are none up to 1,000."""
    exact = hz / fs
    parts = Fraction(exact).limit_denominator(_MOST_PARTS)
    if parts.numerator > _MOST_PARTS or abs(float(parts) - exact) > 1e-6 * exact:
        raise InputError(
            f"{fs:g} Hz cannot be resampled to {hz:g} Hz: the rates are in no ratio of whole numbers up to "
            f"{_MOST_PARTS:,}. Choose another rate."
        )
    return parts


def samples_of(seconds: float, fs: float, name: str) -> int:
    """Whole samples of a length in seconds, 2 at least."""
    good = isinstance(seconds, (int, float, np.number)) and not isinstance(seconds, bool) and np.isfinite(seconds)
    length = round(float(seconds) * fs) if good else 0
    if length < 2:
        raise InputError(f"crop={seconds!r} given for {name}; a length in seconds of 2 samples or more is accepted.")
    return length
