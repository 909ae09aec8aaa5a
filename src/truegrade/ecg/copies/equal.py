"""Recordings that are equal to one of another set, value by value."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from truegrade.recordings import Recordings


def prints(recordings: Recordings, leads: tuple[str, ...]) -> NDArray[np.bytes_]:
    """A hash of each recording over the given leads, in millivolts to single precision; leads without a signal are
    left out of it. Empty where no lead has one."""
    at = [recordings.leads.index(lead) for lead in leads]
    out = np.empty(len(recordings), "S32")
    for row in range(len(recordings)):
        has = ~recordings.missing[row, at]
        values = np.asarray(recordings.values[row][at][has], np.float64) * recordings.scale
        rounded = np.ascontiguousarray(values.astype(np.float32) + np.float32(0.0))  # -0 is 0
        digest = hashlib.blake2b(has.tobytes() + rounded.tobytes(), digest_size=16)
        out[row] = digest.hexdigest().encode() if has.any() else b""
    return out


def equal_to(theirs: NDArray[np.bytes_], ours: NDArray[np.bytes_]) -> NDArray[np.intp]:
    """For each of theirs the first of ours that is equal, -1 where there is none."""
    known, first = np.unique(ours, return_index=True)
    place = np.minimum(np.searchsorted(known, theirs), len(known) - 1)
    same = (known[place] == theirs) & (theirs != b"")
    return np.where(same, first[place], -1).astype(np.intp)
