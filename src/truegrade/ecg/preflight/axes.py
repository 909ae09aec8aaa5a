"""Which axis is time: along it neighbours are alike."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.preflight.codes import finding, option
from truegrade.ecg.preflight.facts import ALONE
from truegrade.ecg.tells import laws_of
from truegrade.recordings import LEADS_12, Recordings
from truegrade.recordings.axes import MOST_LEADS, turned
from truegrade.result.ecg import Finding, Side

SHORTEST = 8  # an axis of fewer values cannot be judged
ALIKE, MARGIN = 0.5, 0.25  # correlation of neighbours along time, and how much more it is than along the last axis
LIKELY_LEADS = (12, 8, 3, 2, 6, 15, 1)


def check_axes(recordings: Recordings, side: Side, words: str) -> Iterator[Finding]:
    """Findings of wrong axes; at most one."""
    shape = recordings.values.shape
    smooth = [_alike(recordings.values, axis) for axis in range(3)]
    time = int(np.argmax(smooth))
    if time != 2 and smooth[time] >= ALIKE and smooth[time] - max(smooth[2], 0.0) >= MARGIN:
        last = f"{smooth[2]:.2f}" if shape[2] >= SHORTEST else "too few to tell"
        why = f"neighbours along axis {time} are alike (correlation {smooth[time]:.2f}), along the last not ({last})"
        yield _swapped(shape, time, _lead_axis(shape, time), why, side, words)
    elif not recordings.leads_named and _laws_along_first(recordings):
        yield _swapped(shape, 2, 0, "the limb leads follow each other along axis 0", side, words)
    elif shape[1] > MOST_LEADS:
        yield finding(
            "leads-too-many",
            side,
            f"The {words} have the shape {shape}, so {shape[1]:,} leads; an ECG has at most {MOST_LEADS}.",
            "Of recordings of one lead give x.reshape(-1, 1, x.shape[-1]), or a 2-D array and "
            f"{option('axes', 'NT', _said(side, words))}.",
        )


def _swapped(shape: tuple[int, ...], time: int, lead: int, why: str, side: Side, words: str) -> Finding:
    first = 3 - time - lead
    letters = "".join({first: "N", lead: "L", time: "T"}[axis] for axis in range(3))
    right = tuple(shape[axis] for axis in (first, lead, time))
    return finding(
        "axes-swapped",
        side,
        f"The {words} have the shape {shape}, but axis {time} is time: {why}. (recordings, leads, samples) is "
        f"accepted, which would be {right}.",
        f"Give {turned(letters)}, or {option('axes', letters, _said(side, words))}.",
    )


def _said(side: Side, words: str) -> Side:
    return "both" if words == ALONE else side


def _lead_axis(shape: tuple[int, ...], time: int) -> int:
    """Of the two other axes the likelier one for leads."""
    rest = [axis for axis in (2, 1, 0) if axis != time]
    for count in LIKELY_LEADS:
        for axis in rest:
            if shape[axis] == count:
                return axis
    return min(rest, key=lambda axis: shape[axis])


def _alike(values: NDArray[np.generic], axis: int) -> float:
    """Median correlation of neighbours along an axis, -1 where it is too short or nothing changes along it."""
    if values.shape[axis] < SHORTEST:
        return -1.0
    most = [48, 48, 48]
    most[axis] = 1024
    part = np.asarray(values[: most[0], : most[1], : most[2]], dtype=np.float64)
    series = np.moveaxis(part, axis, -1).reshape(-1, part.shape[axis])
    series = series[np.isfinite(series).all(axis=1)]
    series = series - series.mean(axis=1, keepdims=True)
    power = np.square(series).sum(axis=1)
    series, power = series[power > 0], power[power > 0]
    return float(np.median((series[:, 1:] * series[:, :-1]).sum(axis=1) / power)) if len(series) else -1.0


def _laws_along_first(recordings: Recordings) -> bool:
    """Whether axis 0 holds twelve leads in the usual order and axis 1 does not."""
    if recordings.values.shape[0] != len(LEADS_12) or recordings.values.shape[1] < 2:
        return False
    part = np.asarray(recordings.values[:, :48, :2048], dtype=np.float64)
    along = [_law_error(part)]
    if part.shape[1] == len(LEADS_12):
        along.append(_law_error(np.swapaxes(part, 0, 1)))
    return along[0] < 0.05 and (len(along) == 1 or along[1] > 0.3)


def _law_error(leads_first: NDArray[np.float64]) -> float:
    """Residual of the laws with the leads on axis 0, as a part of the leads."""
    values = leads_first - leads_first.mean(axis=2, keepdims=True)
    rest = np.stack([np.tensordot(weights, values, axes=1) for weights in laws_of(LEADS_12).values()])
    size = np.square(values[2:6]).mean()
    return float(np.sqrt(np.square(rest).mean() / size)) if size > 0 and np.isfinite(size) else np.inf
