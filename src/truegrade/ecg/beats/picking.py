"""Which maxima of the energy of slopes are beats: heights, distances, overdue beats, T waves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.signal import find_peaks

REFRACTORY = 0.22  # s
WINDOW = 2.0  # s in which a beat is expected
PART = 0.33  # of the usual height makes a beat
T_WAVE = 0.36  # s after a beat in which a much smaller maximum is its T wave


def pick(envelope: NDArray[np.float64], rate: float) -> NDArray[np.int64]:
    """Samples of the beats in one recording's envelope (T'), before it is known whether they are any."""
    candidates = find_peaks(envelope, distance=max(1, round(REFRACTORY * rate)))[0]
    if not len(candidates):
        return np.empty(0, np.int64)
    heights = envelope[candidates]
    usual = usual_height(envelope, rate)
    taken = candidates[heights > PART * usual]
    taken = _without_t_waves(taken, envelope, rate)
    return _overdue(taken, candidates, envelope, PART * usual / 2.0, rate)


def usual_height(envelope: NDArray[np.float64], rate: float) -> float:
    """The median over windows of 2 s of their maxima: one artefact does not move it."""
    size = round(WINDOW * rate)
    starts = range(0, max(1, len(envelope) - size + 1), max(1, size // 4))
    return float(np.median([envelope[start : start + size].max() for start in starts]))


def _without_t_waves(taken: NDArray[np.int64], envelope: NDArray[np.float64], rate: float) -> NDArray[np.int64]:
    """Without maxima that follow a beat soon and are less than half as high."""
    kept: list[int] = []
    for at in taken:
        if kept and at - kept[-1] < T_WAVE * rate and envelope[at] < 0.5 * envelope[kept[-1]]:
            continue
        kept.append(int(at))
    return np.asarray(kept, dtype=np.int64)


def _overdue(
    taken: NDArray[np.int64],
    candidates: NDArray[np.int64],
    envelope: NDArray[np.float64],
    least: float,
    rate: float,
) -> NDArray[np.int64]:
    """With the highest smaller maximum in each gap of more than 1.66 usual intervals."""
    if len(taken) < 3:
        return taken
    gaps = np.diff(taken)
    far = 1.66 * float(np.median(gaps))
    added: list[int] = []
    for at in np.flatnonzero(gaps > far):
        inside = candidates[(candidates > taken[at] + T_WAVE * rate) & (candidates < taken[at + 1] - T_WAVE * rate)]
        if len(inside):
            best = inside[np.argmax(envelope[inside])]
            if envelope[best] > least:
                added.append(int(best))
    return np.sort(np.concatenate([taken, np.asarray(added, dtype=np.int64)])) if added else taken
