"""Which maxima of the energy of slopes are beats: heights, distances, overdue beats; no P or T waves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.signal import find_peaks

REFRACTORY = 0.22  # s
WINDOW = 2.0  # s in which a beat is expected
STRONG, WEAK, LEAST = 0.6, 0.33, 0.17  # parts of the usual height: of a beat, of one far from others, of one overdue
AWAY = 0.40  # s from a strong maximum within which a weak one is its P or T wave
SOON, LOWER = 0.38, 0.8  # s after a strong maximum, part of its height: a tall T wave
OVERDUE = 1.66  # usual intervals


def pick(envelope: NDArray[np.float64], usual: float, rate: float) -> NDArray[np.int64]:
    """Samples of the beats in one recording's envelope (T') of the usual height, before it is known if they are any."""
    found = find_peaks(envelope, distance=max(1, round(REFRACTORY * rate)))[0]
    candidates: NDArray[np.int64] = np.asarray(found, dtype=np.int64)
    if not len(candidates):
        return candidates
    heights = envelope[candidates] / max(usual, 1e-300)
    strong = _without_t_waves(candidates[heights > STRONG], envelope, rate)
    if not len(strong):
        weak: NDArray[np.int64] = candidates[heights > WEAK]
        return weak
    taken = np.sort(np.concatenate([strong, _far(candidates[(heights > WEAK) & (heights <= STRONG)], strong, rate)]))
    return _with_overdue(taken, candidates[heights > LEAST], envelope, rate)


def usual_heights(envelopes: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """(b,) of (b, T'): the medians over windows of 2 s of their maxima; one artefact does not move them."""
    size, length = round(WINDOW * rate), envelopes.shape[1]
    starts = range(0, max(1, length - size + 1), max(1, size // 4))
    out: NDArray[np.float64] = np.median([envelopes[:, at : at + size].max(axis=1) for at in starts], axis=0)
    return out


def _without_t_waves(strong: NDArray[np.int64], envelope: NDArray[np.float64], rate: float) -> NDArray[np.int64]:
    """Without maxima that follow a clearly higher one too soon."""
    if len(strong) < 2:
        return strong
    soon = np.diff(strong) < SOON * rate
    lower = envelope[strong[1:]] < LOWER * envelope[strong[:-1]]
    out: NDArray[np.int64] = strong[np.concatenate([[True], ~(soon & lower)])]
    return out


def _far(weak: NDArray[np.int64], strong: NDArray[np.int64], rate: float) -> NDArray[np.int64]:
    """The weak maxima that are no P or T wave of a strong one."""
    after = np.searchsorted(strong, weak)
    far = AWAY * rate
    before = np.where(after > 0, weak - strong[np.maximum(after - 1, 0)], far)
    behind = np.where(after < len(strong), strong[np.minimum(after, len(strong) - 1)] - weak, far)
    out: NDArray[np.int64] = weak[(before >= far) & (behind >= far)]
    return out


def _with_overdue(
    taken: NDArray[np.int64], candidates: NDArray[np.int64], envelope: NDArray[np.float64], rate: float
) -> NDArray[np.int64]:
    """With the highest of the candidates in each gap of more than 1.66 usual intervals."""
    if len(taken) < 3:
        return taken
    gaps = np.diff(taken)
    added: list[int] = []
    for at in np.flatnonzero(gaps > OVERDUE * float(np.median(gaps))):
        away = min(AWAY * rate, 0.4 * float(gaps[at]))
        inside = candidates[(candidates >= taken[at] + away) & (candidates <= taken[at + 1] - away)]
        if len(inside):
            added.append(int(inside[np.argmax(envelope[inside])]))
    return np.sort(np.concatenate([taken, np.asarray(added, dtype=np.int64)]))
