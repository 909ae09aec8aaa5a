"""ECG recordings, real against synthetic: loading, the look before grading, the sixteen metrics and what goes beyond.

    from truegrade.ecg import load_ecg_npy, AVAILABLE_METRICS

    real, synthetic = load_ecg_npy("real.npy", fs=500), load_ecg_npy("synthetic.npy", fs=500)
    AVAILABLE_METRICS["pr_dist"](k=3).compute(real.data, synthetic.data, lead_names=real.lead_names).score

`truegrade.evaluate(real, synthetic, kind="ecg")` computes everything; `truegrade.ecg.preflight` holds the look before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from truegrade.ecg.options import EcgOptions as EcgOptions
from truegrade.ecg.scores import ECG_SCORES as ECG_SCORES
from truegrade.recordings import LEADS_8 as LEADS_8
from truegrade.recordings import LEADS_12 as LEADS_12
from truegrade.recordings import Recordings as Recordings
from truegrade.recordings import as_recordings as as_recordings
from truegrade.recordings import load_ecg as load_ecg
from truegrade.recordings import load_ecg_folder as load_ecg_folder
from truegrade.recordings import load_ecg_npy as load_ecg_npy
from truegrade.recordings import load_ecg_wfdb as load_ecg_wfdb

if TYPE_CHECKING:
    from truegrade.ecg.features import FEATURES as FEATURES
    from truegrade.ecg.preflight import look_at as look_at
    from truegrade.ecg.registry import AVAILABLE_METRICS as AVAILABLE_METRICS
else:
    _LATER = {"AVAILABLE_METRICS": "registry", "FEATURES": "features", "look_at": "preflight"}

    def __getattr__(name: str) -> Any:
        """What needs scipy, when it is used."""
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"truegrade.ecg.{_LATER[name]}"), name)


__all__ = [
    "AVAILABLE_METRICS",
    "ECG_SCORES",
    "FEATURES",
    "LEADS_8",
    "LEADS_12",
    "EcgOptions",
    "Recordings",
    "as_recordings",
    "load_ecg",
    "load_ecg_folder",
    "load_ecg_npy",
    "load_ecg_wfdb",
    "look_at",
]
