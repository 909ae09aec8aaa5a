"""Which maxima of the energy of slopes are beats: heights, distances, overdue beats; no P or T waves.

Recordings are laid end to end, apart by more than any of the distances, so that all are gone through at once.
"""

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
_APART = 0.5  # s on either side of the wall between two recordings

Index = NDArray[np.int64]
Floats = NDArray[np.float64]


def pick(envelopes: Floats, usual: Floats, rate: float) -> tuple[Index, Index]:
    """The beats in envelopes (b, T') of the usual heights (b,), before it is known if they are any: whose they are,
    ascending, and their samples."""
    line, length = _laid_end_to_end(envelopes, rate), envelopes.shape[1]
    stride = len(line) // len(envelopes)
    found: Index = np.asarray(find_peaks(line, distance=max(1, round(REFRACTORY * rate)))[0], dtype=np.int64)
    candidates = found[found % stride < length]
    owner = candidates // stride
    heights = line[candidates] / np.maximum(usual, 1e-300)[owner]
    high, weak = heights > STRONG, (heights > WEAK) & (heights <= STRONG)
    strong = _without_t_waves(candidates[high], line, rate)
    some = np.bincount(owner[high], minlength=len(envelopes)) > 0
    far = _far(candidates[weak & some[owner]], strong, rate)
    taken = np.sort(np.concatenate([strong, far]))
    taken = _with_overdue(taken, candidates[heights > LEAST], line, rate, stride)
    taken = np.sort(np.concatenate([taken, candidates[weak & ~some[owner]]]))
    return taken // stride, taken % stride


def _laid_end_to_end(envelopes: Floats, rate: float) -> Floats:
    """Behind each recording a wall whose top is a maximum of its own, too far to be of account for any other."""
    apart = max(2, round(_APART * rate))
    wall = np.full((len(envelopes), 2 * apart + 1), 2.0 * float(envelopes.max(initial=1.0)))
    wall[:, apart] *= 2.0
    return np.concatenate([envelopes, wall], axis=1).reshape(-1)


def usual_heights(envelopes: Floats, rate: float) -> Floats:
    """(b,) of (b, T'): the medians over windows of 2 s of their maxima; one artefact does not move them."""
    size, length = round(WINDOW * rate), envelopes.shape[1]
    starts = range(0, max(1, length - size + 1), max(1, size // 4))
    out: Floats = np.median([envelopes[:, at : at + size].max(axis=1) for at in starts], axis=0)
    return out


def medians(values: NDArray[np.number], owner: Index, count: int) -> Floats:
    """(count,) medians of the values of each owner; NaN where it has none."""
    order = np.lexsort((values, owner))
    some = np.bincount(owner, minlength=count)
    first = np.cumsum(some) - some
    ranked = np.append(values[order], np.nan)
    low, high = first + np.maximum(some - 1, 0) // 2, first + some // 2
    return np.where(some > 0, 0.5 * (ranked[low] + ranked[np.minimum(high, len(values))]), np.nan)


def sums(values: Floats, owner: Index, count: int) -> Floats:
    """(count, ...) sums of the rows of values of each owner, these ascending."""
    out = np.zeros((count, *values.shape[1:]))
    whose, first = np.unique(owner, return_index=True)
    out[whose] = np.add.reduceat(values, first, axis=0)
    return out


def _without_t_waves(strong: Index, line: Floats, rate: float) -> Index:
    """Without maxima that follow a clearly higher one too soon."""
    if len(strong) < 2:
        return strong
    soon = np.diff(strong) < SOON * rate
    lower = line[strong[1:]] < LOWER * line[strong[:-1]]
    out: Index = strong[np.concatenate([[True], ~(soon & lower)])]
    return out


def _far(weak: Index, strong: Index, rate: float) -> Index:
    """The weak maxima that are no P or T wave of a strong one."""
    if not len(strong):
        return weak
    after = np.searchsorted(strong, weak)
    far = AWAY * rate
    before = np.where(after > 0, weak - strong[np.maximum(after - 1, 0)], far)
    behind = np.where(after < len(strong), strong[np.minimum(after, len(strong) - 1)] - weak, far)
    out: Index = weak[(before >= far) & (behind >= far)]
    return out


def _with_overdue(taken: Index, candidates: Index, line: Floats, rate: float, stride: int) -> Index:
    """With the highest of the candidates in each gap of more than 1.66 usual intervals of a recording of 3 beats or
    more."""
    if len(taken) < 3:
        return taken
    owner, gaps = taken // stride, np.diff(taken)
    within = owner[1:] == owner[:-1]
    count = int(owner[-1]) + 1
    usual = medians(gaps[within], owner[1:][within], count)
    many = np.bincount(owner, minlength=count) >= 3
    added: list[int] = []
    for at in np.flatnonzero(within & many[owner[1:]] & (gaps > OVERDUE * usual[owner[1:]])):
        away = min(AWAY * rate, 0.4 * float(gaps[at]))
        low, high = np.searchsorted(candidates, [taken[at] + away, taken[at + 1] - away])
        high += int(high < len(candidates) and candidates[high] <= taken[at + 1] - away)
        inside = candidates[low:high]
        if len(inside):
            added.append(int(inside[np.argmax(line[inside])]))
    return np.sort(np.concatenate([taken, np.asarray(added, dtype=np.int64)]))
