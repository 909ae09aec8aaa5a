"""Metrics of beats, lead by lead: heart_rate, hrv, sqi."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.beats.picking import sums
from truegrade.ecg.registry.base import Floor, Found, RegistryMetric
from truegrade.ecg.registry.shares import WORST, described, divergence
from truegrade.ecg.registry.sides import Floats, Lead

RATES = np.arange(20.0, 301.0, 5.0)  # beats per minute
MILLISECONDS = np.array([2, 5, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 500], dtype=np.float64)
PARTS = np.append(1e-9, np.arange(0.1, 1.0, 0.1))  # none at all is a bin of its own
BEFORE, AFTER = 0.25, 0.45  # s of a beat around its R peak


@dataclass(frozen=True, kw_only=True)
class BeatMetric(RegistryMetric):
    """What metrics of beats share: R peaks of each recording in this lead alone."""

    fs: float | None = None
    n_subsample: int | None = None
    seed: int = 42

    needs_fs: ClassVar[bool] = True

    def intervals(self, lead: Lead) -> tuple[Floats, Floats]:
        """(n, 4) and (m, 4): heart rate, SDNN, RMSSD, pNN50; NaN where there are too few beats."""
        ours = [np.array([one.rhythm for one in side]).reshape(-1, 4) for side in self.beats(lead)]
        return ours[0], ours[1]

    def beats(self, lead: Lead) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
        """`Beats` of each x and each y."""
        assert lead.pair.fs is not None
        return lead.each("beats", beat_finder(lead.pair.fs))


class Beats(NamedTuple):
    """Of one lead of a recording: what `rhythms_of` says of its R peaks; its mean beat (window,) of mean 0 and norm 1,
    None where no whole beat is inside the recording."""

    rhythm: tuple[float, float, float, float]
    mean: NDArray[np.float32] | None


def beat_finder(fs: float) -> Callable[[Floats], NDArray[np.object_]]:
    """What gives the `Beats` of each row."""
    from truegrade.ecg.beats import r_peaks

    reach = np.arange(-round(BEFORE * fs), round(AFTER * fs))

    def find(rows: Floats) -> NDArray[np.object_]:
        found = r_peaks(rows, fs)
        rhythms = rhythms_of(found, fs)
        owner, peaks = np.repeat(np.arange(len(rows)), [len(one) for one in found]), np.concatenate(found)
        whole = (peaks + reach[0] >= 0) & (peaks + reach[-1] < rows.shape[1])
        owner, peaks = owner[whole], peaks[whole]
        beats = np.full((len(rows), len(reach)), np.nan)
        counts = np.bincount(owner, minlength=len(rows))
        beats[counts > 0] = sums(rows[owner[:, None], peaks[:, None] + reach], owner, len(rows))[counts > 0]
        beats /= np.maximum(counts, 1)[:, None]
        means = unit(beats - beats.mean(axis=1, keepdims=True)).astype(np.float32)
        out = np.empty(len(rows), dtype=object)
        for at, count in enumerate(counts):
            out[at] = Beats(tuple(rhythms[at]), means[at] if count else None)
        return out

    return find


def rhythms_of(peaks: Sequence[NDArray[np.int64]], fs: float) -> Floats:
    """(n, 4) of the R peaks of n recordings: heart rate (60 / mean interval), SDNN and RMSSD in ms, pNN50 (0 to 1);
    NaN with fewer than 2 peaks, the last three with fewer than 3."""
    count = len(peaks)
    owner, at = np.repeat(np.arange(count), [len(one) for one in peaks]), np.concatenate(peaks)
    same = owner[1:] == owner[:-1]
    whose, intervals = owner[1:][same], (np.diff(at) / fs * 1000.0)[same]
    many = np.bincount(whose, minlength=count)
    mean = np.bincount(whose, intervals, count) / np.maximum(many, 1)
    off = np.bincount(whose, (intervals - mean[whose]) ** 2, count)
    row = whose[1:] == whose[:-1]
    steps, later = np.diff(intervals)[row], whose[1:][row]
    square, far = (np.bincount(later, one, count) for one in (steps**2, np.abs(steps) > 50.0))
    rest = np.array([off, square, far]) / np.maximum(many - 1, 1)
    rest[:2] = np.sqrt(rest[:2])
    mean[many == 0] = np.nan
    return np.column_stack([60_000.0 / mean, np.where(many > 1, rest, np.nan).T])


@dataclass(frozen=True, kw_only=True)
class HeartRate(BeatMetric):
    """Jensen-Shannon divergence of the heart rates of a lead's recordings, in bins of 5 per minute from 20 to 300.

    60 / mean RR interval of the R peaks found in the lead. Recordings without beats, and synthetic ones without a
    signal, are outcomes of their own. Range 0 to log 2, lower is better; with few recordings two samples of one law
    have more than 0, about (occupied bins) / (8 n), so read it beside its floor. `extra`: means, sds, recordings
    without beats, and the Wasserstein-1 distance of the rates in beats per minute. Source: Pan & Tompkins 1985; Lin
    1991.
    """

    key: ClassVar[str] = "heart_rate"
    floor: ClassVar[Floor] = "1/n"
    title: ClassVar[str] = "Heart rate"
    worst: ClassVar[float | None] = WORST
    description: ClassVar[str] = "Divergence of the laws of heart rates, 0 to log 2; lower is better."
    reference: ClassVar[str] = "Pan & Tompkins 1985, A real-time QRS detection algorithm, IEEE TBME 32(3)."
    corrected: ClassVar[str] = (
        "Rates above 120 per minute (there peaks are at least half a second apart), recordings without beats counted "
        "(there left out, and a perfect 0 if there is nothing else), fixed bins, a sampling rate that must be told."
    )

    def one_lead(self, lead: Lead) -> Found:
        x, y = (found[:, 0] for found in self.intervals(lead))
        return Found(divergence(x, y, lead.total - lead.m, RATES), described(x, y, lead.total - lead.m))


@dataclass(frozen=True, kw_only=True)
class HRV(BeatMetric):
    """Mean Jensen-Shannon divergence of SDNN, RMSSD (both in ms) and pNN50 of a lead's recordings.

    SDNN: standard deviation (ddof 1) of the RR intervals; RMSSD: root mean square of their successive differences;
    pNN50: share of those above 50 ms. Fixed bins: of ms at 2, 5, 10 ... 500, of pNN50 none, and tenths. Recordings with
    fewer than three beats, and synthetic ones without a signal, are outcomes of their own. Range 0 to log 2, lower is
    better; biased upwards with few recordings, so read it beside its floor. Source: Task Force 1996.
    """

    key: ClassVar[str] = "hrv"
    floor: ClassVar[Floor] = "1/n"
    title: ClassVar[str] = "Heart rate variability"
    worst: ClassVar[float | None] = WORST
    description: ClassVar[str] = "Mean divergence of the laws of SDNN, RMSSD and pNN50, 0 to log 2; lower is better."
    reference: ClassVar[str] = "Task Force of the ESC and NASPE 1996, Heart rate variability, Circulation 93(5)."
    corrected: ClassVar[str] = (
        "R peaks at any heart rate (there at most 120 per minute), recordings without beats counted (there left out, "
        "and a perfect 0 if there is nothing else), fixed bins, a sampling rate that must be told."
    )

    def one_lead(self, lead: Lead) -> Found:
        x, y = self.intervals(lead)
        extra: dict[str, float | None] = {}
        parts = []
        for column, (name, edges) in enumerate((("sdnn", MILLISECONDS), ("rmssd", MILLISECONDS), ("pnn50", PARTS)), 1):
            parts.append(divergence(x[:, column], y[:, column], lead.total - lead.m, edges))
            extra |= {name: parts[-1], **described(x[:, column], y[:, column], lead.total - lead.m, f"{name}_")}
        return Found(float(np.mean(parts)), extra)


@dataclass(frozen=True, kw_only=True)
class SQI(BeatMetric):
    """Mean correlation of a synthetic recording's mean beat with the mean beat of the real recordings.

    Beats are cut from 250 ms before to 450 ms after each R peak of the lead; a recording's beat is their mean, less its
    mean and divided by its norm, and the template the mean of the real ones. Range -1 to 1, higher is better. Synthetic
    recordings without a signal or without a whole beat count as -1. `extra`: "real_self", the same of the real
    recordings with the template without themselves; "without_beats" of the synthetic ones.
    Source: Clifford et al. 2012; Orphanidou et al. 2015 for templates of aligned beats.
    """

    key: ClassVar[str] = "sqi"
    title: ClassVar[str] = "Signal quality index"
    higher_is_better: ClassVar[bool] = True
    worst: ClassVar[float | None] = -1.0
    description: ClassVar[str] = (
        "Mean correlation of synthetic beats with the mean real beat, -1 to 1; higher is better."
    )
    reference: ClassVar[str] = (
        "Clifford et al. 2012, Signal quality indices, Physiol. Meas. 33; Orphanidou et al. 2015."
    )
    corrected: ClassVar[str] = (
        "Beats aligned at their R peaks (there the mean of recordings that are not aligned, which is next to nothing)."
    )

    def one_lead(self, lead: Lead) -> Found:
        known, beats = (
            np.array([one.mean for one in side if one.mean is not None], dtype=np.float64) for side in self.beats(lead)
        )
        if len(known) < 2:
            return Found(None, reason="fewer than 2 real recordings have beats in this lead", counts=False)
        template = unit(known.sum(axis=0))
        others = unit(known.sum(axis=0) - known)
        alike = float((beats @ template).sum()) if len(beats) else 0.0
        value = (alike - (lead.total - len(beats))) / lead.total
        self_alike = float((known * others).sum(axis=1).mean())
        return Found(value, {"real_self": self_alike, "without_beats": float(lead.m - len(beats))})


def unit(rows: Floats) -> Floats:
    """Rows divided by their norm; 0 stays 0."""
    norm = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(np.divide(rows, norm, out=np.zeros_like(rows), where=norm > 0))
