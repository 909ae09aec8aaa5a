"""The shape of a lead's beats as a vector that does not depend on when the recording begins, and hardly on its rate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.beats.median import median_beats
from truegrade.ecg.beats.peaks import BLOCK, peaks_of
from truegrade.recordings import Recordings

BEFORE, AFTER, STEP = 0.25, 0.45, 0.01
POINTS = 70


def morphology(recordings: Recordings, lead: str) -> NDArray[np.float64]:
    """(N, 70) float64: the median beat of a lead from 250 ms before to 440 ms after the R peak, every 10 ms, in mV (in
    the units given where not known), 0 in the PR segment.

    Peaks are of all leads together, found once for all leads. A recording without a whole beat is a row of NaN; a
    lead without a signal is a row of 0.

    Raises InputError without a sampling rate, ValueError for a lead there is not. Source: this package.
    """
    peaks, at = peaks_of(recordings), recordings.leads.index(lead)
    assert recordings.fs is not None  # peaks_of has refused
    out = np.empty((len(recordings), POINTS))
    for start in range(0, len(recordings), BLOCK):
        stop = min(start + BLOCK, len(recordings))
        values = np.asarray(recordings.values[start:stop, at, :], dtype=np.float64) * recordings.scale
        out[start:stop] = median_beats(values, peaks[start:stop], recordings.fs, -BEFORE, AFTER, STEP)
    return out
