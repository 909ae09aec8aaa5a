"""What the checks look at: numbers of every lead of every recording in one pass, and a sample of recordings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.preflight.limbs import Order, moments, recognise
from truegrade.ecg.preflight.pace import Pace, pace_of
from truegrade.recordings import Recordings
from truegrade.result.ecg import Side

SAMPLED = 64  # recordings that decide where a sample does
SAMPLED_LENGTH = 10_000  # samples of each
BLOCK_VALUES = 1_000_000  # held as float64 at once
ALONE = "recordings"  # what the only side is called
TAIL = 0.005  # part of a recording over which its end may stand still
RUN = 4  # equal samples at the extreme that count as cut off
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Facts:
    """One side. All per-lead numbers are (N, L), in mV, NaN where the lead is missing.

    side, words: whose they are, "real recordings". low, high: extremes. swing: median peak-to-peak over windows of two
    seconds (a fifth of a recording without a sampling rate), a robust height of the QRS complex. up: as much of it as
    lies above the median, 0 to 1. mean, sd. clipped: runs of equal values at an extreme that is no baseline. tail: (N,)
    samples at the end over which no lead changes, where that is longer than usual. rows, sample: some
    recordings, (s, L, T') float64.
    """

    recordings: Recordings
    side: Side
    words: str
    low: Array
    high: Array
    swing: Array
    up: Array
    mean: Array
    sd: Array
    clipped: NDArray[np.bool_]
    tail: NDArray[np.int64]
    rows: NDArray[np.intp]

    @cached_property
    def sample(self) -> Array:
        """The recordings `rows`, at most their first 10,000 samples, a missing lead is NaN."""
        r = self.recordings
        values: Array = np.asarray(r.values[self.rows, :, :SAMPLED_LENGTH], dtype=np.float64) * r.scale
        values[r.missing[self.rows]] = np.nan
        return values

    @property
    def said(self) -> Side:
        """The side that an option has to name: none where there is only one."""
        return "both" if self.words == ALONE else self.side

    @cached_property
    def between(self) -> Array:
        """(L, L) covariance of the leads, see `moments`."""
        return moments(self.sample)

    @cached_property
    def order(self) -> Order | None:
        """What the channels are by the laws, see `recognise`."""
        return recognise(self.between)

    @cached_property
    def pace(self) -> Pace | None:
        """Beat period and R wave width, see `pace_of`."""
        return pace_of(self.sample)

    @cached_property
    def powers(self) -> tuple[Array, Array]:
        """Frequencies (F,) and Welch's spectrum of the sample (s, L, F), by half a Hz; needs the sampling rate."""
        from scipy.signal import welch

        fs = self.recordings.fs or 1.0
        wide = min(self.sample.shape[-1], max(16, round(2 * fs)))
        at, power = welch(self.sample, fs, nperseg=wide, axis=-1)
        return at, power

    @property
    def leads(self) -> tuple[str, ...]:
        return self.recordings.leads

    def __len__(self) -> int:
        return len(self.recordings)

    def names(self, rows: NDArray[np.integer] | list[int]) -> list[str]:
        """What to call recordings."""
        return [self.recordings.record_name(int(row)) for row in rows]


def look(recordings: Recordings, side: Side, words: str) -> Facts:
    """One pass over all values, some recordings at a time."""
    n, leads, length = recordings.values.shape
    wide = min(length, max(2, round(2 * recordings.fs) if recordings.fs else length // 5))
    numbers = np.empty((6, n, leads))
    clipped, tail = np.zeros((n, leads), bool), np.zeros(n, np.int64)
    for start, values in recordings.blocks(max(1, BLOCK_VALUES // (leads * length))):
        part = slice(start, start + len(values))
        gone = recordings.missing[part]
        values[gone] = 0.0
        numbers[:, part] = _numbers(values, wide)
        clipped[part] = _clipped(values, numbers[0, part], numbers[1, part]) & ~gone
        tail[part] = _tail(values, gone)
    numbers[:, recordings.missing] = np.nan
    rows = np.unique(np.linspace(0, n - 1, min(n, SAMPLED)).astype(np.intp))
    low, high, swing, up, mean, sd = numbers
    return Facts(recordings, side, words, low, high, swing, up, mean, sd, clipped, tail, rows)


def _numbers(values: Array, wide: int) -> Array:
    """low, high, swing, up, mean, sd of (b, L, T): (6, b, L)."""
    count = values.shape[2] // wide
    windows = values[:, :, : count * wide].reshape(*values.shape[:2], count, wide)
    tops, bottoms = windows.max(axis=3), windows.min(axis=3)
    swing = np.median(tops - bottoms, axis=2)
    middle = np.median(values[:, :, :: max(1, values.shape[2] // 500)], axis=2)
    above = np.median(tops, axis=2) - middle
    up = np.divide(above, swing, out=np.full_like(swing, np.nan), where=swing > 0)
    mean = values.mean(axis=2)
    sd = np.sqrt(np.maximum(np.einsum("nlt,nlt->nl", values, values) / values.shape[2] - mean**2, 0.0))
    rest = values[:, :, count * wide :]
    low, high = bottoms.min(axis=2), tops.max(axis=2)
    if rest.shape[2]:
        low, high = np.minimum(low, rest.min(axis=2)), np.maximum(high, rest.max(axis=2))
    return np.stack([low, high, swing, np.clip(up, 0.0, 1.0), mean, sd])


def _clipped(values: Array, low: Array, high: Array) -> NDArray[np.bool_]:
    """(b, L): at least two runs, or one long one, of equal values at an extreme far from the mean."""
    out = np.zeros(low.shape, bool)
    middle = values.mean(axis=2)
    for extreme in (low, high):
        at = values == extreme[:, :, None]
        far = np.abs(extreme - middle) > 0.25 * (high - low)
        for row, lead in np.argwhere(far & (at.sum(axis=2) >= 2 * RUN)):
            edges = np.flatnonzero(np.diff(np.concatenate([[False], at[row, lead], [False]]).astype(np.int8)))
            within = (edges[::2] > 0) & (edges[1::2] < values.shape[2])  # a constant at an end is a matter of its own
            lengths = (edges[1::2] - edges[::2])[within]
            out[row, lead] |= (lengths >= RUN).sum() >= 2 or (lengths >= 4 * RUN).any()
    return out


def _tail(values: Array, gone: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(b,) samples at the end over which every lead that is there keeps one value, 0 for few, or where all stand still
    for half as long within the recording too."""
    out = np.zeros(len(values), np.int64)
    least = max(5, int(TAIL * values.shape[2]))
    short = values[:, :, -least:]
    still = ((short == short[:, :, -1:]).all(axis=2) | gone).all(axis=1) & ~gone.all(axis=1)
    for row in np.flatnonzero(still):
        moves = np.flatnonzero((np.diff(values[row, ~gone[row]], axis=1) != 0).any(axis=0))
        length = values.shape[2] - 1 - (int(moves[-1]) if len(moves) else 0)
        out[row] = length if len(moves) < 2 or np.diff(moves).max() < length / 2 else 0
    return out
