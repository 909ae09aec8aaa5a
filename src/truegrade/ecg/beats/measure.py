"""Clinical measurements of each recording: rate, intervals, axis, amplitudes; NaN where they cannot be taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.beats.delineate import AFTER, BEFORE, Waves, delineate
from truegrade.ecg.beats.median import median_beats
from truegrade.ecg.beats.peaks import BLOCK, Peaks, peaks_of
from truegrade.ecg.beats.rhythm import axis, heart_rate, variability
from truegrade.errors import InputError
from truegrade.recordings import Recordings

By = Literal["truegrade", "neurokit2"]
BY: tuple[By, ...] = ("truegrade", "neurokit2")
KEYS = (
    "heart_rate",
    "sdnn",
    "rmssd",
    "pr",
    "qrs",
    "qt",
    "qtc_bazett",
    "qtc_fridericia",
    "axis",
    "p_amplitude",
    "r_amplitude",
    "t_amplitude",
    "st",
)
COARSE = 250.0  # Hz: finer recordings are thinned to about this before waves are delineated
LIMITS = {"pr": (60.0, 400.0), "qrs": (40.0, 260.0), "qt": (180.0, 700.0)}
"""ms: intervals outside are taken for failures of the delineation."""
ST_AFTER = 0.06
ON_LEAD = ("p_amplitude", "r_amplitude", "t_amplitude", "st")
_cache: WeakKeyDictionary[Recordings, dict[tuple[str, str], Measures]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Measures:
    """Measurements of one set. values: by key (N,), NaN where a measurement failed. lacking: by key (N,), true where
    leads that it needs are no signal. beats: (N,) R peaks found. lead: of which the amplitudes are. by: what delineated
    the waves. absent: by key why there is no such measurement of this set."""

    values: dict[str, NDArray[np.float64]]
    lacking: dict[str, NDArray[np.bool_]]
    beats: NDArray[np.int64]
    lead: str
    by: str
    absent: dict[str, str] = field(default_factory=dict)


def measure(recordings: Recordings, *, lead: str | None = None, by: By = "truegrade") -> Measures:
    """Heart rate (bpm), SDNN, rMSSD, PR, QRS, QT, QTc (ms), axis (degrees), P, R, T and ST (mV) of each recording.

    Peaks are of all leads together. Waves are delineated on the median beat of all leads: QRS from its first to its
    last steep slope in any lead, P begin and T end where tangents meet the level before QRS. Amplitudes are against
    that level: R the highest point of QRS, P and T where all leads together have their peak, ST 60 ms after QRS.

    Args:
        lead: of which amplitudes are taken: II, else the lead with the largest QRS complexes.
        by: "truegrade", or "neurokit2": PR, QRS and QT of that library on `lead`, medians over beats (extra
            `truegrade[ecg]`); everything else stays.

    Remembered as long as the recordings live. Raises InputError without a sampling rate, of one below 40 Hz, for a lead
    there is not and an unknown `by`; MissingExtra without neurokit2. Source: this package, after doi:10.1016/
    j.jacc.2008.12.013 (AHA/ACCF/HRS recommendations) for what is measured from where to where.
    """
    if by not in BY:
        raise InputError(f"by={by!r} given; {' or '.join(map(repr, BY))} is accepted.")
    if lead is not None and lead not in recordings.leads:
        raise InputError(f"lead={lead!r} given; {recordings.name} has {', '.join(recordings.leads)}.")
    peaks = peaks_of(recordings)
    used = lead or main_lead(recordings)
    known = _cache.setdefault(recordings, {})
    if (used, by) not in known:
        known[used, by] = _measure(recordings, peaks, used, by)
    return known[used, by]


def main_lead(recordings: Recordings) -> str:
    """II, else the lead with the largest spread of values between the 1st and the 99th percentile (medians)."""
    if "II" in recordings.leads or len(recordings.leads) == 1:
        return "II" if "II" in recordings.leads else recordings.leads[0]
    some = recordings.read(0, min(len(recordings), 2 * BLOCK))
    low, high = np.quantile(np.nan_to_num(some, posinf=0.0, neginf=0.0), (0.01, 0.99), axis=2)
    return recordings.leads[int(np.median(high - low, axis=0).argmax())]


def _measure(recordings: Recordings, peaks: Peaks, lead: str, by: By) -> Measures:
    assert recordings.fs is not None  # peaks_of has refused
    n = len(recordings)
    table = np.full((n, len(KEYS)), np.nan)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        rows = slice(start, stop)
        table[rows] = _block(recordings.read(start, stop), recordings, peaks[rows], lead)
    values = {key: table[:, at] for at, key in enumerate(KEYS)}
    words = "truegrade: median beats of all leads"
    if by == "neurokit2":
        from truegrade.ecg.beats.neurokit import intervals, version

        values.update(intervals(recordings.lead(lead), peaks, recordings.fs))
        words = f"neurokit2 {version()}: beats of lead {lead}; peaks, axis and amplitudes by truegrade"
    return _finished(recordings, values, peaks, lead, words)


def _finished(
    recordings: Recordings, values: dict[str, NDArray[np.float64]], peaks: Peaks, lead: str, words: str
) -> Measures:
    """With intervals that cannot be taken out, QT corrected, and what is lacking said."""
    for key, (low, high) in LIMITS.items():
        values[key] = np.where((values[key] >= low) & (values[key] <= high), values[key], np.nan)
    seconds = 60.0 / values["heart_rate"]
    values["qtc_bazett"] = values["qt"] / np.sqrt(seconds)
    values["qtc_fridericia"] = values["qt"] / np.cbrt(seconds)
    dead: NDArray[np.bool_] = np.asarray(recordings.missing.all(axis=1))
    lacking: dict[str, NDArray[np.bool_]] = dict.fromkeys(KEYS, dead)
    lacking |= dict.fromkeys(ON_LEAD, np.asarray(recordings.missing[:, recordings.leads.index(lead)]))
    limbs = limb_leads(recordings.leads)
    absent = {}
    if limbs:
        lacking["axis"] = np.asarray(recordings.missing[:, [recordings.leads.index(one) for one in limbs]].any(axis=1))
    else:
        absent["axis"] = "The axis needs lead I and one of aVF and II, which these recordings do not have."
    for key in (*ON_LEAD, "axis"):
        values[key] = np.where(lacking[key], np.nan, values[key])
    return Measures(values, lacking, np.array([len(one) for one in peaks]), lead, words, absent)


def limb_leads(leads: tuple[str, ...]) -> tuple[str, str] | None:
    """The two leads that the axis is taken from."""
    for pair in (("I", "aVF"), ("I", "II")):
        if all(one in leads for one in pair):
            return pair
    return None


def _block(block: NDArray[np.float64], recordings: Recordings, peaks: Peaks, lead: str) -> NDArray[np.float64]:
    """(b, keys) of (b, L, T)."""
    assert recordings.fs is not None
    fs = recordings.fs
    step = max(1, round(fs / COARSE))
    whole = block.shape[2] // step
    thin = block[:, :, : whole * step].reshape(*block.shape[:2], whole, step).mean(axis=3)
    rate, slow = fs / step, [one // step for one in peaks]
    beats = np.stack([median_beats(thin[:, at], slow, rate, -BEFORE, AFTER) for at in range(thin.shape[1])], axis=1)
    out = np.full((len(block), len(KEYS)), np.nan)
    for row, (beat, at) in enumerate(zip(beats, peaks, strict=True)):
        found = {"heart_rate": heart_rate(at, fs)}
        found["sdnn"], found["rmssd"] = variability(at, fs)
        if np.isfinite(beat).all() and np.isfinite(found["heart_rate"]):
            waves = delineate(beat, rate, 60.0 / found["heart_rate"])
            found |= _of_waves(waves) | _of_leads(beat, waves, recordings.leads, lead, rate)
        out[row] = [found.get(key, np.nan) for key in KEYS]
    return out


def _of_waves(waves: Waves) -> dict[str, float]:
    return {
        "pr": 1000.0 * (waves.qrs_on - waves.p_on),
        "qrs": 1000.0 * (waves.qrs_off - waves.qrs_on),
        "qt": 1000.0 * (waves.t_off - waves.qrs_on),
    }


def _of_leads(
    beat: NDArray[np.float64], waves: Waves, leads: tuple[str, ...], lead: str, rate: float
) -> dict[str, float]:
    """Amplitudes on the lead, and the axis, of a median beat (L, d)."""
    if not np.isfinite(waves.qrs_on):
        return {}

    def sample(seconds: float) -> int:
        return round((BEFORE + seconds) * rate)

    on, off = sample(waves.qrs_on), sample(waves.qrs_off)
    level = beat[:, max(0, on - max(1, round(0.024 * rate))) : max(on, 1)].mean(axis=1)
    line = beat[leads.index(lead)] - level[leads.index(lead)]
    found = {"r_amplitude": float(line[on : off + 1].max())}
    for key, at in (("p_amplitude", waves.p_peak), ("t_amplitude", waves.t_peak), ("st", waves.qrs_off + ST_AFTER)):
        if np.isfinite(at) and sample(at) < len(line):
            found[key] = float(line[sample(at)])
    limbs = limb_leads(leads)
    if limbs:
        one, other = (beat[leads.index(name)] - level[leads.index(name)] for name in limbs)
        foot = other if limbs[1] == "aVF" else other - 0.5 * one
        found["axis"] = axis(one[on : off + 1], foot[on : off + 1])
    return found
