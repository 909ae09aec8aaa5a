"""What gives recordings away without looking at the heart: the step of the values, the laws of derived leads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.recordings import Recordings
from truegrade.recordings.leads import DERIVED
from truegrade.uncertainty import areas

ROWS, SAMPLES = 64, 5000  # of leads, and of each, that decide about the step
SINGLE = 2.0**-23  # relative precision of float32, in which values may have been stored


def quantum(values: NDArray[Any]) -> float | None:
    """The step in mV of which all differences along the last axis of (..., T) are multiples, None for none.

    1 uV gives 0.001. Constant offsets do not hide it, nor does storage as float32; at most 64 of the leads are read,
    and a step below 160 times the rounding error of float32 is not told from none.
    """
    steps, error = _steps(values)
    if len(steps) < 50 or steps[0] < 20.0 * error:
        return None
    least = float(np.median(steps[steps < 1.5 * steps[0]]))
    thin = steps[:: max(1, len(steps) // 4000)]
    for part in range(1, 11):  # counts of 4.88 uV that were rounded to 1 uV change by 5 and more
        if least / part < 20.0 * error:
            return None
        if _fitting(_refined(least / part, thin), thin, error) >= 0.99:
            step = _refined(least / part, steps)
            many = len(np.unique(np.rint(steps / step))) >= 8  # two levels are no grid
            return step if many and _fitting(step, steps, error) >= 0.999 else None
    return None


def off_grid(values: NDArray[Any], step: float) -> NDArray[np.float64]:
    """(N,) how far the differences along time of values (N, ..., T) are from multiples of `step`, as a part of it: 0 on
    the grid, .25 without one. NaN for a recording with a NaN."""
    flat = np.asarray(values, dtype=np.float64).reshape(len(values), -1, values.shape[-1])
    counts = np.diff(flat, axis=-1) / step
    counts -= np.rint(counts)
    out: NDArray[np.float64] = np.abs(counts).mean(axis=(1, 2))
    return out


def derived_residual(recordings: Recordings) -> NDArray[np.float64]:
    """(N,) root mean square in mV of what III, aVR, aVL and aVF are beyond their sums of I and II.

    Over those of the four that there are. NaN where a lead of the laws is missing in a recording, and everywhere
    without I, II and one of the four.
    """
    laws = laws_of(recordings.leads)
    out = np.full(len(recordings), np.nan)
    if not laws:
        return out
    for start, values in recordings.blocks(16):
        total = np.zeros(len(values))
        for weights in laws.values():
            rest = np.einsum("l,nlt->nt", weights, values)
            total += np.square(rest).mean(axis=1)
        out[start : start + len(values)] = np.sqrt(total / len(laws))
    used = np.any([weights != 0 for weights in laws.values()], axis=0)
    out[recordings.missing[:, used].any(axis=1)] = np.nan
    return out


def laws_of(leads: tuple[str, ...]) -> dict[str, NDArray[np.float64]]:
    """By derived lead that is there, with I and II: weights (L,) whose sum with the leads is its residual."""
    found = {}
    for lead, parts in DERIVED.items():
        if lead in leads and all(one in leads for one in parts):
            weights = np.zeros(len(leads))
            weights[leads.index(lead)] = 1.0
            for one, factor in parts.items():
                weights[leads.index(one)] = -factor
            found[lead] = weights
    return found


def auc(real: NDArray[np.floating], synthetic: NDArray[np.floating]) -> float:
    """How well one number per recording tells the sides apart: .5 not at all, 1 perfectly, in whichever direction.

    Area under the ROC curve, ties count half; NaN is left out, and without a number on both sides it is .5.
    """
    a, b = (np.asarray(side, dtype=np.float64) for side in (real, synthetic))
    a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    if not len(a) or not len(b):
        return 0.5
    area = areas.auc(a, b)
    return max(area, 1.0 - area)


def _refined(step: float, steps: NDArray[np.float64]) -> float:
    """The step that fits best near a first guess: the more steps a change has, the better it has to be known."""
    for most in (10.0, 1000.0, np.inf):
        part = steps[steps < most * step]
        counts = np.rint(part / step)
        weight = float(counts @ counts)
        step = float(part @ counts) / weight if weight else step
    return step


def _fitting(step: float, steps: NDArray[np.float64], error: float) -> float:
    """Share of the changes that are multiples of a step."""
    counts = steps / step
    return float((np.abs(counts - np.rint(counts)) < 0.02 + error / step).mean())


def _steps(values: NDArray[Any]) -> tuple[NDArray[np.float64], float]:
    """Sizes of the changes from sample to sample, ascending, and the rounding error that they may have."""
    array = np.asarray(values)
    flat = array.reshape(-1, array.shape[-1])
    rows = np.unique(np.linspace(0, len(flat) - 1, min(len(flat), ROWS)).astype(int))
    some = np.asarray(flat[rows, :SAMPLES], dtype=np.float64)
    some = some[np.isfinite(some).all(axis=1)]
    if not some.size:
        return np.empty(0), 0.0
    error = 8.0 * SINGLE * float(np.abs(some).max())
    steps = np.abs(np.diff(some, axis=1)).ravel()
    return np.sort(steps[steps > error]), error
