"""Heart rate and its variability from R peaks; the electrical axis from I and aVF."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

REGULAR = 0.3  # of the median interval: others are ectopic beats and pauses, or beats missed and doubled
AUGMENTED = 2.0 / 3.0**0.5  # of lead aVF to the size of lead I in Einthoven's triangle
UNDETERMINED = 0.05  # of the area: a complex whose parts cancel has no axis


def heart_rate(peaks: NDArray[np.int64], fs: float) -> float:
    """Beats per minute: 60 over the mean of the RR intervals within 30 % of their median; NaN below 2 peaks."""
    regular, _ = _intervals(peaks, fs)
    return float(60.0 / regular.mean()) if len(regular) else float("nan")


def variability(peaks: NDArray[np.int64], fs: float) -> tuple[float, float]:
    """SDNN and rMSSD in ms: sd (n - 1) of the regular intervals, and root mean square of the differences between two
    regular intervals in a row; NaN below 3 intervals, 2 differences. Of seconds they are noisy: compare equal lengths.
    """
    regular, steps = _intervals(peaks, fs)
    sdnn = 1000.0 * float(regular.std(ddof=1)) if len(regular) >= 3 else float("nan")
    rmssd = 1000.0 * float(np.sqrt((steps**2).mean())) if len(steps) >= 2 else float("nan")
    return sdnn, rmssd


def _intervals(peaks: NDArray[np.int64], fs: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Regular intervals in s, and the differences of such in a row."""
    all_of_them = np.diff(peaks) / fs
    if not len(all_of_them):
        return all_of_them, all_of_them
    middle = float(np.median(all_of_them))
    regular = np.abs(all_of_them - middle) <= REGULAR * middle
    return all_of_them[regular], np.diff(all_of_them)[regular[1:] & regular[:-1]]


def axis(one: NDArray[np.float64], foot: NDArray[np.float64]) -> float:
    """Frontal axis in degrees, (-180, 180], from lead I and lead aVF within the QRS complex: the angle of their net
    areas, aVF enlarged to the size of I. NaN where the parts of the complex cancel."""
    x, y = float(one.sum()), AUGMENTED * float(foot.sum())
    total = float(np.hypot(np.abs(one).sum(), AUGMENTED * np.abs(foot).sum()))
    if not total > 0.0 or np.hypot(x, y) < UNDETERMINED * total:
        return float("nan")
    return float(np.degrees(np.arctan2(y, x)))
