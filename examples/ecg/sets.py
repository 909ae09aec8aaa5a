"""The sets: simulated recordings as the real ones, and generators with one fault each.

    real = real_set(60, seconds=10, fs=500)
    made = generators(real)                     # by name, functions of nothing that give Recordings

Everything is simulated (truegrade.samplers.simulate_ecg) but the recordings of the package deepfake-ecg, where it is
installed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from truegrade.ecg import Recordings
from truegrade.recordings import LEADS_8, LEADS_12
from truegrade.samplers import simulate_ecg

Make = Callable[[], Recordings]


def real_set(n: int, seconds: float, fs: float, leads: Sequence[str] = LEADS_12, seed: int = 0) -> Recordings:
    """Narrow and wide QRS in equal parts, 50 to 110 beats a minute."""
    return simulate_ecg(n, fs=fs, seconds=seconds, seed=seed, leads=leads, name="real")


def generators(real: Recordings, seed: int = 1) -> Mapping[str, Make]:
    """By name, what gives as many synthetic recordings as there are real ones."""
    n, seconds = len(real), real.length / float(real.fs or 500)
    assert real.fs is not None
    fs = real.fs

    def simulated(**how: Any) -> Make:
        return lambda: simulate_ecg(n, fs=fs, seconds=seconds, seed=seed, leads=real.leads, name="synthetic", **how)

    return {
        "ideal": simulated(),
        "one class dropped": simulated(classes=("normal",)),
        "too narrow": simulated(spread=0.4),
        "too noisy": simulated(noise=0.12),
        "too fast": simulated(rate=(140.0, 190.0)),
        "dead lead": lambda: dead_lead(simulated()(), real.leads[-1]),
        "shifted copies": lambda: shifted_copies(real, seed),
    }


def dead_lead(recordings: Recordings, lead: str) -> Recordings:
    """One lead is a flat line."""
    values = recordings.data.copy()
    values[:, recordings.leads.index(lead)] = 0.0
    return _like(recordings, values, "dead lead")


def shifted_copies(real: Recordings, seed: int) -> Recordings:
    """The real recordings, each begun at another moment."""
    rng = np.random.default_rng(seed)
    values = np.stack([np.roll(one, rng.integers(one.shape[1]), axis=1) for one in real.data])
    return _like(real, values, "copies")


def _like(recordings: Recordings, values: Any, name: str) -> Recordings:
    return Recordings.from_array(
        values, fs=recordings.fs, units="mV", leads=recordings.leads, name=name, labels=recordings.labels
    )


def has_deepfake() -> bool:
    """Whether the package deepfake-ecg (import name deepfakeecg) and the torch that it needs are installed."""
    return find_spec("deepfakeecg") is not None and find_spec("torch") is not None


def deepfake(n: int) -> Recordings:
    """n recordings of deepfake-ecg's generator (Thambawita et al. 2021): eight leads, 10 s at 500 Hz, microvolts."""
    import deepfakeecg

    with tempfile.TemporaryDirectory() as folder:
        deepfakeecg.generate(n, folder, start_id=0, run_device="cpu")
        values = np.stack([np.loadtxt(Path(folder) / f"{at}.asc").T for at in range(n)])
    return Recordings.from_array(values, fs=500, units="uV", leads=LEADS_8, name="deepfake-ecg")
