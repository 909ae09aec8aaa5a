"""The median beat of a lead: all beats of a recording laid on their R peaks, each on its own baseline."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.beats.peaks import Peaks

PR_SEGMENT = (-0.10, -0.06)  # s from the R peak: after most P waves, before most QRS complexes


def median_beats(
    values: NDArray[np.float64], peaks: Peaks, fs: float, low: float, high: float, grid: float | None = None
) -> NDArray[np.float64]:
    """(N, d): the median over beats of (N, T) one lead at each time from `low` to before `high` seconds around R.

    A beat counts where all of that is inside the recording; its mean in the PR segment is its zero. Without `grid` the
    times are the samples, with it they are `grid` seconds apart: hat-shaped means of the samples within half of that
    (at least: linear interpolation). A recording without such a beat is NaN, a lead with a NaN or an infinity 0.
    """
    n, length = values.shape
    margin = 0.0 if grid is None else max(0.5 * grid, 1.0 / fs)
    first, last = math.floor((low - margin) * fs), math.ceil((high + margin) * fs)
    owner = np.repeat(np.arange(n), [len(one) for one in peaks])
    at = np.concatenate(peaks) if n else np.empty(0, np.int64)
    inside = (at + first >= 0) & (at + last <= length)
    owner, at = owner[inside], at[inside]
    finite = np.isfinite(values.sum(axis=1))
    around = values[owner[:, None], at[:, None] + np.arange(first, last)[None, :]]
    around[~finite[owner]] = 0.0
    begin, end = (round(at * fs) - first for at in PR_SEGMENT)
    around -= around[:, begin : max(end, begin + 1)].mean(axis=1, keepdims=True)
    beats = around if grid is None else around @ _hats(first, last, fs, low, high, grid)
    return _medians(beats, owner, n)


def _hats(first: int, last: int, fs: float, low: float, high: float, grid: float) -> NDArray[np.float64]:
    """(samples, times): weights of the samples in each time, which sum to 1."""
    times = low + grid * np.arange(round((high - low) / grid))
    reach = max(0.5 * grid, 1.0 / fs)
    hats = np.maximum(0.0, 1.0 - np.abs(np.arange(first, last)[:, None] / fs - times[None, :]) / reach)
    out: NDArray[np.float64] = hats / hats.sum(axis=0, keepdims=True)
    return out


def _medians(beats: NDArray[np.float64], owner: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """(n, d): medians over the rows of each owner (ascending); NaN where it has none."""
    counts = np.bincount(owner, minlength=n)
    most = int(counts.max()) if len(owner) else 0
    if most == 0:
        return np.full((n, beats.shape[1]), np.nan)
    place = np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]
    padded = np.full((n, most, beats.shape[1]), np.inf)
    padded[owner, place] = beats
    padded.sort(axis=1)
    rows = np.arange(n)
    middle = 0.5 * (padded[rows, np.maximum(counts - 1, 0) // 2] + padded[rows, np.minimum(counts // 2, most - 1)])
    return np.where(counts[:, None] > 0, middle, np.nan)
