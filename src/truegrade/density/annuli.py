"""Areas of annuli to the Eden score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def eden_of_counts(joint: NDArray[np.intp]) -> tuple[float, int]:
    """From cells by annulus of both sides (row and column 0: below the lowest level), the mean over annuli of what is
    common in parts of what is in either, and how many annuli hold anything."""
    from truegrade.density.loops import eden_of_joint

    score, there = eden_of_joint(np.ascontiguousarray(joint, np.int64))
    return float(score), int(there)
