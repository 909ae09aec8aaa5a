"""Areas of annuli to the Eden score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def eden_of_counts(joint: NDArray[np.intp]) -> tuple[float, int]:
    """From cells by annulus of both sides (row and column 0: below the lowest level), the mean over annuli of what is
    common in parts of what is in either, and how many annuli hold anything."""
    common = np.diag(joint)[1:]
    either = joint.sum(axis=0)[1:] + joint.sum(axis=1)[1:] - common
    there = either > 0
    return float((common[there] / either[there]).mean()), int(there.sum())
