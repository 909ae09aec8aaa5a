"""Whether a model predicts better than one that always says the same, or chance explains it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_ERRORS = 2.0  # standard errors of a model that has learnt nothing


def beyond_chance(gain: float, truth: NDArray[np.float64], classes: int) -> bool:
    """Whether a gain above the baseline is more than what 95 % of models without knowledge have at most.

    truth: of the test rows, without missing values. classes: 0 for a number, whose gain is of R squared: at most the
    squared correlation of prediction and truth, which without knowledge has the mean 1 / n. Else of the mean area over
    classes: its error is at most the mean of theirs, (n + 1) / (12 a b) squared for a rows of a class and b others
    (Mann & Whitney 1947).
    """
    n = len(truth)
    if not classes:
        return gain > _ERRORS**2 / n
    counts = np.unique(truth, return_counts=True)[1]
    return gain > _ERRORS * float(np.mean([math.sqrt((n + 1) / (12 * a * (n - a))) for a in counts if a < n] or [0.0]))
