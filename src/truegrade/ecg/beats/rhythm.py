"""Heart rate and its variability from R peaks; the electrical axis from I and aVF."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

AUGMENTED = 2.0 / 3.0**0.5  # of lead aVF to the size of lead I in Einthoven's triangle
UNDETERMINED = 0.05  # of the area: a complex whose parts cancel has no axis


def heart_rate(peaks: NDArray[np.int64], fs: float) -> float:
    """Beats per minute: 60 over the mean of all RR intervals, in s; NaN below 2 peaks. No interval is left out: what is
    irregular is a rhythm too."""
    intervals = np.diff(peaks) / fs
    return float(60.0 / intervals.mean()) if len(intervals) else float("nan")


def variability(peaks: NDArray[np.int64], fs: float) -> tuple[float, float]:
    """SDNN and rMSSD in ms: sd (n - 1) of all RR intervals, and root mean square of the differences of two in a row;
    NaN below 3 peaks. Of seconds they are noisy: compare equal lengths."""
    intervals = np.diff(peaks) / fs
    if len(intervals) < 2:
        return float("nan"), float("nan")
    steps = np.diff(intervals)
    return 1000.0 * float(intervals.std(ddof=1)), 1000.0 * float(np.sqrt((steps**2).mean()))


def axis(one: NDArray[np.float64], foot: NDArray[np.float64]) -> float:
    """Frontal axis in degrees, (-180, 180], from lead I and lead aVF within the QRS complex: the angle of their net
    areas, aVF enlarged to the size of I. NaN where the parts of the complex cancel."""
    x, y = float(one.sum()), AUGMENTED * float(foot.sum())
    total = float(np.hypot(np.abs(one).sum(), AUGMENTED * np.abs(foot).sum()))
    if not total > 0.0 or np.hypot(x, y) < UNDETERMINED * total:
        return float("nan")
    return float(np.degrees(np.arctan2(y, x)))
