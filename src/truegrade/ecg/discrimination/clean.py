"""Recordings without what gives them away trivially: the same done on both sides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.discrimination.signs import Plan
from truegrade.recordings import Recordings
from truegrade.recordings.checking import rechecked

_BLOCK = 64
_SOFT = 0.8  # of the highest frequency: from here on amplitudes fall to nothing


def cleaned(recordings: Recordings, plan: Plan) -> Recordings:
    """Without padding, derived leads, means and frequencies above the plan's, then rounded; float32 in millivolts.
    Leads that have no signal stay without one."""
    at = [number for number, lead in enumerate(recordings.leads) if lead not in plan.derived]
    first, last = plan.cut[0], recordings.length - plan.cut[1]
    out = np.empty((len(recordings), len(at), last - first), np.float32)
    for start, block in recordings.blocks(_BLOCK):
        values = block[:, at, first:last]
        broken = recordings.broken[start : start + len(block)][:, at]
        values[broken] = 0.0
        values = values - values.mean(axis=2, keepdims=True)
        if plan.highest is not None:
            values = _low_passed(values, plan.highest / (recordings.fs or 1.0))
        if plan.step is not None:
            values = np.rint(values / plan.step) * plan.step
            values -= values.mean(axis=2, keepdims=True)  # of values on a grid the mean is not on it
        values[broken] = np.nan
        out[start : start + len(block)] = values
    leads = tuple(recordings.leads[one] for one in at)
    made = rechecked(replace(recordings, values=out, scale=1.0, leads=leads))
    return replace(made, missing=made.missing | recordings.missing[:, at])


def _low_passed(values: NDArray[np.float64], highest: float) -> NDArray[np.float64]:
    """highest: in cycles per sample. The line between the ends is set aside meanwhile: it has no frequency."""
    line = np.linspace(0.0, 1.0, values.shape[2])
    slope = values[:, :, :1] + (values[:, :, -1:] - values[:, :, :1]) * line
    frequency = np.fft.rfftfreq(values.shape[2])
    fall = np.clip((highest - frequency) / ((1.0 - _SOFT) * highest), 0.0, 1.0)
    passed = np.fft.irfft(
        np.fft.rfft(values - slope, axis=2) * np.sin(0.5 * np.pi * fall) ** 2, n=values.shape[2], axis=2
    )
    return np.asarray(passed + slope)
