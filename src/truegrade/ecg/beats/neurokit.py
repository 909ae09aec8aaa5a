"""PR, QRS and QT by neurokit2 on one lead, beat by beat: a second opinion beside our own delineation."""

from __future__ import annotations

import warnings
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.beats.peaks import Peaks
from truegrade.errors import MissingExtra

METHOD = "prominence"  # of those it has the one nearest to simulated truth: see tests/test_ecg_beats.py
ENDS = {"pr": ("P_Onsets", "R_Onsets"), "qrs": ("R_Onsets", "R_Offsets"), "qt": ("R_Onsets", "T_Offsets")}


def version() -> str:
    """Of neurokit2. Raises MissingExtra where it is not installed."""
    return str(_neurokit().__version__)


def intervals(values: NDArray[np.float64], peaks: Peaks, fs: float) -> dict[str, NDArray[np.float64]]:
    """By key (N,) in ms of (N, T) one lead: medians over the beats of a recording, NaN where it finds none.

    Raises MissingExtra where neurokit2 is not installed.
    """
    neurokit = _neurokit()
    found = [_of_one(neurokit, line, at, fs) for line, at in zip(values, peaks, strict=True)]
    return {key: np.array([one[key] for one in found]) for key in ENDS}


def _of_one(neurokit: ModuleType, line: NDArray[np.float64], peaks: NDArray[np.int64], fs: float) -> dict[str, float]:
    nothing = dict.fromkeys(ENDS, float("nan"))
    if len(peaks) < 3 or not np.isfinite(line).all() or line.max() == line.min():
        return nothing
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            clean = neurokit.ecg_clean(line, sampling_rate=fs)
            waves = neurokit.ecg_delineate(clean, peaks, sampling_rate=fs, method=METHOD)[1]
        except Exception:  # of odd signals it raises whatever numpy and pandas raise inside of it
            return nothing
    return {key: _between(waves, *ends, len(peaks), fs) for key, ends in ENDS.items()}


def _between(waves: dict[str, object], begin: str, end: str, count: int, fs: float) -> float:
    """Median over beats of end - begin in ms."""
    first, last = (np.asarray(waves.get(f"ECG_{name}", ()), dtype=np.float64) for name in (begin, end))
    if len(first) != count or len(last) != count:
        return float("nan")
    lasts = (last - first)[np.isfinite(last - first)]
    return 1000.0 * float(np.median(lasts)) / fs if len(lasts) else float("nan")


def _neurokit() -> ModuleType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of its own dependencies when it is imported
        try:
            import neurokit2
        except ImportError as error:
            raise MissingExtra("by='neurokit2' needs neurokit2; install truegrade[ecg], or leave by= out.") from error
    module: ModuleType = neurokit2
    return module
