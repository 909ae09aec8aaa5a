"""Where exactly the R peak of each beat is, at the full rate, and whether the beats of a recording are beats at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.beats.picking import medians, sums

REACH = 0.06  # s around the middle of the energy in which the peak is
EDGE = 0.10  # s around it from whose ends the baseline is taken
AGREED = 0.02  # s around the place, relative to the energy, where most beats of the recording have their peak
ALIKE = 0.08  # s around a peak in which beats are compared
SAME = 0.7  # correlation above which a beat is moved onto the mean beat
RULES = (
    (1, ((3.0, -1.0), (2.2, 0.6), (1.6, 0.92), (1.2, 0.95))),
    (6, ((3.0, -1.0), (2.0, 0.5), (1.5, 0.88), (1.2, 0.92))),
    (1000, ((3.0, -1.0), (1.5, 0.5), (1.2, 0.9))),
)
"""In up to so many leads beats are so many times as high as the background, and correlate so well with the mean of the
others. White, pink and brown noise stay below (`tests/test_ecg_beats.py`)."""


@dataclass(frozen=True)
class Slow:
    """Recordings as beats are looked for in: `passed` (b, L, T') between 5 and 25 Hz, `envelope` (b, T'), `weights`
    (b, L) by lead, `step` samples of the recording in one of theirs."""

    passed: NDArray[np.float64]
    envelope: NDArray[np.float64]
    weights: NDArray[np.float64]
    step: int


def windows(
    values: NDArray[np.float64], owner: NDArray[np.int64], at: NDArray[np.int64], low: int, high: int
) -> NDArray[np.float64]:
    """(beats, L, high - low) of (b, L, T): samples at + low to at + high of the owning recording, ends repeated."""
    index = np.clip(at[:, None] + np.arange(low, high)[None, :], 0, values.shape[2] - 1)
    out: NDArray[np.float64] = values[
        owner[:, None, None], np.arange(values.shape[1])[None, :, None], index[:, None, :]
    ]
    return out


def place(
    values: NDArray[np.float64], slow: Slow, owner: NDArray[np.int64], rough: NDArray[np.int64], fs: float
) -> list[NDArray[np.int64]]:
    """The R peaks of (b, L, T) near `rough` (samples of the slow recordings `owner`); none where they are no beats."""
    count, length = len(values), values.shape[2]
    if not len(owner):
        return [np.empty(0, np.int64) for _ in values]
    at = rough * slow.step + slow.step // 2
    sizes = _excursions(values, slow.weights, owner, at, fs)
    offsets = _agreed(sizes, owner, count, fs)
    peaks = np.clip(at + offsets, 0, length - 1)
    peaks = np.clip(peaks + _lags(values, slow.weights, owner, peaks, count, fs), 0, length - 1)
    beats = _are_beats(slow, owner, peaks, count, fs / slow.step)
    whose, where = np.divmod(np.unique((owner * length + peaks)[beats[owner]]), length)
    return np.split(where, np.searchsorted(whose, np.arange(1, count)))


def _excursions(
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    owner: NDArray[np.int64],
    at: NDArray[np.int64],
    fs: float,
) -> NDArray[np.float64]:
    """(beats, 2 reach + 1): weighted sum over leads of squared distances from the line through both ends."""
    reach, edge = max(1, round(REACH * fs)), max(2, round(EDGE * fs))
    around = windows(values, owner, at, -edge, edge + 1)
    inner = _without_line(around)[:, :, edge - reach : edge + reach + 1]
    out: NDArray[np.float64] = np.einsum("blt,blt,bl->bt", inner, inner, weights[owner])
    return out


def _without_line(around: NDArray[np.float64]) -> NDArray[np.float64]:
    """(beats, L, w) without the line through the means of both ends: the baseline, be it sloping."""
    few = max(1, around.shape[2] // 10)
    begin, end = around[:, :, :few].mean(axis=2), around[:, :, -few:].mean(axis=2)
    share = np.linspace(0.0, 1.0, around.shape[2])
    out: NDArray[np.float64] = around - begin[:, :, None] - (end - begin)[:, :, None] * share
    return out


def _agreed(sizes: NDArray[np.float64], owner: NDArray[np.int64], count: int, fs: float) -> NDArray[np.int64]:
    """Offset of each beat's peak: the largest excursion near where the recording's beats together have theirs."""
    reach = sizes.shape[1] // 2
    shares = sizes / np.maximum(sizes.max(axis=1, keepdims=True), 1e-300)
    total = sums(shares, owner, count)
    middle = total.argmax(axis=1)[owner]
    far = np.abs(np.arange(sizes.shape[1])[None, :] - middle[:, None]) > max(1, round(AGREED * fs))
    out: NDArray[np.int64] = np.where(far, -1.0, sizes).argmax(axis=1) - reach
    return out


def _lags(
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    owner: NDArray[np.int64],
    peaks: NDArray[np.int64],
    count: int,
    fs: float,
) -> NDArray[np.int64]:
    """By how many samples to move each peak so that its beat lies best on the mean beat of its recording; 0 where it
    does not look like that."""
    near, most = max(2, round(REACH * fs)), max(1, round(AGREED * fs))
    around = _without_line(windows(values, owner, peaks, -near - most, near + most + 1))
    around *= np.sqrt(weights)[owner][:, :, None]
    around /= np.maximum(np.sqrt((around**2).sum(axis=(1, 2), keepdims=True)), 1e-300)
    total = sums(around, owner, count)
    mean = total[:, :, most:-most]
    mean = (mean / np.maximum(np.sqrt((mean**2).sum(axis=(1, 2), keepdims=True)), 1e-300))[owner]
    width = mean.shape[2]
    shifted = np.lib.stride_tricks.sliding_window_view(around, width, axis=2)
    match = np.einsum("blsw,blw->bs", shifted, mean)
    best = match.argmax(axis=1)
    return np.where(match.max(axis=1) > SAME, best - most, 0)


def _are_beats(
    slow: Slow, owner: NDArray[np.int64], peaks: NDArray[np.int64], count: int, rate: float
) -> NDArray[np.bool_]:
    """(count,): whether the peaks stand out of the background and look like each other."""
    contrast, alike = likeness(slow, owner, peaks, count, rate)
    alive = (slow.weights > 0.0).sum(axis=1)
    beats = np.zeros(count, bool)
    for most, rules in reversed(RULES):
        enough = np.any([(contrast > high) & (alike >= similar) for high, similar in rules], axis=0)
        beats = np.where(alive <= most, enough, beats)
    return beats


def likeness(
    slow: Slow, owner: NDArray[np.int64], peaks: NDArray[np.int64], count: int, rate: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By recording: how many times as high as the background its beats are (medians), and the median correlation of a
    beat with the mean of the others (-1 of a single beat)."""
    near = max(2, round(ALIKE * rate))
    shapes = windows(slow.passed, owner, peaks // slow.step, -near, near + 1) * np.sqrt(slow.weights)[owner][:, :, None]
    shapes = shapes.reshape(len(shapes), -1)
    shapes /= np.maximum(np.linalg.norm(shapes, axis=1, keepdims=True), 1e-300)
    total = sums(shapes, owner, count)
    others = total[owner] - shapes
    alike = (shapes * others).sum(axis=1) / np.maximum(np.linalg.norm(others, axis=1), 1e-300)
    background = np.quantile(slow.envelope, 0.4, axis=1)
    height = slow.envelope[owner, np.clip(peaks // slow.step, 0, slow.envelope.shape[1] - 1)]
    some = np.bincount(owner, minlength=count)
    contrast = np.where(some > 0, medians(height, owner, count) / np.maximum(background, 1e-300), 0.0)
    return contrast, np.where(some > 1, medians(alike, owner, count), -1.0)
